// The L1 by itself: what becomes of an access, what is sent, and what is waited for.
#include "core/l1_cache.h"

#include <gtest/gtest.h>

#include "core/request_names.h"

namespace heddle::core {
namespace {

constexpr std::uint32_t kWholeLine = 0xf;

/// An L1 of eight lines in one set, before a network that takes what the queue holds and gives nothing back by itself.
class L1 : public testing::Test {
 protected:
  L1() {
    set("kib", "1");
    set("line_bytes", "128");
    set("ways", "8");
    network_parameters_.set_text("queue", "64");
    network_parameters_.set_text("credits", "256");
    map_parameters_.set_text("partitions", "1");
  }
  void set(const std::string& key, const std::string& value) { parameters_.set_text("l1." + key, value); }
  void build() {
    network_ = std::make_unique<memory::Network>(network_parameters_, exchange_, memory::Network::Size{1, 1});
    map_ = std::make_unique<memory::AddressMap>(map_parameters_);
    port_ = std::make_unique<memory::NetworkPort>(*network_, *map_, std::uint16_t{0});
    l1_ = std::make_unique<L1Cache>(parameters_.l1, statistics_, *port_);
  }
  static L1Access access(std::uint64_t line, std::uint32_t sectors = kWholeLine) {
    L1Access a;
    a.line = memory::LineTag(memory::PhysLine{line * 128});
    a.sectors = sectors;
    a.bytes = 128;
    return a;
  }
  /// Everything sent since the last call.
  std::vector<memory::Request> sent() {
    while (!port_->empty()) port_->send(now_ += 100, statistics_.bytes_out);
    std::vector<memory::Request> all;
    exchange_.turn_over();
    network_->requests(0).collect(all);
    return all;
  }
  /// Answers all loads that were sent.
  std::vector<std::uint32_t> answer() {
    std::vector<std::uint32_t> woken;
    for (const memory::Request& request : sent()) {
      if (name_of(request.id) == RequestName::writeback) {
        l1_->written_back();
      } else if (name_of(request.id) == RequestName::miss) {
        EXPECT_TRUE(l1_->can_fill(index_of(request.id), now_));
        memory::Response response;
        response.sectors = request.sectors;
        l1_->fill(index_of(request.id), response, now_, [&](std::uint32_t waiter) { woken.push_back(waiter); });
      }
    }
    return woken;
  }
  void bring(std::uint64_t line) {
    ASSERT_EQ(l1_->load(access(line)), L1Result::sent);
    answer();
    ASSERT_EQ(l1_->load(access(line)), L1Result::hit);
  }

