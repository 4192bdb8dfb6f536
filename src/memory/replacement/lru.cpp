// Least recently used.
#include <algorithm>

#include "memory/replacement.h"

namespace heddle::memory {
namespace {

class LeastRecentlyUsed final : public Replacement {
 public:
  LeastRecentlyUsed(std::size_t sets, unsigned ways) : Replacement(ways), ways_(ways), used_(sets * ways, 0) {}
  void touch(std::size_t set, unsigned way) override { used_[set * ways_ + way] = ++clock_; }
  void fill(std::size_t set, unsigned way) override { touch(set, way); }
  unsigned victim(std::size_t set) override {
    const std::uint8_t* may_go = candidates().data();
    const std::uint64_t* used = &used_[set * ways_];
    unsigned best = 0;
    std::uint64_t oldest = ~std::uint64_t{0};
    for (unsigned w = 0; w < ways_; ++w) {
      const std::uint64_t at = may_go[w] != 0 ? used[w] : ~std::uint64_t{0};
      best = at < oldest ? w : best;
      oldest = std::min(at, oldest);
    }
    return best;
  }

 private:
  unsigned ways_;
  std::uint64_t clock_ = 0;
  std::vector<std::uint64_t> used_;
};

[[maybe_unused]] const bool kRegisteredLru =
    ReplacementRegistry::instance().add<LeastRecentlyUsed>("lru", "Least recently used.");

}  // namespace
}  // namespace heddle::memory
