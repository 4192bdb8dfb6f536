// Least recently used.
#include "memory/replacement.h"

namespace heddle::memory {
namespace {

class LeastRecentlyUsed final : public Replacement {
 public:
  LeastRecentlyUsed(std::size_t sets, unsigned ways) : Replacement(ways), ways_(ways), used_(sets * ways, 0) {}
  void touch(std::size_t set, unsigned way) override { used_[set * ways_ + way] = ++clock_; }
  void fill(std::size_t set, unsigned way) override { touch(set, way); }
  unsigned victim(std::size_t set) override {
    unsigned best = ways_;
    for (unsigned w = 0; w < ways_; ++w) {
      if (candidates()[w] != 0 && (best == ways_ || used_[set * ways_ + w] < used_[set * ways_ + best])) best = w;
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
