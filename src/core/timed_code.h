// What the timing model needs to know of each instruction, worked out once per module.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/parameters.h"
#include "exec/code.h"

namespace heddle::core {

enum class UnitKind : std::uint8_t { integer, single, dual, special, memory, control, count_ };
inline constexpr std::size_t kUnits = static_cast<std::size_t>(UnitKind::count_);

/// General registers, then predicates.
inline constexpr std::size_t kFirstPredicate = 256;
inline constexpr std::size_t kRegisters = kFirstPredicate + 8;

/// A set of registers: 256 general ones, then predicates.
struct RegisterSet {
  std::array<std::uint64_t, 5> words{};
  void insert(std::size_t r) { words[r / 64] |= std::uint64_t{1} << (r % 64); }
  [[nodiscard]] bool has(std::size_t r) const { return (words[r / 64] >> (r % 64) & 1) != 0; }
  [[nodiscard]] bool meets(const RegisterSet& other) const {
    std::uint64_t common = 0;
    for (std::size_t w = 0; w < words.size(); ++w) common |= words[w] & other.words[w];
    return common != 0;
  }
  /// Calls f(register) for each.
  template <typename Function>
  void for_each(Function&& f) const {
    for (std::size_t w = 0; w < words.size(); ++w) {
      for (std::uint64_t left = words[w]; left != 0; left &= left - 1)
        f(w * 64 + static_cast<std::size_t>(std::countr_zero(left)));
    }
  }
  [[nodiscard]] bool empty() const {
    std::uint64_t any = 0;
    for (const std::uint64_t w : words) any |= w;
    return any == 0;
  }
};

/// The registers that an instruction names, those that it writes first.
class RegisterList {
 public:
  static constexpr std::size_t kMost = 31;
  [[nodiscard]] std::span<const std::uint16_t> all() const { return {all_.data(), size_}; }
  [[nodiscard]] std::span<const std::uint16_t> written() const { return {all_.data(), written_}; }
  [[nodiscard]] bool writes() const { return written_ != 0; }
  void assign(const RegisterSet& named, const RegisterSet& written);

 private:
  std::uint8_t size_ = 0;
  std::uint8_t written_ = 0;
  std::array<std::uint16_t, kMost> all_{};
};

// What issuing an instruction looks at comes first: of most, one line of the host's cache.
struct alignas(64) TimedOp {
  UnitKind unit = UnitKind::integer;
  bool plain = false;        ///< arithmetic of each lane by itself
  std::uint8_t reads = 0;    ///< general registers read through the operand collector
  std::uint8_t written = 0;  ///< general registers written
  /// Others of the block may read what its atomics wrote: they must have been performed.
  bool waits_for_atomics = false;
  bool reads_parameters = false;  ///< has an operand in the constant bank
  bool loads = false;             ///< from global or local memory
  bool orders = false;            ///< writes there, or must come after what its warp accessed before
  bool has_long_way = false;      ///< see TimedCode::long_way()
  std::uint16_t latency = 1;
  std::uint16_t interval = 1;
  std::uint16_t instructions = 1;  ///< issue slots that it takes
  std::array<std::uint8_t, 12> read_registers{};
  std::array<std::uint8_t, 10> write_registers{};
  RegisterList registers;  ///< all must be settled before issue
  RegisterSet touches;     ///< the same as a set
  RegisterSet writes;      ///< those that it writes
};

class TimedCode {
 public:
  TimedCode(const exec::Code& code, const SmParameters& parameters);
  [[nodiscard]] const TimedOp& at(std::uint32_t pc) const { return ops_[pc]; }
  [[nodiscard]] const TimedOp* data() const { return ops_.data(); }
  /// Of an instruction that has one: its times where the operands of some lane want it (exec/long_way.h).
  [[nodiscard]] const TimedOp& long_way(std::uint32_t pc) const { return long_ways_.at(pc); }
  /// Instructions.
  [[nodiscard]] std::size_t size() const { return ops_.size(); }

 private:
  std::vector<TimedOp> ops_;
  std::unordered_map<std::uint32_t, TimedOp> long_ways_;
};

}  // namespace heddle::core
