// The tags of an L2 slice: of one cache or, if the L2 has two halves, of the slice's part of each. A line is in the
// part that is its home; the other part may have a copy of it, which is clean and takes room there.
#pragma once

#include <memory>

#include "memory/cache.h"
#include "memory/halves.h"
#include "memory/l2_parameters.h"

namespace heddle::memory {

class L2Tags {
 public:
  L2Tags(const L2Parameters& parameters, sim::StatisticGroup& statistics)
      : first_(parameters, statistics, parameters.halves) {
    if (parameters.halves == 2) second_ = std::make_unique<CacheTags>(parameters, statistics, 2u);
  }
  // Of homes.
  [[nodiscard]] CacheLine* find(LineTag tag) { return home(tag).find(tag); }
  [[nodiscard]] bool has(LineTag tag, std::uint32_t units) { return home(tag).has(tag, units); }
  void touch(const CacheLine& line) { home(line.tag).touch(line); }
  [[nodiscard]] CacheLine* allocate(LineTag tag, CacheLine& evicted) { return home(tag).allocate(tag, evicted); }
  // Without halves.
  [[nodiscard]] std::size_t size() const { return first_.size(); }
  [[nodiscard]] CacheLine& line(std::size_t index) { return first_.line(index); }

  [[nodiscard]] bool divided() const { return second_ != nullptr; }
  [[nodiscard]] CacheTags& part(unsigned half) { return half == 0 ? first_ : *second_; }

 private:
  [[nodiscard]] CacheTags& home(LineTag tag) {
    return second_ == nullptr || home_half(tag.bits()) == 0 ? first_ : *second_;
  }

  CacheTags first_;
  std::unique_ptr<CacheTags> second_;
};

}  // namespace heddle::memory
