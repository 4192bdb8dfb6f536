// A memory instruction that has issued: what a warp waits for. Its lines are in groups of their own
// (core/line_group.h).
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.h"
#include "sim/time.h"

namespace heddle::exec {
struct Op;
}
namespace heddle::memory {
struct AtomicPacket;
}

namespace heddle::core {

enum class MemoryKind : std::uint8_t { load, store, atomic, shared, constant };

struct MemoryInstruction {
  const exec::Op* op = nullptr;
  memory::AtomicPacket* packet = nullptr;  ///< of an atomic
  sim::Cycle issued_at = 0;
  std::uint32_t pc = 0;
  std::uint32_t waiting = 0;  ///< lines without their data, or not yet acknowledged
  static constexpr std::uint32_t kNoRecord = ~std::uint32_t{0};
  std::uint32_t record = kNoRecord;  ///< of an instruction whose lanes are from several warps: the SM's
  sim::Cycle loops_until = 0;        ///< of a loop that its warp carries out: the warp goes on then
  std::uint64_t homes = 0;           ///< warps that its lanes are from, a bit each; only a coalescer's that asks
  std::uint16_t application = 0;
  std::uint8_t warp = 0;
  MemoryKind kind = MemoryKind::load;

  /// Global or local.
  [[nodiscard]] bool is_global() const { return kind <= MemoryKind::atomic; }
};

/// Things with numbers that are used again.
template <typename T>
class Pool {
 public:
  [[nodiscard]] std::uint32_t take() {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(all_.size()));
      all_.emplace_back();
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    ++in_use_;
    return index;
  }
  void release(std::uint32_t index) {
    free_.push_back(index);
    --in_use_;
  }
  /// Stays where it is only until the next take().
  [[nodiscard]] T& at(std::uint32_t index) { return all_[index]; }
  [[nodiscard]] const T& at(std::uint32_t index) const { return all_[index]; }
  [[nodiscard]] std::size_t in_use() const { return in_use_; }

 private:
  std::vector<T> all_;
  std::vector<std::uint32_t> free_;
  std::size_t in_use_ = 0;
};

using MemoryPool = Pool<MemoryInstruction>;

/// The bit of a line (its address over the line size) in a warp's filter of atomics on their way. Who sets a bit and
/// who looks for it must agree, or a thread would not see its own atomics.
[[nodiscard]] inline std::uint64_t atomic_filter_bit(std::uint64_t line) {
  return std::uint64_t{1} << ((line * 0x9e3779b97f4a7c15u) >> 58);
}

}  // namespace heddle::core
