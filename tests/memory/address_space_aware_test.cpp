// MASK's DRAM scheduler and the one by applications: who is served before whom, and for how long nobody waits.
#include <gtest/gtest.h>

#include "dram_harness.h"
#include "memory/scheduler/silver_turns.h"

namespace heddle::memory {
namespace {

constexpr std::uint16_t kFirst = 0;
constexpr std::uint16_t kSecond = 1;

class AddressSpaceAware : public testing::Test {
 protected:
  AddressSpaceAware() {
    p_.text("scheduler", "address-space-aware");
    p_.number("read_queue", 272);
  }
  void make(unsigned applications = 2, SharingBoard* board = nullptr) {
    dram_ = std::make_unique<DramHarness>(p_, DramSchedulerSetup{applications, board});
  }
  [[nodiscard]] DramRequest request(std::uint16_t application, std::uint32_t row, unsigned bank,
                                    Traffic traffic = Traffic::data, std::uint32_t column = 0) const {
    DramRequest made;
    made.address = dram_->address(row, bank, column);
    made.application = application;
    made.traffic = traffic;
    made.level = traffic == Traffic::walk ? 1 : 0;
    return made;
  }
  [[nodiscard]] std::uint64_t count(const std::string& name) const {
    return dram_->counter("address_space_aware." + name);
  }
  void own(const char* name, std::int64_t value) {
    p_.set(std::string("address_space_aware.") + name, sim::ParameterValue(value));
  }
  void own_text(const char* name, const char* value) {
    p_.set(std::string("address_space_aware.") + name, sim::ParameterValue(std::string(value)));
  }

