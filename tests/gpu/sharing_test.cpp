// Sharing policies on a floor of which everything is known.
#include <gtest/gtest.h>

#include <map>

#include "base/diagnostics.h"
#include "gpu/sharing_policy.h"

namespace heddle::gpu {
namespace {

/// SMs that hold so many blocks each; blocks never end.
class TestFloor final : public Floor {
 public:
  TestFloor(unsigned sms, unsigned blocks_per_sm, std::vector<std::pair<std::uint16_t, std::uint64_t>> kernels)
      : free_(sms, blocks_per_sm) {
    for (const auto& [application, blocks] : kernels) {
      core::KernelInstance kernel;
      kernel.application = application;
      kernel.blocks = blocks;
      kernels_.push_back(kernel);
      applications_ = std::max(applications_, application + 1u);
    }
  }
  [[nodiscard]] unsigned sms() const override { return static_cast<unsigned>(free_.size()); }
  [[nodiscard]] unsigned applications() const override { return applications_; }
  [[nodiscard]] std::size_t kernels() const override { return kernels_.size(); }
  [[nodiscard]] const core::KernelInstance& kernel(std::size_t number) const override { return kernels_[number]; }
  [[nodiscard]] std::optional<unsigned> room(std::size_t /*kernel*/, SmRange range, unsigned from) override {
    for (unsigned i = 0; i < range.last - range.first; ++i) {
      const unsigned sm = range.first + (from - range.first + i) % (range.last - range.first);
      if (free_[sm] != 0) return sm;
    }
    return std::nullopt;
  }
  void start(std::size_t kernel, unsigned sm) override {
    ++kernels_[kernel].next_block;
    --free_[sm];
    started.emplace_back(kernel, sm);
  }
  std::vector<std::pair<std::size_t, unsigned>> started;

 private:
  std::vector<unsigned> free_;
  std::vector<core::KernelInstance> kernels_;
  unsigned applications_ = 0;
};

struct Policy {
  explicit Policy(const char* name, const char* split = "even") {
    parameters.set_text("policy", name);
    parameters.set_text("spatial.split", split);
    policy = parameters.policy.make(statistics, "");
  }
  SharingParameters parameters;
  sim::StatisticGroup statistics{"gpu"};
  std::unique_ptr<SharingPolicy> policy;
};

TEST(Sharing, AllGivesBlocksRoundAndRoundToTheOldestKernelFirst) {
  TestFloor floor(3, 2, {{0, 4}, {1, 9}});
  Policy("all").policy->dispatch(floor, 0);
  const std::vector<std::pair<std::size_t, unsigned>> expected{{0, 0}, {0, 1}, {0, 2}, {0, 0}, {1, 1}, {1, 2}};
  EXPECT_EQ(floor.started, expected);
}

TEST(Sharing, SpatialKeepsEachApplicationOnItsOwnSms) {
  TestFloor floor(4, 2, {{1, 20}, {0, 20}});
  Policy("spatial", "1:3").policy->dispatch(floor, 0);
  EXPECT_EQ(floor.started.size(), 8u);
  for (const auto& [kernel, sm] : floor.started) EXPECT_EQ(sm == 0, kernel == 1) << sm;
}

TEST(Sharing, SpatialRefusesASplitThatDoesNotFit) {
  TestFloor floor(4, 2, {{0, 1}, {1, 1}});
  EXPECT_THROW(Policy("spatial", "1:1:2").policy->dispatch(floor, 0), UserError);
  EXPECT_THROW(Policy("spatial", "0:4").policy->dispatch(floor, 0), UserError);
  for (const char* text : {"", "1:", ":", "1:x", "0:0", "12345:1"})
    EXPECT_THROW(Policy("spatial", text), UserError) << text;
}

}  // namespace
}  // namespace heddle::gpu
