// Instruction and constant caches: misses are reads of the L2, bounded and merged.
#include "core/read_only_cache.h"

#include <gtest/gtest.h>

namespace heddle::core {
namespace {

using Result = ReadOnlyCache::Result;

class ReadOnly : public testing::Test {
 protected:
  struct Parameters {
    Parameters() {
      network.set_text("queue", "2");
      network.set_text("credits", "256");
      map.set_text("partitions", "1");
    }
    memory::NetworkParameters network;
    memory::AddressMapParameters map;
  };
  std::vector<memory::Request> sent() {
    while (!port_.empty()) port_.send(now_ += 100, bytes_out_);
    std::vector<memory::Request> all;
    exchange_.turn_over();
    network_.requests(0).collect(all);
    return all;
  }

  Parameters parameters_;
  sim::Exchange exchange_{1};
  memory::Network network_{parameters_.network, exchange_, {1, 1}};
  memory::AddressMap map_{parameters_.map};
  memory::NetworkPort port_{network_, map_, 0};
  sim::StatisticGroup root_{"root"};
  sim::ApplicationCounter bytes_out_{root_, "bytes_out", "bytes", ""};
  sim::Cycle now_ = 0;
  // Four lines of 64 bytes behind an L2 with lines of 128.
  ReadOnlyCache cache_{{256, 64, 128, 3, RequestName::constant, memory::Traffic::constant}, port_};
};

TEST_F(ReadOnly, AMissAsksTheL2ForItsPartOfTheLine) {
  EXPECT_EQ(cache_.access(3, 7, 5), Result::missed);
  const auto requests = sent();
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests[0].line.physical().address, 128u);
  EXPECT_EQ(requests[0].sectors, 0xcu);
  EXPECT_EQ(requests[0].application, 5u);
  EXPECT_EQ(requests[0].traffic, memory::Traffic::constant);
  EXPECT_EQ(name_of(requests[0].id), RequestName::constant);
}

TEST_F(ReadOnly, WhoWaitsIsWokenOnceAndTheLineIsThere) {
  EXPECT_EQ(cache_.access(3, 7, 0), Result::missed);
  EXPECT_EQ(cache_.access(3, 8, 0), Result::joined);
  EXPECT_EQ(cache_.access(3, 8, 0), Result::joined);
  std::vector<std::uint32_t> woken;
  cache_.fill(index_of(sent().at(0).id), [&](std::uint32_t waiter, std::uint64_t line) {
    EXPECT_EQ(line, 3u);
    woken.push_back(waiter);
  });
  EXPECT_EQ(woken, (std::vector<std::uint32_t>{7, 8}));
  EXPECT_EQ(cache_.access(3, 9, 0), Result::hit);
}

TEST_F(ReadOnly, TakesAsManyMissesAsItHasEntriesAndSendsThemAsThereIsRoom) {
  for (std::uint64_t line = 0; line < 3; ++line) EXPECT_EQ(cache_.access(line, 0, 0), Result::missed);
  EXPECT_EQ(cache_.access(3, 0, 0), Result::full);
  EXPECT_TRUE(cache_.has_unsent()) << "the port's queue holds two";
  EXPECT_EQ(sent().size(), 2u);
  cache_.send_waiting();
  EXPECT_FALSE(cache_.has_unsent());
  EXPECT_EQ(sent().size(), 1u);
}

TEST_F(ReadOnly, TheLineThatCameFirstGoesFirst) {
  for (std::uint64_t line = 0; line < 5; ++line) {
    EXPECT_EQ(cache_.access(line, 0, 0), Result::missed);
    cache_.fill(index_of(sent().at(0).id), [](std::uint32_t, std::uint64_t) {});
    EXPECT_EQ(cache_.access(0, 0, 0) == Result::hit, line < 4) << line;
  }
  EXPECT_TRUE(cache_.contains(1));
}

TEST_F(ReadOnly, PrefetchesOnceAndTellsWhenAPrefetchedLineIsUsedFirst) {
  EXPECT_TRUE(cache_.prefetch(7, 0));
  EXPECT_FALSE(cache_.prefetch(7, 0)) << "it is on its way";
  EXPECT_EQ(sent().size(), 1u);
  cache_.fill(0, [](std::uint32_t, std::uint64_t) { FAIL() << "nobody waits"; });
  EXPECT_FALSE(cache_.prefetch(7, 0)) << "it is here";
  EXPECT_EQ(cache_.access(7, 1, 0), Result::hit);
  EXPECT_TRUE(cache_.was_prefetched());
  EXPECT_EQ(cache_.access(7, 1, 0), Result::hit);
  EXPECT_FALSE(cache_.was_prefetched());
}

TEST_F(ReadOnly, APrefetchThatIsWaitedForCountsAsUsed) {
  EXPECT_TRUE(cache_.prefetch(9, 0));
  EXPECT_EQ(cache_.access(9, 4, 0), Result::joined);
  EXPECT_TRUE(cache_.was_prefetched());
  std::vector<std::uint32_t> woken;
  cache_.fill(0, [&](std::uint32_t waiter, std::uint64_t) { woken.push_back(waiter); });
  EXPECT_EQ(woken, std::vector<std::uint32_t>{4});
  EXPECT_EQ(cache_.access(9, 4, 0), Result::hit);
  EXPECT_FALSE(cache_.was_prefetched());
}

TEST_F(ReadOnly, GivesAPrefetchUpWhereEveryEntryIsTaken) {
  for (const std::uint64_t line : {1, 2, 3}) EXPECT_TRUE(cache_.prefetch(line, 0));
  EXPECT_FALSE(cache_.prefetch(4, 0));
}

}  // namespace
}  // namespace heddle::core
