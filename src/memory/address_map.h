// Which partition an address belongs to, and where it is in there.
//
// Partitions may be divided between the applications, each of which then has as many of its own. A line belongs to one
// application, so that requests for it come to the same partition whoever of its parts makes them.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <cstdint>

#include "base/diagnostics.h"
#include "memory/line.h"
#include "sim/parameter.h"

namespace heddle::memory {

struct AddressMapParameters : sim::ParameterGroup {
  using ParameterGroup::ParameterGroup;
  sim::Parameter<unsigned> partitions{*this,    "partitions", 6,
                                      {1, 256}, "partitions", "Memory partitions: L2 slices with their DRAM channels."};
  sim::Parameter<unsigned> interleave{*this,   "interleave",
                                      256,     {128, 65536},
                                      "bytes", "Consecutive bytes in one partition; a multiple of the L2 line."};
  sim::Flag hash{*this, "hash", true,
                 "Rotate the partitions by a hash of the upper address bits, so that strides do not pile up on one."};
  sim::Flag divided{*this, "divided", false,
                    "Each application has partitions of its own, all equally many; what is left over is not used."};
};

/// Division by a number that stays the same, for values below 2^48 and divisors up to 2^16.
class FixedDivisor {
 public:
  explicit FixedDivisor(std::uint32_t divisor)
      : divisor_(divisor),
        inverse_(~std::uint64_t{0} / divisor + 1),
        shift_(static_cast<unsigned>(std::countr_zero(divisor))),
        shifts_(std::has_single_bit(divisor)) {}
  [[nodiscard]] std::uint64_t quotient(std::uint64_t value) const {
    if (shifts_) return value >> shift_;
    return static_cast<std::uint64_t>(static_cast<Wide>(value) * inverse_ >> 64);
  }
  [[nodiscard]] std::uint64_t remainder(std::uint64_t value) const { return value - quotient(value) * divisor_; }

 private:
  __extension__ using Wide = unsigned __int128;

  std::uint64_t divisor_;
  std::uint64_t inverse_;  ///< 2^64 / divisor, rounded up
  unsigned shift_;
  bool shifts_;
};

class AddressMap {
 public:
  /// Over as many partitions as the parameters say, or over `count` of them.
  explicit AddressMap(const AddressMapParameters& parameters, unsigned count = 0, unsigned applications = 1)
      : count_(count == 0 ? parameters.partitions.get() : count),
        own_(parameters.divided ? count_ / applications : count_),
        divided_(own_ != count_),
        partitions_(own_ == 0 ? 1 : own_),
        interleave_(parameters.interleave),
        interleave_bytes_(parameters.interleave),
        hash_(parameters.hash) {
    if (own_ == 0) {
      throw UserError(
          fmt::format("memory.divided = true: {} partitions are too few for {} applications", count_, applications));
    }
  }

  struct Place {
    std::uint32_t partition = 0;
    std::uint64_t local = 0;  ///< dense address within the partition
  };
  /// Where the line lies in memory.
  [[nodiscard]] Place place(PhysLine line, std::uint16_t application = 0) const {
    return place(line.address, application);
  }
  /// Which L2 slice a cache's miss goes to.
  [[nodiscard]] std::uint32_t slice(LineTag line, std::uint16_t application = 0) const {
    constexpr unsigned kSpaceShift = 40;  // address spaces begin at different slices
    if (!line.is_virtual()) return place(line.bits(), application).partition;
    return place(line.virtual_line().address ^ std::uint64_t{line.space()} << kSpaceShift, line.space()).partition;
  }
  [[nodiscard]] unsigned partitions() const { return count_; }

 private:
  [[nodiscard]] Place place(std::uint64_t address, std::uint16_t application) const {
    const std::uint64_t chunk = interleave_.quotient(address);
    const std::uint64_t row = partitions_.quotient(chunk);
    std::uint64_t partition = chunk - row * own_;
    if (hash_) partition = partitions_.remainder(partition + ((row * 0x9e3779b97f4a7c15u) >> 40));
    if (divided_) partition += std::uint64_t{application} * own_;
    return {static_cast<std::uint32_t>(partition), row * interleave_bytes_ + (address - chunk * interleave_bytes_)};
  }

  unsigned count_;
  unsigned own_;  ///< partitions of an application
  bool divided_;
  FixedDivisor partitions_;
  FixedDivisor interleave_;
  std::uint64_t interleave_bytes_;
  bool hash_;
};

}  // namespace heddle::memory
