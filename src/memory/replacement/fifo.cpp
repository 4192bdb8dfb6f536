// First in, first out.
#include "memory/replacement.h"

namespace heddle::memory {
namespace {

class FirstInFirstOut final : public Replacement {
 public:
  FirstInFirstOut(std::size_t sets, unsigned ways) : Replacement(ways), ways_(ways), filled_(sets * ways, 0) {}
  void touch(std::size_t /*set*/, unsigned /*way*/) override {}
  void fill(std::size_t set, unsigned way) override { filled_[set * ways_ + way] = ++clock_; }
  unsigned victim(std::size_t set) override {
    unsigned best = ways_;
    for (unsigned w = 0; w < ways_; ++w) {
      if (candidates()[w] != 0 && (best == ways_ || filled_[set * ways_ + w] < filled_[set * ways_ + best])) best = w;
    }
    return best;
  }

 private:
  unsigned ways_;
  std::uint64_t clock_ = 0;
  std::vector<std::uint64_t> filled_;
};

[[maybe_unused]] const bool kRegisteredFifo =
    ReplacementRegistry::instance().add<FirstInFirstOut>("fifo", "First in, first out.");

}  // namespace
}  // namespace heddle::memory
