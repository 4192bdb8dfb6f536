// Which bits of a channel-local address are row, rank, bank group, bank and column.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "memory/dram_parameters.h"

namespace heddle::memory {

struct DramPlace {
  std::uint32_t row = 0;
  std::uint32_t column = 0;  ///< in bursts
  unsigned rank = 0;
  unsigned group = 0;  ///< in its rank
  unsigned bank = 0;   ///< in its group
};

class DramAddressMap {
 public:
  explicit DramAddressMap(const DramParameters& parameters);
  /// What is wrong with the mapping of `parameters`; empty if nothing is.
  [[nodiscard]] static std::string check(const DramParameters& parameters);

  [[nodiscard]] DramPlace place(std::uint64_t address) const;
  /// The inverse of place(): the address of a burst.
  [[nodiscard]] std::uint64_t address(const DramPlace& place) const;

  enum Field : unsigned { kRow, kRank, kBankGroup, kBank, kColumn, kFields };
  struct Part {
    Field field;
    unsigned bits;        ///< 0 in a text that leaves it open
    unsigned shift = 0;   ///< of the address
    unsigned offset = 0;  ///< of the field's value
  };
  using Widths = std::array<unsigned, kFields>;

 private:
  /// From least to most significant. Reports through `error`.
  static std::vector<Part> cut(const DramParameters& parameters, std::string& error);
  void hash(DramPlace& place) const;

  std::vector<Part> parts_;
  unsigned bank_bits_;
  unsigned group_bits_;
  bool hash_;
};

}  // namespace heddle::memory
