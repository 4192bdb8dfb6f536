// Mechanisms of different documents on one machine: every pair of choices at different plug points, in checked runs.
//
// A covering array: rows of choices such that every two choices of different axes meet in some row. What two mechanisms
// cannot do together, the check of the parameters says; such pairs are left out, and counted. All else must compute
// what it must.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>

#include "base/diagnostics.h"
#include "small_gpu.h"
#include "workloads/workload.h"

namespace heddle::test {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

struct Option {
  std::string name;
  Settings settings;
};
using Axis = std::vector<Option>;

/// A parameter with each of these values.
Axis choices(const std::string& path, const std::vector<std::string>& names) {
  Axis axis;
  for (const std::string& name : names) axis.push_back({path + "=" + name, {{path, name}}});
  return axis;
}

/// Without those that tests register.
std::vector<std::string> shipped(std::vector<std::string> names) {
  std::erase_if(names, [](const std::string& name) { return name.starts_with("test-"); });
  return names;
}

std::vector<Axis> axes() {
  const Settings shared_walker{{"sm.mmu.kind", "tlb"}, {"sm.mmu.walks", "shared"}, {"mmu.walker.walks", "8"}};
  const auto with = [](Settings base, const Settings& more) {
    base.insert(base.end(), more.begin(), more.end());
    return base;
  };
  const Axis translation{
      {"no translation", {}},
      {"blocking TLBs", {{"sm.mmu.kind", "tlb"}, {"sm.mmu.policy", "blocking"}}},
      {"TLBs that let hits go on", {{"sm.mmu.kind", "tlb"}, {"sm.mmu.policy", "hit-under-miss"}}},
      {"augmented TLBs", {{"sm.mmu.kind", "tlb"}, {"sm.mmu.policy", "overlap"}, {"sm.mmu.walker.kind", "scheduled"}}},
      {"shared walker", with(shared_walker, {{"mmu.walker.cache.kind", "physical"}})},
      {"tokens at a shared TLB", with(shared_walker, {{"mmu.tlb.entries", "64"}, {"mmu.fill", "tokens"}})},
      {"virtual L1",
       {{"sm.mmu.kind", "after-l1"}, {"sm.l1.writes", "through"}, {"mmu.kind", "iommu"}, {"mmu.tlb.entries", "64"}}},
      {"virtual L1 and L2",
       {{"sm.mmu.kind", "after-l2"},
        {"sm.l1.writes", "through"},
        {"mmu.kind", "forward-backward"},
        {"mmu.tlb.entries", "64"},
        {"mmu.forward_backward.entries", "256"},
        {"l2.slices", "2"},
        {"l2.miss_latency", "60"},
        {"l2.sector_bytes", "128"}}}};
  return {translation,
          choices("sm.scheduler", shipped(core::SchedulerRegistry::instance().names())),
          choices("sm.operands", shipped(core::OperandStorageRegistry::instance().names())),
          choices("sm.coalescer", shipped(core::CoalescerRegistry::instance().names())),
          choices("sm.divergence", {"stack", "independent", "tbc", "tbc-tlb", "tbc-oracle"}),
          choices("l2.fill", shipped(memory::FillPolicies::instance().names())),
          choices("dram.scheduler", {"fr-fcfs", "address-space-aware"})};
}

using Row = std::vector<std::size_t>;  ///< of each axis the choice

std::string text(const std::vector<Axis>& all, const Row& row) {
  std::string names;
  for (std::size_t a = 0; a < row.size(); ++a) names += (a == 0 ? "" : ", ") + all[a][row[a]].name;
  return names;
}

std::shared_ptr<gpu::GpuParameters> machine(const std::vector<Axis>& all, const Row& row) {
  auto gpu = std::make_shared<gpu::GpuParameters>();
  gpu->set_text("sms", "2");
  gpu->set_text("memory.partitions", "2");
  gpu->set_text("check_lines", "true");
  for (std::size_t a = 0; a < row.size(); ++a) {
    for (const auto& [path, value] : all[a][row[a]].settings) gpu->set_text(path, value);
  }
  return gpu;
}

bool is_refused(const std::vector<Axis>& all, const Row& row) {
  try {
    const auto parameters = machine(all, row);
    parameters->check();
    const gpu::Gpu gpu(*parameters, 1);
    return false;
  } catch (const UserError&) {
    return true;
  }
}

/// Pairs of choices of two axes that nothing else could be at fault for: refused with the first choice everywhere else.
class Pairs {
 public:
  explicit Pairs(const std::vector<Axis>& all) {
    for (std::size_t a = 0; a < all.size(); ++a) {
      for (std::size_t b = a + 1; b < all.size(); ++b) {
        for (std::size_t x = 0; x < all[a].size(); ++x) {
          for (std::size_t y = 0; y < all[b].size(); ++y) {
            Row row(all.size(), 0);
            row[a] = x;
            row[b] = y;
            (is_refused(all, row) ? refused_ : left_).insert({a, x, b, y});
          }
        }
      }
    }
  }
  [[nodiscard]] bool empty() const { return left_.empty(); }
  [[nodiscard]] std::size_t refused() const { return refused_.size(); }
  [[nodiscard]] std::size_t left() const { return left_.size(); }
  [[nodiscard]] std::array<std::size_t, 4> first() const { return *left_.begin(); }
  /// How many pairs that have not met yet meet in this row.
  [[nodiscard]] std::size_t gain(const Row& row) const {
    std::size_t pairs = 0;
    for_each(row, [&](const auto& pair) { pairs += left_.contains(pair) ? 1 : 0; });
    return pairs;
  }
  void met(const Row& row) {
    for_each(row, [&](const auto& pair) { left_.erase(pair); });
  }