  TestParameters p_;
  std::unique_ptr<DramHarness> dram_;
};

TEST_F(AddressSpaceAware, ServesAPageTableEntryBeforeDataThatCameEarlier) {
  make(1);
  std::vector<std::uint32_t> data;
  for (std::uint32_t row = 0; row < 6; ++row) data.push_back(dram_->send(request(kFirst, row, 0)));
  const std::uint32_t walk = dram_->send(request(kFirst, 9, 0, Traffic::walk));
  dram_->drain();
  // The first row may have been opened already.
  for (std::size_t i = 1; i < data.size(); ++i) EXPECT_LT(dram_->done_at.at(walk), dram_->done_at.at(data[i]));
  EXPECT_EQ(count("golden"), 1u);
  EXPECT_EQ(dram_->counter("walk_reads"), 1u);
  EXPECT_EQ(dram_->counter("walk_latency_sum"), dram_->done_at.at(walk) - dram_->sent_at.at(walk));
}

TEST_F(AddressSpaceAware, ServesPageTableEntriesInTheOrderOfArrivalThoughALaterOneHitsARow) {
  for (const char* order : {"fifo", "row-hits-first"}) {
    own_text("golden_order", order);
    make(1);
    dram_->send(request(kFirst, 1, 0));
    dram_->run_until(100);
    const std::uint32_t other_row = dram_->send(request(kFirst, 2, 0, Traffic::walk));
    const std::uint32_t hit = dram_->send(request(kFirst, 1, 0, Traffic::walk, 1));
    dram_->drain();
    EXPECT_EQ(dram_->done_at.at(other_row) < dram_->done_at.at(hit), std::string(order) == "fifo") << order;
  }
}

TEST_F(AddressSpaceAware, KeepsTheOrderOfPageTableEntriesOverBanks) {
  make(1);
  // The bank of the first is busy, that of the second is free.
  dram_->send(request(kFirst, 1, 0));
  dram_->run_until(20);
  const std::uint32_t first = dram_->send(request(kFirst, 2, 0, Traffic::walk));
  const std::uint32_t second = dram_->send(request(kFirst, 3, 1, Traffic::walk));
  dram_->drain();
  EXPECT_LT(dram_->done_at.at(first), dram_->done_at.at(second));
}

TEST_F(AddressSpaceAware, ServesTheApplicationWhoseTurnItIsBeforeOlderRequestsOfOthers) {
  make();
  std::vector<std::uint32_t> others;
  for (std::uint32_t row = 0; row < 6; ++row) others.push_back(dram_->send(request(kSecond, row, 0)));
  const std::uint32_t own = dram_->send(request(kFirst, 9, 0));
  dram_->drain();
  for (std::size_t i = 1; i < others.size(); ++i) EXPECT_LT(dram_->done_at.at(own), dram_->done_at.at(others[i]));
  EXPECT_EQ(count("silver"), 1u);
  EXPECT_EQ(count("normal"), 6u);
}

TEST_F(AddressSpaceAware, PassesTheTurnOnWhenItIsUsedUp) {
  own("turn", 4);
  make();
  // Two each: two of the first are silver, then it is the second's turn.
  for (int i = 0; i < 3; ++i) dram_->send(request(kFirst, 1, 0, Traffic::data, static_cast<std::uint32_t>(i)));
  EXPECT_EQ(count("silver"), 2u);
  EXPECT_EQ(count("turns"), 1u);
  dram_->send(request(kSecond, 1, 1));
  EXPECT_EQ(count("silver"), 3u);
  EXPECT_EQ(count("normal"), 1u);
  dram_->drain();
}

TEST_F(AddressSpaceAware, TakesPageTableEntriesAndDataWhenTheOtherQueueIsFull) {
  own("golden_queue", 2);
  own("silver_queue", 1);
  own("normal_queue", 1);
  make(1);
  dram_->send(request(kFirst, 1, 0, Traffic::walk));
  dram_->send(request(kFirst, 1, 0, Traffic::walk, 1));
  EXPECT_FALSE(dram_->channel.can_accept(request(kFirst, 1, 0, Traffic::walk)));
  EXPECT_TRUE(dram_->channel.can_accept(request(kFirst, 1, 1)));
  dram_->send(request(kFirst, 1, 1));
  dram_->send(request(kFirst, 2, 1));
  EXPECT_EQ(count("silver_full"), 1u);
  EXPECT_FALSE(dram_->channel.can_accept(request(kFirst, 3, 1)));
  dram_->drain();
  EXPECT_TRUE(dram_->channel.can_accept(request(kFirst, 1, 0, Traffic::walk)));
}

TEST_F(AddressSpaceAware, WithoutASilverQueueAllDataAreServedAlike) {
  own("silver_queue", 0);
  own("normal_queue", 256);
  make();
  const std::uint32_t older = dram_->send(request(kSecond, 1, 0));
  const std::uint32_t newer = dram_->send(request(kFirst, 2, 0));
  dram_->drain();
  EXPECT_LT(dram_->done_at.at(older), dram_->done_at.at(newer));
  EXPECT_EQ(count("silver"), 0u);
}

/// The other application's requests wait behind page-table entries and the first's data that never end.
std::uint64_t wait_under_pressure(DramHarness& dram, const std::function<DramRequest(std::uint32_t)>& pressure,
                                  const DramRequest& waiting, std::uint64_t until) {
  std::uint32_t sent = 0;
  for (int i = 0; i < 8; ++i) dram.send(pressure(sent++));
  const std::uint32_t token = dram.send(waiting);
  while (dram.now < until && !dram.done_at.contains(token)) {
    dram.run_until(dram.now + 1);
    while (dram.channel.can_accept(pressure(sent)) && dram.sent - dram.done_at.size() < 12) dram.send(pressure(sent++));
  }
  return dram.done_at.contains(token) ? dram.done_at.at(token) - dram.sent_at.at(token) : until;
}

TEST_F(AddressSpaceAware, NobodyWaitsMuchLongerThanItsPatience) {
  for (const Traffic traffic : {Traffic::walk, Traffic::data}) {
    for (const std::int64_t patience : {0, 3000}) {
      own("patience", patience);
      own("turn", 65536);
      make();
      const auto pressure = [&](std::uint32_t i) { return request(kFirst, 1 + i / 16, 0, traffic, i % 16); };
      const std::uint64_t waited = wait_under_pressure(*dram_, pressure, request(kSecond, 200000, 0), 60000);
      if (patience == 0) {
        EXPECT_EQ(waited, 60000u) << "the test puts on no pressure";
      } else {
        // Its own row must be opened, and what is on its way before it ends.
        EXPECT_LT(waited, static_cast<std::uint64_t>(patience) + 500);
        EXPECT_GE(count("impatient"), 1u);
      }
    }
  }
}

TEST(SilverTurns, DivideTheTurnByWalksTimesStalledWarps) {
  SharingBoard board({.sms = 1, .slices = 1, .applications = 2}, 1000);
  board.use();
  SilverTurns turns({2, &board}, 500);
  EXPECT_EQ(turns.quota(0), 250u);
  // Six walks that stall five warps each, and two walks that stall ten: 30 to 20.
  for (int i = 0; i < 6; ++i) board.walk_begins(0);
  for (int i = 0; i < 2; ++i) board.walk_begins(1);
  board.stalled(0, 0, 5);
  board.stalled(0, 1, 10);
  board.publish(1000, 3);
  EXPECT_TRUE(turns.update()) << "the turn goes on when an epoch ends";
  EXPECT_EQ(turns.quota(0), 300u);
  EXPECT_EQ(turns.quota(1), 200u);
  EXPECT_EQ(turns.holder(), 1u);
  // The holder has nothing to run.
  board.publish(1001, 1);
  EXPECT_TRUE(turns.update());
  EXPECT_EQ(turns.holder(), 0u);
}

TEST(SilverTurns, AnApplicationWithoutWalksStillHasItsTurn) {
  SharingBoard board({.sms = 1, .slices = 1, .applications = 2}, 1000);
  board.use();
  SilverTurns turns({2, &board}, 500);
  board.walk_begins(0);
  board.stalled(0, 0, 5);
  board.publish(1000, 3);
  EXPECT_TRUE(turns.update());
  EXPECT_EQ(turns.quota(0), 500u);
  EXPECT_EQ(turns.quota(1), 1u);
}

TEST(LeastServed, PrefersTheApplicationThatHadLess) {
  TestParameters p;
  p.text("scheduler", "least-served");
  DramHarness dram(p, {2, nullptr});
  const auto to = [&](std::uint16_t application, std::uint32_t row) {
    DramRequest request;
    request.address = dram.address(row, 0);
    request.application = application;
    return request;
  };
  for (std::uint32_t row = 0; row < 4; ++row) dram.send(to(kFirst, row));
  dram.drain();
  const std::uint32_t older = dram.send(to(kFirst, 10));
  const std::uint32_t of_first = dram.send(to(kFirst, 11));
  const std::uint32_t of_second = dram.send(to(kSecond, 12));
  dram.drain();
  EXPECT_LT(dram.done_at.at(of_second), dram.done_at.at(of_first));
  EXPECT_LT(dram.done_at.at(of_second), std::max(dram.done_at.at(older), dram.done_at.at(of_first)));
}

}  // namespace
}  // namespace heddle::memory