  SmParameters parameters_;
  memory::NetworkParameters network_parameters_;
  sim::Exchange exchange_{1};
  memory::AddressMapParameters map_parameters_;
  sim::StatisticGroup root_{"root"};
  SmStatistics statistics_{root_, "sm"};
  std::unique_ptr<memory::Network> network_;
  std::unique_ptr<memory::AddressMap> map_;
  std::unique_ptr<memory::NetworkPort> port_;
  std::unique_ptr<L1Cache> l1_;
  sim::Cycle now_ = 0;
};

TEST_F(L1, AMissIsSentOnceAndEveryWaiterIsWokenInOrder) {
  build();
  L1Access a = access(1);
  for (const std::uint32_t waiter : {7u, 8u, 9u}) {
    a.waiter = waiter;
    EXPECT_EQ(l1_->load(a), L1Result::sent);
  }
  EXPECT_EQ(l1_->misses_in_flight(), 1u);
  EXPECT_EQ(answer(), (std::vector<std::uint32_t>{7, 8, 9}));
  EXPECT_EQ(l1_->misses_in_flight(), 0u);
  EXPECT_EQ(l1_->load(a), L1Result::hit);
}

TEST_F(L1, TakesExactlyAsManyMissesAsItHasEntries) {
  set("mshrs", "3");
  build();
  for (std::uint64_t line = 0; line < 3; ++line) EXPECT_EQ(l1_->load(access(line)), L1Result::sent);
  EXPECT_EQ(l1_->load(access(3)), L1Result::stalled);
  EXPECT_EQ(l1_->stalled_by(), &statistics_.stall_miss_table);
  answer();
  EXPECT_EQ(l1_->load(access(3)), L1Result::sent);
}

TEST_F(L1, LetsExactlyAsManyWaitForOneLineAsItIsSetTo) {
  set("mshr_merges", "2");
  build();
  EXPECT_EQ(l1_->load(access(0)), L1Result::sent);
  EXPECT_EQ(l1_->load(access(0)), L1Result::sent);
  EXPECT_EQ(l1_->load(access(0)), L1Result::stalled);
  EXPECT_EQ(l1_->stalled_by(), &statistics_.stall_merge);
  EXPECT_EQ(answer().size(), 2u);
}

TEST_F(L1, WaitsForRoomInTheNetworkQueue) {
  network_parameters_.set_text("queue", "2");
  build();
  EXPECT_EQ(l1_->load(access(0)), L1Result::sent);
  EXPECT_EQ(l1_->load(access(1)), L1Result::sent);
  EXPECT_EQ(l1_->load(access(2)), L1Result::stalled);
  EXPECT_EQ(l1_->stalled_by(), &statistics_.stall_network);
  EXPECT_EQ(l1_->load(access(1)), L1Result::sent) << "a merge sends nothing and needs no room";
}

TEST_F(L1, AllocatingOnMissReservesWaysAndOnFillDoesNot) {
  for (const bool on_miss : {true, false}) {
    set("allocate", on_miss ? "on-miss" : "on-fill");
    build();
    for (std::uint64_t line = 0; line < 8; ++line) EXPECT_EQ(l1_->load(access(line)), L1Result::sent);
    const L1Result ninth = l1_->load(access(8));
    EXPECT_EQ(ninth, on_miss ? L1Result::stalled : L1Result::sent);
    if (on_miss) {
      EXPECT_EQ(l1_->stalled_by(), &statistics_.stall_reserved);
    }
    answer();
  }
}

TEST_F(L1, AllocatingOnFillKeepsOldLinesUntilTheNewOnesCome) {
  set("allocate", "on-fill");
  build();
  for (std::uint64_t line = 0; line < 8; ++line) bring(line);
  EXPECT_EQ(l1_->load(access(8)), L1Result::sent);
  for (std::uint64_t line = 0; line < 8; ++line) EXPECT_EQ(l1_->load(access(line)), L1Result::hit);
  answer();
  EXPECT_EQ(l1_->load(access(8)), L1Result::hit);
  EXPECT_EQ(l1_->load(access(0)), L1Result::sent) << "the oldest had to go";
}

TEST_F(L1, EvictingStoresDropTheirLineAndThroughStoresKeepIt) {
  for (const bool evicts : {true, false}) {
    set("writes", evicts ? "evict" : "through");
    build();
    bring(5);
    EXPECT_EQ(l1_->store(access(5)), L1Result::sent);
    EXPECT_EQ(l1_->load(access(5)), evicts ? L1Result::sent : L1Result::hit);
    // A store to a line that is not here does not bring it.
    EXPECT_EQ(l1_->store(access(6)), L1Result::sent);
    EXPECT_EQ(l1_->load(access(6)), L1Result::sent);
    const auto requests = sent();
    EXPECT_EQ(std::count_if(requests.begin(), requests.end(),
                            [](const auto& r) { return r.kind == memory::RequestKind::write; }),
              2);
  }
}

TEST_F(L1, LocalStoresNeverDropTheirLine) {
  set("writes", "evict");
  build();
  bring(5);
  L1Access store = access(5);
  store.local = true;
  EXPECT_EQ(l1_->store(store), L1Result::sent);
  EXPECT_EQ(l1_->load(access(5)), L1Result::hit);
}

TEST_F(L1, AWriteBackCacheSendsAStoredSectorOnceWhenItsLineIsReplaced) {
  set("writes", "write-back");
  build();
  for (int repeat = 0; repeat < 3; ++repeat) EXPECT_EQ(l1_->store(access(0, 0x3)), L1Result::hit);
  for (std::uint64_t line = 1; line < 8; ++line) EXPECT_EQ(l1_->store(access(line)), L1Result::hit);
  EXPECT_TRUE(sent().empty());
  EXPECT_EQ(l1_->store(access(8)), L1Result::retry) << "the cycle in which the old line is read";
  EXPECT_EQ(l1_->store(access(8)), L1Result::hit);
  const auto requests = sent();
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests[0].line, access(0).line);
  EXPECT_EQ(requests[0].sectors, 0x3u);
  EXPECT_EQ(requests[0].bytes, 64u);
  EXPECT_EQ(requests[0].kind, memory::RequestKind::write);
  EXPECT_EQ(statistics_.stall_writeback.value(), 1u);
}

TEST_F(L1, AFlushSendsOneDirtyLinePerCycleAndEndsWithTheLastAnswer) {
  set("writes", "write-back");
  build();
  for (std::uint64_t line = 0; line < 5; ++line) EXPECT_EQ(l1_->store(access(line)), L1Result::hit);
  const std::uint64_t flush = l1_->flush();
  unsigned steps = 0;
  for (; l1_->flushing() && steps < 100; ++steps) l1_->flush_step(now_);
  EXPECT_EQ(steps, 6u) << "five lines, and one to see that no more are dirty";
  EXPECT_FALSE(l1_->flushed(flush));
  EXPECT_EQ(sent().size(), 5u);
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(l1_->flushed(flush));
    l1_->written_back();
  }
  EXPECT_TRUE(l1_->flushed(flush));
  EXPECT_TRUE(l1_->clean());
  EXPECT_EQ(l1_->load(access(3)), L1Result::hit) << "what was written back stays";
}