 private:
  template <typename Function>
  static void for_each(const Row& row, Function&& function) {
    for (std::size_t a = 0; a < row.size(); ++a) {
      for (std::size_t b = a + 1; b < row.size(); ++b) function(std::array<std::size_t, 4>{a, row[a], b, row[b]});
    }
  }
  std::set<std::array<std::size_t, 4>> left_;
  std::set<std::array<std::size_t, 4>> refused_;
};

/// Rows in which every pair meets that can: each begins with a pair that has not met, and is the best of some.
std::vector<Row> covering_rows(const std::vector<Axis>& all) {
  constexpr unsigned kTries = 40;
  std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same rows every time
  Pairs pairs(all);
  std::vector<Row> rows;
  while (!pairs.empty()) {
    const auto [a, x, b, y] = pairs.first();
    Row best(all.size(), 0);
    best[a] = x;
    best[b] = y;
    for (unsigned t = 0; t < kTries; ++t) {
      Row row(all.size());
      for (std::size_t i = 0; i < row.size(); ++i) row[i] = random() % all[i].size();
      row[a] = x;
      row[b] = y;
      if (pairs.gain(row) > pairs.gain(best) && !is_refused(all, row)) best = row;
    }
    pairs.met(best);
    rows.push_back(best);
  }
  return rows;
}

TEST(Composition, HasEveryPairThatIsNotRefused) {
  const std::vector<Axis> all = axes();
  const std::vector<Row> rows = covering_rows(all);
  Pairs pairs(all);
  for (const Row& row : rows) {
    EXPECT_FALSE(is_refused(all, row)) << text(all, row);
    pairs.met(row);
  }
  EXPECT_TRUE(pairs.empty());
  EXPECT_LT(rows.size(), 150u);
}

class EveryPair : public testing::TestWithParam<unsigned> {};

/// Dealt out, so that parts run side by side.
constexpr unsigned kParts = 4;

TEST_P(EveryPair, ComputesWhatItMust) {
  const std::vector<Axis> all = axes();
  const std::vector<Row> rows = covering_rows(all);
  const std::vector<std::string> names{"bfs", "spmv", "histogram", "reduction", "scan", "btree"};
  for (std::size_t r = GetParam(); r < rows.size(); r += kParts) {
    const workloads::Workload* workload = workloads::find(names[r % names.size()]);
    ASSERT_NE(workload, nullptr);
    SCOPED_TRACE(text(all, rows[r]) + ": " + std::string(workload->name()));
    runtime::Device::Options options;
    options.gpu = machine(all, rows[r]);
    options.threads = 1 + static_cast<unsigned>(r % 3);
    workloads::Request request;
    request.elements = workload->sizes().front().elements;
    try {
      runtime::Device device(options);
      EXPECT_TRUE(workload->run(device, request).passed);
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, EveryPair, testing::Range(0u, kParts));

}  // namespace
}  // namespace heddle::test
