// The common page matrix (Pichai, section 5.2): which warps of an SM use the same pages.
//
// Each TLB entry remembers the last warps that used it (two, in unused bits of the entry). When a warp hits an entry,
// its counters towards those warps rise, up to saturation. All counters are cleared every so many cycles, at multiples
// of that time; histories stay. What the thesis leaves open is as its catalogue decides (`cpm_update_details`,
// `cpm_flush_scope`): of a dynamic warp, each warp that has threads on the page counts once, against the history as it
// was before; a fill begins a history and counts nothing.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/memory_observer.h"

namespace heddle::core {

class CommonPages {
 public:
  struct Shape {
    unsigned bits = 3;       ///< of a counter
    unsigned flush = 500;    ///< cycles; 0: never
    unsigned history = 2;    ///< warps that a TLB entry remembers
    bool symmetric = false;  ///< counters of both warps rise
    unsigned warps = 64;
  };
  explicit CommonPages(const Shape& shape)
      : shape_(shape), most_((1u << shape.bits) - 1), counters_(std::size_t{shape.warps} * shape.warps, 0) {}

  /// A lookup by these warps.
  void looked_up(std::uint64_t page, bool hit, std::uint64_t warps, sim::Cycle now);
  void evicted(std::uint64_t page) { histories_.erase(page); }
  /// The context has a new warp: nothing is known of it.
  void forget(unsigned warp);
  [[nodiscard]] bool saturated(unsigned row, unsigned column, sim::Cycle now) {
    flush_if_due(now);
    return counter(row, column) == most_;
  }
  /// Whether any counter is saturated.
  [[nodiscard]] bool any_saturated(sim::Cycle now);
  /// Storage: a row for each warp with a counter for each other.
  [[nodiscard]] static std::uint64_t storage_bits(unsigned warps, unsigned bits) {
    return std::uint64_t{warps} * (warps - 1) * bits;
  }

 private:
  [[nodiscard]] std::uint8_t& counter(unsigned row, unsigned column) { return counters_[row * shape_.warps + column]; }
  void count(unsigned row, unsigned column);
  void flush_if_due(sim::Cycle now);

  Shape shape_;
  unsigned most_;
  std::vector<std::uint8_t> counters_;
  unsigned saturated_ = 0;                                                  ///< counters that are
  std::unordered_map<std::uint64_t, std::vector<std::uint8_t>> histories_;  ///< by page, the last warp first
  sim::Cycle window_ = 0;
};

}  // namespace heddle::core
