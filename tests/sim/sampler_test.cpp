#include "sim/sampler.h"

#include <gtest/gtest.h>

#include <numeric>

namespace heddle::sim {
namespace {

struct Part : StatisticGroup {
  Part(StatisticGroup& parent, const std::string& name) : StatisticGroup(parent, name) {}
  Counter hits{*this, "hits", "times", "Hits."};
  Counter other{*this, "other", "times", "Not followed."};
};

TEST(Sampler, adds_up_over_instances_and_tells_growth) {
  StatisticGroup root("gpu");
  Part first(root, "sm[0]");
  Part second(root, "sm[1]");
  first.hits += 100;  // before the sampler: not its business
  Sampler sampler(
      root, [](const std::string& path) { return path == "gpu.sm.hits"; }, 10);
  first.hits += 1;
  second.hits += 2;
  sampler.offer(50);
  second.hits += 4;
  sampler.finish(80);
  ASSERT_EQ(sampler.series().size(), 1u);
  EXPECT_EQ(sampler.series()[0].growth, (std::vector<std::uint64_t>{3, 4}));
  EXPECT_EQ(sampler.ends(), (std::vector<std::uint64_t>{50, 80}));
}

TEST(Sampler, stays_within_its_bound_and_loses_nothing) {
  StatisticGroup root("gpu");
  Part part(root, "sm[0]");
  constexpr std::size_t kMost = 16;
  Sampler sampler(
      root, [](const std::string&) { return true; }, kMost);
  for (Cycle now = 1; now <= 1000; ++now) {
    ++part.hits;
    sampler.offer(now * 10);
  }
  sampler.finish(10'005);
  EXPECT_LE(sampler.ends().size(), kMost + 1);
  for (const Sampler::Series& series : sampler.series()) {
    EXPECT_EQ(series.growth.size(), sampler.ends().size());
    const std::uint64_t all = std::accumulate(series.growth.begin(), series.growth.end(), std::uint64_t{0});
    EXPECT_EQ(all, series.path == "gpu.sm.hits" ? 1000u : 0u);
  }
  EXPECT_EQ(sampler.ends().back(), 10'005u);
}

}  // namespace
}  // namespace heddle::sim
