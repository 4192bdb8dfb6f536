// Instruction fetch by itself, before a network that answers when the test says so.
#include "core/fetch.h"

#include <gtest/gtest.h>

#include "core/request_names.h"

namespace heddle::core {
namespace {

using sim::Cycle;

struct FetchMachine : sim::ParameterGroup {
  FetchMachine() {
    set_text("memory.partitions", "1");
    set_text("network.queue", "64");
    set_text("sm.instruction_bytes", "8");
    set_text("sm.fetch_latency", "3");
  }
  SmParameters sm{*this, "sm", "An SM."};
  memory::NetworkParameters network{*this, "network", "The network."};
  memory::AddressMapParameters map{*this, "memory", "Partitions."};
};

class Fetching : public testing::Test {
 protected:
  /// The lines asked for since the last call, each with its name.
  std::map<std::uint64_t, std::uint32_t> asked() {
    while (!port_.empty()) port_.send(now_ += 100, statistics_.bytes_out);
    std::vector<memory::Request> all;
    exchange_.turn_over();
    network_.requests(0).collect(all);
    std::map<std::uint64_t, std::uint32_t> lines;
    for (const memory::Request& r : all) lines[r.line.physical().address / 128] = index_of(r.id);
    return lines;
  }
  /// The line comes; when each warp can issue.
  std::map<unsigned, Cycle> come(std::uint32_t name, Cycle now) {
    std::map<unsigned, Cycle> ready;
    fetch_.fill(name, now, [&](unsigned warp, Cycle at) { ready[warp] = at; });
    return ready;
  }

  FetchMachine machine_;
  sim::Exchange exchange_{1};
  memory::Network network_{machine_.network, exchange_, {1, 1}};
  memory::AddressMap map_{machine_.map};
  memory::NetworkPort port_{network_, map_, 0};
  sim::StatisticGroup root_{"gpu"};
  SmStatistics statistics_{root_, "sm"};
  Fetch fetch_{machine_.sm, statistics_, port_};
  Cycle now_ = 0;
};

constexpr std::uint64_t kCode = 128 * 100;

TEST_F(Fetching, AWarpWaitsForItsFirstLineAndFindsTheNextOnePrefetched) {
  fetch_.start(0, kCode, 64, 0);
  EXPECT_EQ(fetch_.next(0, 0, 10, 10), sim::kNever);
  auto lines = asked();
  ASSERT_TRUE(lines.contains(100));
  ASSERT_TRUE(lines.contains(101)) << "the line after it";
  EXPECT_EQ(come(lines[100], 50), (std::map<unsigned, Cycle>{{0, 53}}));
  EXPECT_TRUE(come(lines[101], 60).empty()) << "nobody waits for it";
  EXPECT_EQ(fetch_.next(0, 15, 70, 70), 70u) << "16 instructions are one line";
  EXPECT_EQ(fetch_.next(0, 16, 80, 80), 80u) << "it was there before it was needed";
}

TEST_F(Fetching, WarpsThatNeedOneLineAskForItOnce) {
  for (unsigned w = 0; w < 3; ++w) {
    fetch_.start(w, kCode, 16, 0);
    EXPECT_EQ(fetch_.next(w, 0, 10, 10), sim::kNever);
  }
  auto lines = asked();
  EXPECT_EQ(statistics_.instruction_misses.value(), lines.size());
  EXPECT_EQ(come(lines[100], 50).size(), 3u);
}

TEST_F(Fetching, ALineThatComesForAWarpThatHasEndedWakesNobody) {
  fetch_.start(0, kCode, 16, 0);
  EXPECT_EQ(fetch_.next(0, 0, 10, 10), sim::kNever);
  fetch_.stop(0);
  auto lines = asked();
  EXPECT_TRUE(come(lines[100], 50).empty());
}

TEST_F(Fetching, ABranchAwayFromALineOnItsWayWaitsForTheOther) {
  fetch_.start(0, kCode, 1024, 0);
  EXPECT_EQ(fetch_.next(0, 0, 10, 10), sim::kNever);
  auto lines = asked();
  EXPECT_EQ(fetch_.next(0, 160, 20, 20), sim::kNever);
  EXPECT_TRUE(come(lines[100], 50).empty()) << "the warp does not need it any more";
  lines = asked();
  EXPECT_EQ(come(lines.at(110), 60), (std::map<unsigned, Cycle>{{0, 63}}));
}

}  // namespace
}  // namespace heddle::core
