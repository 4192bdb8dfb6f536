// The queue between a slice and its DRAM channel is bounded, whoever sends how much.
#include "memory/channel.h"

#include <gtest/gtest.h>

#include "dram_harness.h"

namespace heddle::memory {
namespace {

constexpr unsigned kQueue = 4;
constexpr unsigned kRequests = 2000;

struct Flood {
  std::size_t most = 0;  ///< requests that waited or were on their way
  sim::Cycle end = 0;
};

/// A sender that sends `line` requests at once whenever it is not told to wait. All are of one bank, so that DRAM is
/// slower than the sender.
Flood flood(unsigned way, unsigned line) {
  TestParameters p;
  p.number("read_queue", 8);
  sim::StatisticGroup statistics{"test"};
  Channel channel({p, statistics, 1000, kQueue, way, 0});
  std::vector<std::uint32_t> done;
  Flood outcome;
  unsigned sent = 0;
  for (sim::Cycle now = 0; done.size() < kRequests && now < 1'000'000; ++now) {
    (void)channel.step(now, done);
    if (sent < kRequests && !channel.full()) {
      for (unsigned i = 0; i < line; ++i, ++sent) {
        channel.send({.address = std::uint64_t{sent} * 64, .token = sent}, now + way);
      }
    }
    outcome.most = std::max(outcome.most, channel.waiting());
    outcome.end = now;
  }
  EXPECT_EQ(done.size(), kRequests);
  EXPECT_TRUE(channel.idle());
  return outcome;
}

TEST(Channel, HoldsNoMoreThanItsQueueAndItsWay) {
  for (const unsigned way : {0u, 1u, 10u, 100u}) {
    EXPECT_EQ(flood(way, 1).most, kQueue + way) << way;
    EXPECT_LT(flood(way, 4).most, kQueue + way + 4) << way << ": the last line is sent whole";
  }
}

TEST(Channel, LosesNoBandwidthToALongWay) {
  const sim::Cycle near = flood(0, 1).end;
  EXPECT_LE(flood(200, 1).end, near + 2 * 200) << "the way is full, so that there is always something to do";
}

}  // namespace
}  // namespace heddle::memory
