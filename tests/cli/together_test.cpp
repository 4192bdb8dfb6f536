// Several applications in one run: how they are named, and that each does what it does alone.
#include <gtest/gtest.h>

#include "cli/simulation.h"

namespace heddle::cli {
namespace {

std::string complaint(const std::string& text) {
  try {
    (void)parse_applications(text, "tiny", 1);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(Applications, have_sizes_and_seeds_of_their_own) {
  const std::vector<Application> read = parse_applications("bfs+vectoradd:5000+bfs:small:7", "tiny", 3);
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(read[0].name, "bfs");
  EXPECT_EQ(read[0].size, "tiny");
  EXPECT_EQ(read[0].input.seed, 3u);
  EXPECT_EQ(read[1].input.elements, 5000u);
  EXPECT_EQ(read[2].name, "bfs-2");
  EXPECT_EQ(read[2].size, "small");
  EXPECT_EQ(read[2].input.seed, 7u);
}

TEST(Applications, of_a_mix_are_those_of_the_paper) {
  const std::vector<Application> read = parse_applications("mask/RED_BP:small", "tiny", 1);
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].name, "reduction");
  EXPECT_EQ(read[1].name, "backprop");
  EXPECT_EQ(read[1].size, "small");
}

TEST(Applications, that_are_wrong_are_named_with_what_is_allowed) {
  EXPECT_NE(complaint("bfs+nothing").find("there is no workload 'nothing' (known: "), std::string::npos);
  EXPECT_NE(complaint("mask/X_Y").find("there is no mix 'mask/X_Y' (heddle list --mixes"), std::string::npos);
  EXPECT_NE(complaint("bfs:huge").find("size huge of bfs: must be one of tiny, small"), std::string::npos);
  EXPECT_NE(complaint("bfs:tiny:x").find("bfs:tiny:x: the seed 'x' must be a whole number"), std::string::npos);
  EXPECT_NE(complaint("bfs:tiny:1:road:2").find("NAME:SIZE:SEED:INPUT"), std::string::npos);
  EXPECT_NE(complaint("bfs:tiny:1:2").find("bfs: there is no input '2' (there are: uniform, power-law, road, grid)"),
            std::string::npos);
  EXPECT_NE(complaint("triad:tiny:1:road").find("triad has one kind of input only: leave 'road' out"),
            std::string::npos);
  EXPECT_NE(complaint("bfs+").find("several are joined by '+'"), std::string::npos);
}

results::RunOutcome run(const std::string& workload, unsigned threads = 1, bool functional = false) {
  RunRequest request;
  request.workload = workload;
  request.size = "tiny";
  request.machine.threads = threads;
  request.machine.functional = functional;
  return simulate(prepare(request), {}, {});
}

std::map<std::string, std::uint64_t> instructions(const results::RunOutcome& outcome) {
  std::map<std::string, std::uint64_t> sums;
  for (const results::KernelRecord& kernel : outcome.kernels) sums[kernel.application] += kernel.warp_instructions;
  return sums;
}

TEST(Together, each_passes_and_executes_what_it_does_alone) {
  const results::RunOutcome both = run("bfs+spmv");
  EXPECT_EQ(both.status, results::Status::passed) << both.detail;
  ASSERT_EQ(both.applications.size(), 2u);
  double slower = 0;
  std::uint64_t one_after_the_other = 0;
  for (const results::ApplicationRecord& application : both.applications) {
    EXPECT_EQ(application.status, results::Status::passed) << application.detail;
    const results::RunOutcome alone = run(application.name);
    EXPECT_TRUE(alone.applications.empty());
    EXPECT_EQ(instructions(alone).at(application.name), instructions(both).at(application.name));
    const double cycles = alone.statistics.at("gpu.cycles");
    one_after_the_other += static_cast<std::uint64_t>(cycles);
    slower = std::max(slower, static_cast<double>(application.cycles) / cycles);
  }
  EXPECT_GT(slower, 1.0) << "sharing costs somebody something";
  EXPECT_LT(both.statistics.at("gpu.cycles"), static_cast<double>(one_after_the_other)) << "they overlap";
}

TEST(Together, what_is_counted_apart_adds_up) {
  const results::RunOutcome both = run("bfs+gups");
  for (const auto& [own, whole] : {std::pair{"gpu.l2.hits", "gpu.l2.hits"}, std::pair{"gpu.l2.misses", "gpu.l2.misses"},
                                   std::pair{"gpu.l2.dram_reads", "gpu.dram.reads"}}) {
    std::uint64_t sum = 0;
    for (const results::ApplicationRecord& application : both.applications) sum += application.counters.at(own);
    EXPECT_GT(sum, 0u) << own;
    EXPECT_EQ(static_cast<double>(sum), both.statistics.at(whole)) << own;
  }
}

TEST(Together, is_the_same_with_one_and_two_threads) {
  const results::RunOutcome one = run("bfs+gups+vectoradd", 1);
  const results::RunOutcome two = run("bfs+gups+vectoradd", 2);
  EXPECT_EQ(one.statistics, two.statistics);
  ASSERT_EQ(one.kernels.size(), two.kernels.size());
  for (std::size_t k = 0; k < one.kernels.size(); ++k) {
    EXPECT_EQ(one.kernels[k].application, two.kernels[k].application);
    EXPECT_EQ(one.kernels[k].counters, two.kernels[k].counters);
  }
  for (std::size_t a = 0; a < 3; ++a) {
    EXPECT_EQ(one.applications[a].cycles, two.applications[a].cycles);
    EXPECT_EQ(one.applications[a].counters, two.applications[a].counters);
  }
}

TEST(Together, works_without_timing) {
  const results::RunOutcome both = run("bfs+bfs", 1, true);
  EXPECT_EQ(both.status, results::Status::passed) << both.detail;
  EXPECT_EQ(both.applications[1].name, "bfs-2");
  EXPECT_EQ(both.applications[1].cycles, 0u);
}

/// Ways to share the SMs, with each document's translation.
TEST(Together, every_way_to_share_goes_with_every_translation) {
  struct Machine {
    const char* gpu;
    const char* design;
  };
  for (const Machine& machine : {Machine{"pichai-2013", "pichai-augmented"}, Machine{"power-2014", "power-d3"},
                                 Machine{"mask-2018", "mask"}, Machine{"vc-2018", "vc-with-opt"}}) {
    for (const char* policy : {"all", "spatial", "smk", "temporal", "scavenger"}) {
      RunRequest request;
      request.workload = "bfs+reduction";
      request.size = "tiny";
      request.machine.gpu = machine.gpu;
      request.machine.design = machine.design;
      request.machine.changes = {"sms=4", "check_lines=true", std::string("sharing.policy=") + policy};
      const results::RunOutcome both = simulate(prepare(request), {}, {});
      EXPECT_EQ(both.status, results::Status::passed) << machine.design << " " << policy << ": " << both.detail;
    }
  }
}

TEST(Together, the_identity_depends_on_every_input) {
  const auto identity = [](const std::string& workload) {
    RunRequest request;
    request.workload = workload;
    request.size = "tiny";
    return results::identity(prepare(request).description);
  };
  EXPECT_EQ(identity("bfs"), identity("bfs:tiny:1"));
  EXPECT_EQ(identity("mask/RED_BP"), identity("reduction+backprop"));
  EXPECT_NE(identity("bfs+gups"), identity("gups+bfs"));
  EXPECT_NE(identity("bfs+gups"), identity("bfs+gups:tiny:2"));
  EXPECT_NE(identity("bfs+gups:small"), identity("bfs:small+gups"));
}

TEST(Together, phases_are_refused) {
  RunRequest request;
  request.workload = "bfs+gups";
  request.phases.first_launch = 2;
  EXPECT_THROW((void)prepare(request), UserError);
}

}  // namespace
}  // namespace heddle::cli