TEST_F(L1, WhatGoesPastTheL1FindsDirtyDataInTheL2) {
  set("writes", "write-back");
  build();
  EXPECT_EQ(l1_->store(access(0)), L1Result::hit);
  L1Access around = access(0);
  around.around = true;
  EXPECT_EQ(l1_->load(around), L1Result::retry);
  EXPECT_EQ(l1_->load(around), L1Result::sent);
  const auto requests = sent();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[0].kind, memory::RequestKind::write);
  EXPECT_EQ(requests[1].kind, memory::RequestKind::read);
  EXPECT_EQ(l1_->store(access(1)), L1Result::hit);
  EXPECT_EQ(l1_->give_up(access(1)), L1Result::retry) << "an atomic changes the line in the L2";
  EXPECT_EQ(l1_->give_up(access(1)), L1Result::hit);
  EXPECT_EQ(l1_->load(access(1)), L1Result::sent);
}

TEST_F(L1, WhatIsOnItsWayWhenItIsWrittenElsewhereIsNotKept) {
  for (const char* allocate : {"on-miss", "on-fill"}) {
    set("writes", "evict");
    set("allocate", allocate);
    build();
    L1Access first = access(1);
    first.waiter = 7;
    ASSERT_EQ(l1_->load(first), L1Result::sent);
    ASSERT_EQ(l1_->store(access(1)), L1Result::sent);
    EXPECT_EQ(l1_->load(access(1)), L1Result::sent) << "a load after the store may not join the one before it";
    EXPECT_EQ(answer(), (std::vector<std::uint32_t>{7, 0}));
    EXPECT_EQ(l1_->load(access(1)), L1Result::hit) << "the second load brought what was stored";
    ASSERT_EQ(l1_->load(access(2)), L1Result::sent);
    ASSERT_EQ(l1_->store(access(2)), L1Result::sent);
    answer();
    EXPECT_EQ(l1_->load(access(2)), L1Result::sent) << allocate;
    answer();
    for (std::uint64_t line = 3; line < 20; ++line) bring(line);  // no way is lost to a line that never came
  }
}

TEST_F(L1, WhatIsOnItsWayWhenTheL1IsWrittenGetsTheStoredBytes) {
  for (const char* writes : {"through", "write-back"}) {
    set("writes", writes);
    build();
    ASSERT_EQ(l1_->load(access(1)), L1Result::sent);
    const L1Result stored = l1_->store(access(1));
    EXPECT_TRUE(stored == L1Result::sent || stored == L1Result::hit) << writes;
    answer();
    EXPECT_EQ(l1_->load(access(1)), L1Result::hit) << writes;
  }
}

TEST_F(L1, LinesOfOneBankAreOnePerCycle) {
  set("banks", "4");
  build();
  std::uint64_t taken = 0;
  for (const std::uint64_t line : {0, 1, 2, 3}) EXPECT_TRUE(l1_->take_bank(access(line).line, taken));
  EXPECT_FALSE(l1_->take_bank(access(4).line, taken));
  taken = 0;
  EXPECT_TRUE(l1_->take_bank(access(4).line, taken));
  EXPECT_FALSE(l1_->take_bank(access(0).line, taken));
}

TEST_F(L1, AKernelStartsWithNothingCachedAndLosesNothingDirty) {
  set("writes", "write-back");
  build();
  bring(1);
  EXPECT_EQ(l1_->store(access(2)), L1Result::hit);
  l1_->start_kernel(0, now_);
  while (l1_->flushing()) l1_->flush_step(now_);
  EXPECT_EQ(sent().size(), 1u);
  EXPECT_EQ(l1_->load(access(1)), L1Result::sent);
}

TEST_F(L1, AKernelOfAnotherApplicationLeavesWhatIsThere) {
  build();
  bring(1);
  l1_->start_kernel(1, now_);
  EXPECT_EQ(l1_->load(access(1)), L1Result::hit);
  l1_->start_kernel(0, now_);
  EXPECT_EQ(l1_->load(access(1)), L1Result::sent);
}

TEST_F(L1, ASectorThatIsHereHitsAlthoughAnotherOfItsLineIsOnItsWay) {
  set("sector_bytes", "32");
  build();
  ASSERT_EQ(l1_->load(access(1, 0x1)), L1Result::sent);
  answer();
  ASSERT_EQ(l1_->load(access(1, 0x2)), L1Result::sent);
  EXPECT_EQ(l1_->load(access(1, 0x1)), L1Result::hit);
  EXPECT_EQ(l1_->load(access(1, 0x3)), L1Result::sent);
}

}  // namespace
}  // namespace heddle::core
