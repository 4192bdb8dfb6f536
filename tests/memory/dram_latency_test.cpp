// What single requests cost, against the sums a timing diagram gives.
#include "dram_harness.h"

namespace heddle::memory {

TEST(DramLatency, a_read_of_an_idle_closed_bank_costs_activate_column_and_burst) {
  TestParameters p;
  DramHarness dram(p);
  EXPECT_EQ(dram.read_latency(dram.address(5, 2)), p.tRCD_read + p.tCL + p.burst_cycles);
}

TEST(DramLatency, a_row_hit_costs_column_and_burst) {
  TestParameters p;
  DramHarness dram(p);
  dram.read_latency(dram.address(5, 2, 0));
  dram.now += 1000;
  EXPECT_EQ(dram.read_latency(dram.address(5, 2, 1)), p.tCL + p.burst_cycles);
  EXPECT_EQ(dram.counter("row_hits"), 1u);
}

TEST(DramLatency, a_row_conflict_costs_precharge_activate_column_and_burst) {
  TestParameters p;
  DramHarness dram(p);
  dram.read_latency(dram.address(5, 2));
  dram.now += 1000;
  EXPECT_EQ(dram.read_latency(dram.address(6, 2)), p.tRP + p.tRCD_read + p.tCL + p.burst_cycles);
  EXPECT_EQ(dram.counter("row_conflicts"), 1u);
  EXPECT_EQ(dram.counter("row_misses"), 1u);
}

TEST(DramLatency, a_conflict_at_once_waits_for_the_row_to_have_been_open_long_enough) {
  TestParameters p;
  DramHarness dram(p);
  dram.send(dram.address(5, 2));
  dram.send(dram.address(6, 2));
  const std::uint64_t second_activate =
      std::max<std::uint64_t>(p.tRC, std::max<std::uint64_t>(p.tRAS, p.tRCD_read + p.tRTP) + p.tRP);
  EXPECT_EQ(dram.drain(), second_activate + p.tRCD_read + p.tCL + p.burst_cycles);
}

TEST(DramLatency, with_the_closed_policy_every_read_finds_its_bank_closed) {
  TestParameters p;
  p.text("row_policy", "closed");
  DramHarness dram(p);
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(dram.read_latency(dram.address(5 + i / 2, 2, i)), p.tRCD_read + p.tCL + p.burst_cycles);
    dram.now += 1000;
  }
  EXPECT_EQ(dram.counter("row_misses"), 4u);
}

TEST(DramLatency, with_the_adaptive_policy_a_row_stays_open_while_a_request_wants_it) {
  TestParameters p;
  p.text("row_policy", "adaptive");
  DramHarness dram(p);
  for (std::uint32_t i = 0; i < 3; ++i) dram.send(dram.address(5, 2, i));
  dram.drain();
  EXPECT_EQ(dram.counter("row_hits"), 2u);
  EXPECT_EQ(dram.counter("precharges"), 1u);
}

TEST(DramLatency, a_write_is_done_the_cycle_after_it_is_taken) {
  TestParameters p;
  DramHarness dram(p);
  dram.send(dram.address(5, 2), true);
  dram.drain();
  EXPECT_EQ(dram.done_at.at(0), 1u);
  EXPECT_EQ(dram.counter("writes"), 1u);
}

TEST(DramLatency, a_read_after_a_write_waits_for_the_data_and_the_turn_of_the_bus) {
  for (const bool same_group : {true, false}) {
    TestParameters p;
    p.number("tWTR_L", 11);
    DramHarness dram(p);
    // Both rows are open and the channel idle.
    dram.read_latency(dram.address(5, 0, 0, 0));
    dram.read_latency(dram.address(5, 1, 0, same_group ? 0 : 1));
    dram.run_until(1000);
    dram.send(dram.address(5, 0, 1, 0), true);
    dram.run_until(1001);  // the write command goes out in cycle 1000
    const std::uint32_t read = dram.send(dram.address(5, 1, 1, same_group ? 0 : 1));
    dram.drain();
    const std::uint64_t turn = p.tCWL + p.burst_cycles + (same_group ? p.tWTR_L : p.tWTR_S);
    EXPECT_EQ(dram.done_at.at(read), 1000 + turn + p.tCL + p.burst_cycles);
  }
}

TEST(DramLatency, a_read_of_a_queued_write_is_answered_from_the_queue) {
  TestParameters p;
  DramHarness dram(p);
  for (unsigned i = 0; i < 4; ++i) dram.send(dram.address(i, 0), true);
  const std::uint32_t read = dram.send(dram.address(3, 0));
  dram.drain();
  EXPECT_EQ(dram.done_at.at(read), 1u);
  EXPECT_EQ(dram.counter("forwarded"), 1u);
  EXPECT_EQ(dram.counter("reads"), 0u);
}

TEST(DramLatency, queues_per_bank_add_the_cycle_in_which_a_request_moves) {
  TestParameters p;
  p.number("bank_queue", 8);
  DramHarness dram(p);
  EXPECT_EQ(dram.read_latency(dram.address(5, 2)), 1 + p.tRCD_read + p.tCL + p.burst_cycles);
}

TEST(DramLatency, a_read_that_meets_a_refresh_waits_until_it_is_over) {
  TestParameters p;
  p.number("tREFI", 4000);
  DramHarness dram(p);
  dram.run_until(4010);  // idle; the refresh went out in cycle 4000
  EXPECT_EQ(dram.read_latency(dram.address(5, 2)), 4000 + p.tRFC - 4010 + p.tRCD_read + p.tCL + p.burst_cycles);
  EXPECT_EQ(dram.counter("refreshes"), 1u);
}

TEST(DramLatency, a_refresh_closes_open_rows_first) {
  TestParameters p;
  p.number("tREFI", 4000);
  DramHarness dram(p);
  dram.run_until(3999);
  dram.send(dram.address(5, 2));  // activated in cycle 3999
  dram.send(dram.address(5, 2, 1));
  dram.drain();
  // The refresh is due before the reads can go; it waits for tRAS and tRP, they wait for it.
  const std::uint64_t refresh = 3999 + p.tRAS + p.tRP;
  EXPECT_EQ(dram.done_at.at(0), refresh + p.tRFC + p.tRCD_read + p.tCL + p.burst_cycles);
}

TEST(DramLatency, refreshes_of_idle_time_are_counted_when_work_comes_back) {
  TestParameters p;
  p.number("tREFI", 4000);
  DramHarness dram(p);
  dram.read_latency(dram.address(5, 2));
  EXPECT_EQ(dram.channel.next_event(DramCycle(dram.now)), kNeverDram);
  dram.now = 4'000'000'500;
  EXPECT_EQ(dram.read_latency(dram.address(5, 2)), p.tRCD_read + p.tCL + p.burst_cycles);
  EXPECT_EQ(dram.counter("refreshes"), 1'000'000u);
}

TEST(DramLatency, a_refresh_of_one_bank_delays_that_bank_and_no_other) {
  const auto latency_in = [](unsigned bank) {
    TestParameters p;
    p.number("tREFI", 4000);
    p.number("tRFC_bank", 60);
    DramHarness dram(p);
    dram.run_until(260);  // idle; of 16 banks the first is refreshed after 250 cycles, each 250 after the one before
    return dram.read_latency(dram.address(5, bank));
  };
  const TestParameters p;
  const std::uint64_t alone = p.tRCD_read + p.tCL + p.burst_cycles;
  EXPECT_EQ(latency_in(0), 250 + 60 - 260 + alone);
  EXPECT_EQ(latency_in(1), alone);
}

}  // namespace heddle::memory
