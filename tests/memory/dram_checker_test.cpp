// The checker accepts what the rules allow and names the rule that is broken one cycle earlier.
#include "memory/dram_checker.h"

#include "dram_harness.h"

namespace heddle::memory {

namespace {

struct Step {
  DramIssue issue;
  std::uint64_t after;  ///< cycles after the step before
};

/// The rule that the last step breaks when it comes `early` cycles too soon; empty if none.
std::string judge(const DramParameters& p, const std::vector<Step>& steps, unsigned early) {
  DramChecker checker(p, "dram");
  std::uint64_t now = 100;
  try {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      now += steps[i].after;
      if (i + 1 == steps.size()) now -= early;
      checker.see(steps[i].issue, DramCycle(now));
    }
  } catch (const InvariantError& error) {
    return error.what();
  }
  return "";
}

void expect_exact(const DramParameters& p, const char* rule, const std::vector<Step>& steps) {
  EXPECT_EQ(judge(p, steps, 0), "") << rule;
  EXPECT_NE(judge(p, steps, 1).find(rule), std::string::npos) << rule << ": " << judge(p, steps, 1);
}

DramIssue activate(unsigned bank, std::uint32_t row = 1) { return {DramCommand::activate, false, bank, row}; }
DramIssue precharge(unsigned bank) { return {DramCommand::precharge, false, bank, 0}; }
DramIssue read(unsigned bank, bool close = false) { return {DramCommand::read, close, bank, 1}; }
DramIssue write(unsigned bank, bool close = false) { return {DramCommand::write, close, bank, 1}; }

}  // namespace

TEST(DramChecker, every_distance_is_allowed_exactly_and_refused_one_cycle_earlier) {
  TestParameters p;  // four groups of four banks
  p.number("tCCD_S", 4);
  p.number("tCCD_L", 6);
  p.number("tRRD_S", 9);
  p.number("tRRD_L", 12);
  p.number("tFAW", 60);
  p.number("tWTR_L", 11);
  p.number("tRC", 70);
  p.number("tPPD", 3);
  const unsigned write_end = p.tCWL + p.burst_cycles;
  expect_exact(p, "tRCD_read", {{activate(0), 0}, {read(0), p.tRCD_read}});
  expect_exact(p, "tRCD_write", {{activate(0), 0}, {write(0), p.tRCD_write}});
  expect_exact(p, "tRAS", {{activate(0), 0}, {precharge(0), p.tRAS}});
  expect_exact(p, "tRC", {{activate(0), 0}, {precharge(0), p.tRAS}, {activate(0), p.tRC - p.tRAS}});
  expect_exact(p, "tRP", {{activate(0), 0}, {precharge(0), 200}, {activate(0), p.tRP}});
  expect_exact(p, "tRTP", {{activate(0), 0}, {read(0), 100}, {precharge(0), p.tRTP}});
  expect_exact(p, "tWR", {{activate(0), 0}, {write(0), 100}, {precharge(0), write_end + p.tWR}});
  expect_exact(p, "tPPD", {{activate(0), 0}, {activate(4), 12}, {precharge(0), 200}, {precharge(4), p.tPPD}});
  expect_exact(p, "tRRD_S", {{activate(0), 0}, {activate(4), p.tRRD_S}});
  expect_exact(p, "tRRD_L", {{activate(0), 0}, {activate(1), p.tRRD_L}});
  expect_exact(
      p, "tFAW",
      {{activate(0), 0}, {activate(4), 12}, {activate(8), 12}, {activate(12), 12}, {activate(1), p.tFAW - 36}});
  expect_exact(p, "tCCD_L", {{activate(0), 0}, {read(0), 100}, {read(0), p.tCCD_L}});
  expect_exact(p, "tCCD_S", {{activate(0), 0}, {activate(4), 12}, {write(0), 100}, {write(4), p.tCCD_S}});
  expect_exact(p, "tWTR_L", {{activate(0), 0}, {write(0), 100}, {read(0), write_end + p.tWTR_L}});
  expect_exact(p, "tWTR_S", {{activate(0), 0}, {activate(4), 12}, {write(0), 100}, {read(4), write_end + p.tWTR_S}});
  expect_exact(p, "meets a burst",
               {{activate(0), 0}, {read(0), 100}, {write(0), p.tCL + p.burst_cycles + p.tRTRS - p.tCWL}});
  expect_exact(p, "tRFC", {{{DramCommand::refresh, false, 0, 0}, 0}, {activate(0), p.tRFC}});
  expect_exact(p, "tRP", {{activate(0), 0}, {read(0, true), 100}, {activate(0), p.tRTP + p.tRP}});
  expect_exact(p, "tRP", {{activate(0), 0}, {write(0, true), 100}, {activate(0), write_end + p.tWR + p.tRP}});
}

TEST(DramChecker, commands_that_do_not_fit_the_state_of_a_bank_are_refused) {
  TestParameters p;
  EXPECT_NE(judge(p, {{read(0), 0}}, 0), "");
  EXPECT_NE(judge(p, {{activate(0, 2), 0}, {read(0), 100}}, 0), "");
  EXPECT_NE(judge(p, {{activate(0), 0}, {activate(0), 1000}}, 0), "");
  EXPECT_NE(judge(p, {{precharge(0), 0}}, 0), "");
  EXPECT_NE(judge(p, {{activate(0), 0}, {{DramCommand::refresh, false, 0, 0}, 1000}}, 0), "");
  EXPECT_NE(judge(p, {{activate(0), 0}, {activate(4), 0}}, 0).find("two commands in one cycle"), std::string::npos);
}

TEST(DramChecker, a_rank_that_is_not_refreshed_in_time_is_refused) {
  TestParameters p;
  p.number("tREFI", 4000);
  EXPECT_EQ(judge(p, {{activate(0), 9 * 4000 - 100}}, 0), "");
  EXPECT_NE(judge(p, {{activate(0), 9 * 4000 - 99}}, 0).find("tREFI"), std::string::npos);
}

}  // namespace heddle::memory
