// Applications that share a GPU: first runs, windows, divisions of the SMs, and what sharing costs.
#include "cli/mix_report.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "results/sharing_series.h"

namespace heddle::cli {
namespace {

RunRequest request(const std::string& workload, std::vector<std::string> changes, unsigned threads = 1) {
  RunRequest made;
  made.workload = workload;
  made.size = "tiny";
  made.machine.gpu = "mask-2018";
  made.machine.design = "mask";
  made.machine.changes = std::move(changes);
  made.machine.changes.insert(made.machine.changes.end(), {"sms=4", "memory.partitions=2"});
  made.machine.threads = threads;
  return made;
}

results::RunOutcome run(const RunRequest& made) { return simulate(prepare(made), {}, {}); }

TEST(FirstRuns, TellOfTheFirstRunOfAnApplicationThatIsStartedAgain) {
  const results::RunOutcome both = run(request("vectoradd+bfs", {"sharing.relaunch=true"}));
  ASSERT_EQ(both.status, results::Status::passed) << both.detail;
  const results::RunOutcome once = run(request("vectoradd+bfs", {}));
  // The short one ran again beside the long one, and is told of once.
  EXPECT_EQ(both.kernels.size(), once.kernels.size());
  EXPECT_GT(both.statistics.at("gpu.kernels"), once.statistics.at("gpu.kernels"));
  EXPECT_EQ(both.statistics.at("mix.application_0.ended"), 1);
  EXPECT_EQ(both.statistics.at("mix.application_1.ended"), 1);
  EXPECT_LT(both.applications[0].cycles, both.applications[1].cycles);
  std::uint64_t instructions = 0;
  for (const results::KernelRecord& kernel : both.kernels)
    instructions += kernel.application == "vectoradd" ? kernel.warp_instructions : 0;
  EXPECT_EQ(both.statistics.at("mix.application_0.instructions"), static_cast<double>(instructions));
  EXPECT_LT(static_cast<double>(both.applications[0].counters.at("gpu.l2.hits")),
            both.statistics.at("gpu.l2.application_0.hits"));
}

TEST(FirstRuns, EndWithTheWindow) {
  const results::RunOutcome cut = run(request("bfs+spmv", {"sharing.relaunch=true", "sharing.window=5000"}));
  EXPECT_EQ(cut.status, results::Status::passed) << cut.detail;
  for (const char* application : {"0", "1"}) {
    const std::string name = std::string("mix.application_") + application;
    EXPECT_EQ(cut.statistics.at(name + ".ended"), 0);
    EXPECT_GE(cut.statistics.at(name + ".cycles"), 5000);
    EXPECT_LT(cut.statistics.at(name + ".cycles"), 8000);
    EXPECT_GT(cut.statistics.at(name + ".instructions"), 0);
  }
}

TEST(FirstRuns, AreTheSameWithAnyNumberOfThreads) {
  const std::vector<std::string> changes{"sharing.relaunch=true", "sharing.epoch=2000", "sharing.window=30000",
                                         "mmu.tlb.entries=32", "l2.translation_aware.least=10"};
  const results::RunOutcome one = run(request("bfs+gups", changes, 1));
  EXPECT_GT(one.statistics.at("gpu.mmu.tokens.bypassed"), 0) << "the test exercises tokens";
  EXPECT_GT(one.statistics.at("gpu.l2.went_past"), 0) << "and reads that go past the L2";
  EXPECT_GT(one.statistics.at("gpu.dram.address_space_aware.turns"), 0) << "and turns";
  for (const unsigned threads : {2u, 3u}) {
    const results::RunOutcome other = run(request("bfs+gups", changes, threads));
    EXPECT_EQ(one.statistics, other.statistics) << threads;
  }
}

TEST(Split, IsOfWholeSms) {
  EXPECT_EQ(parse_split("even", 30, 4), (std::vector<unsigned>{8, 8, 7, 7}));
  EXPECT_EQ(parse_split("10:20", 30, 2), (std::vector<unsigned>{10, 20}));
  for (const char* wrong : {"", "10", "10:10", "0:30", "a:b", "10:20:", "10;20"})
    EXPECT_THROW((void)parse_split(wrong, 30, 2), UserError) << wrong;
}

TEST(SharingMetrics, AreThoseOfThePaper) {
  results::RunRow shared;
  results::RunRow first;
  results::RunRow second;
  const auto set = [](results::RunRow& row, int application, double instructions, double cycles) {
    const std::string name = "mix.application_" + std::to_string(application);
    row.statistics[name + ".instructions"] = instructions;
    row.statistics[name + ".cycles"] = cycles;
  };
  set(shared, 0, 200, 100);
  set(shared, 1, 100, 100);
  set(first, 0, 400, 100);
  set(second, 0, 125, 100);
  const auto metrics = sharing_metrics(shared, {&first, &second});
  ASSERT_TRUE(metrics.has_value());
  EXPECT_DOUBLE_EQ(metrics->weighted_speedup, 0.5 + 0.8);
  EXPECT_DOUBLE_EQ(metrics->throughput, 3);
  EXPECT_DOUBLE_EQ(metrics->slowdown, 2);
  EXPECT_FALSE(sharing_metrics(shared, {&first, nullptr}).has_value());
}

TEST(SharingMetrics, OfAPrimaryAndASecondary) {
  results::RunRow shared;
  results::RunRow first;
  results::RunRow second;
  shared.statistics = {{"mix.application_0.instructions", 360},    {"mix.application_0.cycles", 100},
                       {"mix.application_1.instructions", 10},     {"mix.application_1.cycles", 50},
                       {"mix.application_1.all_instructions", 30}, {"mix.cycles", 100}};
  shared.configuration["sharing.scavenger.target"] = "0.9";
  first.statistics = {{"mix.application_0.instructions", 400}, {"mix.application_0.cycles", 100}};
  second.statistics = {{"mix.application_0.instructions", 200}, {"mix.application_0.cycles", 100}};
  auto metrics = sharing_metrics(shared, {&first, &second});
  ASSERT_TRUE(metrics.has_value());
  EXPECT_DOUBLE_EQ(*sharing_figure(*metrics, "mix.primary"), 0.9);
  EXPECT_DOUBLE_EQ(*sharing_figure(*metrics, "mix.secondary"), 0.15);
  EXPECT_DOUBLE_EQ(*sharing_figure(*metrics, "mix.total_if_met"), 1.05);
  EXPECT_DOUBLE_EQ(*sharing_figure(*metrics, "mix.revenue"), 1.05);
  EXPECT_EQ(sharing_figure(*metrics, "mix.met"), 1);
  shared.statistics["mix.application_0.cycles"] = 102;  // more than a percent below
  metrics = sharing_metrics(shared, {&first, &second});
  EXPECT_EQ(sharing_figure(*metrics, "mix.met"), 0);
  EXPECT_FALSE(sharing_figure(*metrics, "mix.secondary_if_met").has_value());
  EXPECT_DOUBLE_EQ(*sharing_figure(*metrics, "mix.revenue"), 1.05) << "whatever the primary got";
}

TEST(FirstRuns, EndWithTheFirstApplication) {
  const results::RunOutcome both =
      run(request("bfs+vectoradd", {"sharing.relaunch=true", "sharing.until=first", "sharing.policy=smk"}));
  ASSERT_EQ(both.status, results::Status::passed) << both.detail;
  EXPECT_EQ(both.statistics.at("mix.application_0.ended"), 1);
  EXPECT_GT(both.statistics.at("mix.application_1.all_instructions"),
            both.statistics.at("mix.application_1.instructions"))
      << "the short one ran again";
  EXPECT_GE(both.statistics.at("mix.cycles"), both.statistics.at("mix.application_0.cycles"));
  const results::RunOutcome other =
      run(request("vectoradd+bfs", {"sharing.relaunch=true", "sharing.until=first", "sharing.policy=smk"}));
  EXPECT_EQ(other.status, results::Status::passed) << other.detail;
  EXPECT_EQ(other.statistics.at("mix.application_1.ended"), 0) << "the long one is not waited for";
}

TEST(FirstRuns, TokensKnowTheWarpsBehindVirtualL1s) {
  const std::vector<std::string> changes{"sharing.relaunch=true", "sharing.epoch=2000",   "sharing.window=30000",
                                         "mmu.tlb.entries=32",    "sm.mmu.kind=after-l1", "sm.l1.writes=through"};
  const results::RunOutcome one = run(request("bfs+gups", changes, 1));
  ASSERT_EQ(one.status, results::Status::passed) << one.detail;
  // Warps without a token do not fill the TLB, others do; a walk holds up one warp at least.
  EXPECT_GT(one.statistics.at("gpu.mmu.tokens.bypassed"), 0);
  EXPECT_GT(one.statistics.at("gpu.mmu.tokens.filled"), 0);
  EXPECT_GT(one.statistics.at("gpu.sm.mmu.walked"), 0);
  EXPECT_GE(one.statistics.at("gpu.sm.mmu.warps_stalled"), one.statistics.at("gpu.sm.mmu.walked"));
  const results::RunOutcome three = run(request("bfs+gups", changes, 3));
  EXPECT_EQ(one.statistics, three.statistics);
}

class MixTest : public testing::Test {
 protected:
  MixTest() { std::filesystem::remove(database_); }
  ~MixTest() override {
    for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(database_ + end);
  }
  MixResult mix(const std::string& workload, const std::string& split) {
    MixRequest made;
    made.run = request(workload, {"sharing.window=4000"});
    made.split = split;
    made.alone = "mask-sharedtlb";
    made.database = database_;
    made.quiet = true;
    return run_mix(made);
  }
  [[nodiscard]] std::size_t kept() const {
    return results::all_runs(results::Database(database_, results::Database::Access::read)).size();
  }
  std::string database_ =
      (std::filesystem::temp_directory_path() / ("heddle-mix-test-" + std::to_string(getpid()) + ".db")).string();
};

TEST_F(MixTest, TheOracleTriesEveryDivisionAndKeepsTheBest) {
  const MixResult best = mix("bfs+gups", "oracle");
  EXPECT_EQ(best.tried, 3u);
  EXPECT_EQ(kept(), 9u);
  for (const char* split : {"1:3", "2:2", "3:1"})
    EXPECT_LE(mix("bfs+gups", split).metrics.weighted_speedup, best.metrics.weighted_speedup) << split;
  EXPECT_EQ(kept(), 9u) << "runs are kept and used again";
}

TEST_F(MixTest, HasAPage) {
  const MixResult result = mix("bfs+gups", "even");
  const std::string page = mix_report(result, "a machine", database_).html();
  for (const char* text :
       {"bfs + gups", "What sharing costs", "mix.weighted_speedup", "Instructions per cycle of each application"})
    EXPECT_NE(page.find(text), std::string::npos) << text;
}

TEST_F(MixTest, HasOnItsPageWhatEachDivisionCameToAndHowFastEachWasOverTime) {
  const MixResult best = mix("bfs+gups", "oracle");
  const std::string page = mix_report(best, "a machine", database_).html();
  for (const char* text : {"Weighted speedup by division of the SMs", "Divisions tried", "\"1:3\"", "\"2:2\"",
                           "\"3:1\"", "Speed relative to alone, over time", "alone on as many"})
    EXPECT_NE(page.find(text), std::string::npos) << text;
  EXPECT_EQ(best.divisions.at(best.split).weighted_speedup, best.metrics.weighted_speedup);
  const MixResult whole = mix("bfs+gups", "whole");
  const std::string other = mix_report(whole, "a machine", database_).html();
  EXPECT_NE(other.find("alone on the whole GPU"), std::string::npos);
  EXPECT_EQ(other.find("Divisions tried"), std::string::npos) << "there was only one";
}

TEST_F(MixTest, OverTimeIsAsFastAsOverTheWholeRun) {
  std::vector<results::SeriesRecord> series(2);
  for (std::size_t a = 0; a < 2; ++a) {
    series[a].counter = "gpu.sm.application_" + std::to_string(a) + ".instructions";
    series[a].ends = {100, 200};
  }
  series[0].growth = {100, 300};
  series[1].growth = {50, 25};
  results::Report report("two");
  results::add_sharing_series(report, series, {{"one", 4}, {"other", 0.5}});
  // 1 and 3 over 4; 0.5 and 0.25 over 0.5; their sums.
  for (const char* values : {"[0.25,0.75]", "[1.0,0.5]", "[1.25,1.25]"})
    EXPECT_NE(report.html().find(values), std::string::npos) << values;
}

TEST_F(MixTest, OfWholeSmsComparesWithTheWholeGpu) {
  const MixResult whole = mix("bfs+gups", "whole");
  EXPECT_EQ(whole.split, (std::vector<unsigned>{4, 4}));
  EXPECT_GT(whole.metrics.weighted_speedup, 0);
}

TEST_F(MixTest, ComparesThreeApplicationsWithEachAlone) {
  const MixResult three = mix("bfs+gups+vectoradd", "even");
  EXPECT_EQ(three.split, (std::vector<unsigned>{2, 1, 1}));
  EXPECT_EQ(three.metrics.alone.size(), 3u);
  EXPECT_GT(three.metrics.weighted_speedup, 0);
  EXPECT_THROW((void)mix("bfs", "even"), UserError);
}

}  // namespace
}  // namespace heddle::cli
