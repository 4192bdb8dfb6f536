// A folder that goes away with the test, and runs to put into a database there.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "results/store.h"

namespace heddle::results {

class ResultsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() /
        fmt::format("heddle-results-{}-{}", getpid(), ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
    file_ = (folder_ / "results.db").string();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static RunDescription sample_run() {
    RunDescription run;
    run.workload = "bfs";
    run.size = "tiny";
    run.elements = 1000;
    run.seed = 1;
    run.mode = "timed";
    run.program = "the code";
    run.gpu = "h200";
    run.configuration = {{"sm.l1.kib", "16"}, {"sms", "15"}};
    run.version = "1";
    return run;
  }

  static RunOutcome sample_outcome(std::uint64_t cycles = 100) {
    RunOutcome outcome;
    outcome.status = Status::passed;
    outcome.detail = "all equal";
    outcome.host_seconds = 0.5;
    for (const char* name : {"first", "second"}) {
      KernelRecord kernel;
      kernel.name = name;
      kernel.application = "bfs";
      kernel.cycles = cycles / 2;
      kernel.warp_instructions = 10;
      kernel.thread_instructions = 320;
      kernel.counters = {{"gpu.cycles", cycles / 2}, {"gpu.sm.l1_hits", 3}};
      outcome.kernels.push_back(kernel);
    }
    outcome.statistics = {{"gpu.cycles", static_cast<double>(cycles)}, {"gpu.sm.l1_hits", 6}};
    outcome.series.push_back({"gpu.sm.l1_hits", {50, 100}, {2, 4}});
    return outcome;
  }

  std::filesystem::path folder_;
  std::string file_;
};

}  // namespace heddle::results
