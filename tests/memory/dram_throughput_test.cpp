// What many requests reach, against the bound that one timing rule sets.
#include <random>

#include "dram_harness.h"

namespace heddle::memory {

namespace {

/// Offers requests as fast as the queue takes them; the cycle after `count` are answered.
template <typename Next>
std::uint64_t stream(DramHarness& dram, unsigned count, Next&& next, bool write = false) {
  while (dram.done_at.size() < count) {
    while (dram.sent < count && dram.channel.can_accept(write)) dram.send(next(dram.sent), write);
    dram.run_until(dram.now + 1);
  }
  return dram.now;
}

}  // namespace

TEST(DramThroughput, row_hits_over_bank_groups_keep_the_data_bus_busy) {
  TestParameters p;
  p.text("mapping", "row:rank:bank:column:bankgroup");
  DramHarness dram(p);
  const unsigned count = 20000;
  const std::uint64_t end = stream(dram, count, [&](unsigned i) { return std::uint64_t{i} * p.burst_bytes(); });
  const double busy = static_cast<double>(count) * p.burst_cycles / static_cast<double>(end);
  EXPECT_GT(busy, 0.99);
}

TEST(DramThroughput, refresh_costs_its_share_of_the_peak) {
  TestParameters p;
  p.number("tREFI", 4000);
  p.number("tRFC", 400);
  DramHarness dram(p);
  const unsigned count = 60000;
  const std::uint64_t end = stream(dram, count, [&](unsigned i) { return std::uint64_t{i} * p.burst_bytes(); });
  const double busy = static_cast<double>(count) * p.burst_cycles / static_cast<double>(end);
  const unsigned lost = p.tRFC + p.tRP + p.tRCD_read + p.tRTP;
  EXPECT_LT(busy, 1.0 - 400.0 / 4000);
  EXPECT_GT(busy, 1.0 - static_cast<double>(lost + 40) / 4000);
  EXPECT_EQ(dram.counter("refreshes"), (end - 1) / 4000);
}

TEST(DramThroughput, row_hits_in_one_bank_group_come_every_tCCD_L) {
  TestParameters p;
  p.number("tCCD_L", 5);
  DramHarness dram(p);
  const unsigned count = 1000;
  const unsigned columns = p.row_bytes / p.burst_bytes();
  const std::uint64_t end = stream(dram, count, [&](unsigned i) { return dram.address(0, 0, i % columns); });
  EXPECT_EQ(end - 1, p.tRCD_read + (count - 1) * p.tCCD_L + p.tCL + p.burst_cycles);
}

TEST(DramThroughput, row_conflicts_in_one_bank_come_every_tRC) {
  TestParameters p;
  DramHarness dram(p);
  const unsigned count = 200;
  const std::uint64_t end = stream(dram, count, [&](unsigned i) { return dram.address(i, 0); });
  EXPECT_EQ(end - 1, (count - 1) * p.tRC + p.tRCD_read + p.tCL + p.burst_cycles);
}

TEST(DramThroughput, four_activates_per_tFAW_and_no_more) {
  TestParameters p;
  p.number("tFAW", 80);
  p.set("split_command_bus", true);  // else a read now and then takes the cycle of an activate
  DramHarness dram(p);
  const unsigned count = 4000;
  // Banks in turn, always a new row: 16 banks x tRC is more than four times tFAW, so only tFAW binds.
  const std::uint64_t end = stream(dram, count, [&](unsigned i) { return dram.address(i / 16, i / 4 % 4, 0, i % 4); });
  const std::uint64_t first = p.tRRD_S;
  EXPECT_EQ(end - 1, (count / 4 - 1) * p.tFAW + 3 * first + p.tRCD_read + p.tCL + p.burst_cycles);
}

TEST(DramThroughput, thirty_two_activates_per_t32AW_and_no_more) {
  TestParameters p;
  p.number("tFAW", 0);
  p.number("t32AW", 800);
  DramHarness dram(p);
  const unsigned count = 3200;
  const std::uint64_t end = stream(dram, count, [&](unsigned i) { return dram.address(i / 16, i / 4 % 4, 0, i % 4); });
  EXPECT_NEAR(static_cast<double>(end), count / 32 * 800.0, 800);
}

TEST(DramThroughput, the_queues_take_exactly_what_they_hold) {
  TestParameters p;
  p.number("read_queue", 7);
  p.number("write_queue", 5);
  p.number("drain_high", 5);
  p.number("drain_low", 1);
  DramHarness dram(p);
  for (unsigned i = 0; i < 7; ++i) {
    ASSERT_TRUE(dram.channel.can_accept(false));
    dram.send(dram.address(i, 0));
  }
  EXPECT_FALSE(dram.channel.can_accept(false));
  for (unsigned i = 0; i < 5; ++i) {
    ASSERT_TRUE(dram.channel.can_accept(true));
    dram.send(dram.address(100 + i, 0), true);
  }
  EXPECT_FALSE(dram.channel.can_accept(true));
  EXPECT_THROW(dram.send(dram.address(50, 1), false), InvariantError);
  // However often it is asked for room: it became full once for reads, once for writes.
  EXPECT_FALSE(dram.channel.can_accept(true));
  EXPECT_EQ(dram.counter("queue_full"), 2u);
}

TEST(DramThroughput, writes_wait_while_there_are_reads_until_the_high_watermark) {
  TestParameters p;
  p.number("write_queue", 16);
  p.number("drain_high", 8);
  p.number("drain_low", 2);
  DramHarness dram(p);
  dram.send(dram.address(0, 0));  // a read waits, so writes do not start by themselves
  for (unsigned i = 0; i < 7; ++i) dram.send(dram.address(1, 1, i), true);
  dram.run_until(1);
  EXPECT_EQ(dram.counter("drains"), 0u);
  dram.send(dram.address(1, 1, 7), true);
  EXPECT_EQ(dram.counter("drains"), 1u);
  dram.drain();
  EXPECT_EQ(dram.counter("writes"), 8u);
  EXPECT_EQ(dram.counter("reads"), 1u);
}

TEST(DramThroughput, fr_fcfs_serves_hits_first_and_fcfs_in_order) {
  const auto last_of = [](const char* scheduler) {
    TestParameters p;
    p.text("scheduler", scheduler);
    DramHarness dram(p);
    for (unsigned i = 0; i < 32; ++i) dram.send(dram.address(i % 2, 0, i / 2));
    dram.drain();
    return dram.counter("activates");
  };
  EXPECT_EQ(last_of("fr-fcfs"), 2u);
  EXPECT_EQ(last_of("fcfs"), 32u);
}

TEST(DramThroughput, the_row_hit_limit_bounds_the_wait_for_another_row) {
  TestParameters p;
  p.number("fr_fcfs.row_hit_limit", 4);
  DramHarness dram(p);
  for (unsigned i = 0; i < 32; ++i) dram.send(dram.address(i % 2, 0, i / 2));
  dram.drain();
  EXPECT_EQ(dram.counter("activates"), 8u);
}

}  // namespace heddle::memory
