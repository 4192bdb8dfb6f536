// Runs that are stopped by a limit say so and keep what they have.
#include <gtest/gtest.h>

#include "cli/simulation.h"
#include "session/exec_options.h"

namespace heddle::cli {
namespace {

results::RunOutcome run_limited(bool functional, const runtime::Limits& limits) {
  RunRequest request;
  request.workload = "bfs";
  request.size = "tiny";
  request.machine.functional = functional;
  request.machine.limits = limits;
  return simulate(prepare(request), {}, {}, {});
}

TEST(RunLimits, StopARunAndKeepItsLaunches) {
  for (const bool functional : {true, false}) {
    const results::RunOutcome whole = run_limited(functional, {});
    ASSERT_EQ(whole.status, results::Status::passed) << whole.detail;
    ASSERT_GT(whole.kernels.size(), 3u);
    const std::uint64_t some = whole.kernels[0].warp_instructions + whole.kernels[1].warp_instructions;
    const results::RunOutcome outcome = run_limited(functional, {some, 0});
    EXPECT_EQ(outcome.status, results::Status::interrupted);
    EXPECT_NE(outcome.detail.find("--limit-instructions"), std::string::npos) << outcome.detail;
    EXPECT_GE(outcome.kernels.size(), 2u);
    EXPECT_LT(outcome.kernels.size(), whole.kernels.size());
  }
}

TEST(RunLimits, OfTimeStopARun) {
  const results::RunOutcome outcome = run_limited(false, {0, 1e-6});
  EXPECT_EQ(outcome.status, results::Status::interrupted);
  EXPECT_NE(outcome.detail.find("--limit-seconds"), std::string::npos) << outcome.detail;
}

TEST(RunLimits, ReachAProgramThatIsExecuted) {
  session::ExecOptions options;
  options.machine.limits = {12345, 6.5};
  const session::ExecOptions read = session::read_exec_options(session::write_exec_options(options));
  EXPECT_EQ(read.machine.limits.warp_instructions, 12345u);
  EXPECT_EQ(read.machine.limits.host_seconds, 6.5);
}

}  // namespace
}  // namespace heddle::cli
