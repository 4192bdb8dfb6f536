// Random traffic on random controllers: no timing rule is ever broken, every request is answered once, and it makes no
// difference whether idle cycles are ticked or skipped.
#include <random>

#include "dram_harness.h"

namespace heddle::memory {

namespace {

struct RandomParameters : TestParameters {
  explicit RandomParameters(std::mt19937& random) {
    const auto pick = [&](std::int64_t least, std::int64_t most) {
      return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
    };
    const auto choose = [&](std::initializer_list<const char*> names) {
      return std::string(*(names.begin() + pick(0, static_cast<std::int64_t>(names.size()) - 1)));
    };
    number("ranks", std::int64_t{1} << pick(0, 1));
    number("bank_groups", std::int64_t{1} << pick(0, 2));
    number("banks_per_group", std::int64_t{1} << pick(0, 2));
    number("burst_cycles", pick(1, 4));
    number("tCL", pick(5, 30));
    number("tCWL", pick(1, 20));
    number("tRCD_read", pick(5, 30));
    number("tRCD_write", pick(5, 30));
    number("tRP", pick(5, 30));
    const std::int64_t ras = pick(10, 60);
    number("tRAS", ras);
    number("tRC", ras + pick(0, 30));
    const std::int64_t ccd = pick(1, 4), rrd = pick(1, 8), wtr = pick(1, 8);
    number("tCCD_S", ccd);
    number("tCCD_L", ccd + pick(0, 4));
    number("tRRD_S", rrd);
    number("tRRD_L", rrd + pick(0, 4));
    number("tWTR_S", wtr);
    number("tWTR_L", wtr + pick(0, 4));
    number("tFAW", pick(0, 1) * pick(10, 60));
    number("t32AW", pick(0, 1) * pick(100, 500));
    number("tWR", pick(1, 20));
    number("tRTP", pick(1, 12));
    number("tRTRS", pick(0, 3));
    number("tPPD", pick(1, 5));
    number("tRFC", pick(20, 200));
    number("tREFI", pick(0, 3) == 0 ? 0 : pick(800, 3000));
    number("read_queue", pick(1, 48));
    const std::int64_t writes = pick(2, 48);
    number("write_queue", writes);
    const std::int64_t high = pick(2, writes);
    number("drain_high", high);
    number("drain_low", pick(0, high - 1));
    number("drain_idle", 1);
    number("bank_queue", pick(0, 1) * pick(1, 8));
    number("fr_fcfs.row_hit_limit", pick(0, 4));
    text("scheduler", choose({"fr-fcfs", "fr-fcfs", "fcfs"}));
    text("row_policy", choose({"open", "closed", "adaptive"}));
    text("mapping", choose({"row:rank:bank:bankgroup:column", "row:column:rank:bank:bankgroup",
                            "row:rank:bank:column:bankgroup:column1"}));
    set("bank_hash", pick(0, 1) == 1);
    set("split_command_bus", pick(0, 1) == 1);
  }
};

struct Outcome {
  std::map<std::uint32_t, std::uint64_t> done_at;
  std::map<std::string, std::uint64_t> counters;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

/// Bursts of traffic with idle time between; skips to the next event if asked to.
Outcome drive(const DramParameters& p, std::uint32_t seed, bool skip) {
  std::mt19937 random(seed);
  DramHarness dram(p);
  const std::uint64_t span = random() % 2 == 0 ? 64 : 1 << 20;
  const std::uint64_t writes_in_16 = random() % 17;
  std::uint64_t next_send = random() % 2000;
  while (dram.sent < 600) {
    if (skip) {
      dram.now = std::max(dram.now, std::min(dram.channel.next_event(DramCycle(dram.now)).count(), next_send));
    }
    if (dram.now >= next_send) {
      const bool write = random() % 16 < writes_in_16;
      const std::uint64_t to = random() % span * p.burst_bytes();
      while (!dram.channel.can_accept(write)) dram.run_until(dram.now + 1);
      dram.send(to, write);
      next_send = dram.now + (random() % 64 == 0 ? random() % 6000 : random() % 4);
    }
    if (dram.now < next_send) dram.run_until(dram.now + 1);
  }
  dram.drain();
  Outcome outcome{dram.done_at, sim::totals(dram.root)};
  EXPECT_EQ(dram.done_at.size(), dram.sent) << "a request was lost";
  EXPECT_EQ(outcome.counters.at("root.dram.reads") + outcome.counters.at("root.dram.forwarded") +
                outcome.counters.at("root.dram.writes"),
            dram.sent);
  return outcome;
}

}  // namespace

TEST(DramProperty, random_traffic_never_breaks_a_rule_and_every_request_is_answered_once) {
  std::mt19937 random(7);
  for (std::uint32_t round = 0; round < 400; ++round) {
    const RandomParameters p(random);
    SCOPED_TRACE("round " + std::to_string(round));
    ASSERT_NO_THROW({
      const Outcome ticked = drive(p, round, false);
      const Outcome skipped = drive(p, round, true);
      EXPECT_EQ(ticked, skipped);
    });
    if (HasFailure()) break;
  }
}

}  // namespace heddle::memory
