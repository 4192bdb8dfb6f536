// WarpPool step by step: which load meets which, in which cycle a line goes to the L1, and in which each warp has its
// data. The steps are those of the chapter's text (Kloosterman 2018, sections 3.3.2 to 3.3.8, and 3.4.3); the cycles
// follow from its pipeline: a cycle to leave an instruction queue, one line per cycle from each coalescer, two cycles
// until a line can be selected, one line per cycle to the L1, and one warp per cycle from a line that has come.
#include <fmt/format.h>

#include <algorithm>

#include "unit_bench.h"

namespace heddle::core {
namespace {

class Steps : public Unit, public MemoryObserver {
 protected:
  Steps() {
    set("sm.coalescer", "warppool");
    set("sm.l1.mshrs", "32");
    set("sm.l1.mshr_merges", "8");
    observer_ = this;
  }
  void l1(const L1Lookup& lookup) override {
    looked_up_.push_back(
        fmt::format("{}: line {}{}", lookup.now, (lookup.line.bits() - kData) / 128, lookup.hit ? " hit" : ""));
    cycles_.push_back(lookup.now);
  }
  static std::uint64_t line(std::uint64_t n) { return kData + n * 128; }
  /// A load of a warp whose lane i touches line `first` + i.
  std::uint32_t load_lines(unsigned warp, std::uint64_t first, unsigned lines) {
    warp_ = warp;
    return issue(exec::OpKind::load, line(first), 128, static_cast<LaneMask>((std::uint64_t{1} << lines) - 1));
  }
  std::uint32_t store_line(unsigned warp, std::uint64_t n) {
    warp_ = warp;
    return store(line(n));
  }
  void go_to(Cycle cycle) {
    while (now_ < cycle) step();
  }
  std::uint64_t counter(const std::string& name) const { return sim::totals(root_).at("gpu.sm." + name); }

  using Texts = std::vector<std::string>;
  Texts looked_up_;            ///< loads, in the order in which they went to the L1
  std::vector<Cycle> cycles_;  ///< when
};

// Three warps ask for lines 2 to 5, 0 to 3 and 0. The lower warps leave the instruction queues first although they came
// later, and the second coalescer works beside the first. Line 0 waits until warp 9 has joined; lines 2 and 3 have gone
// when warp 5 asks for them, and go once more.
TEST_F(Steps, LoadsOfThreeWarpsLeaveTheQueuesMeetAndGoOldestFirst) {
  build();
  const auto nine = load_lines(9, 0, 1);
  const auto five = load_lines(5, 0, 4);
  const auto two = load_lines(2, 2, 4);
  drain();
  // Warp 2 leaves its queue in cycle 1 and gives lines in 2 to 5; warp 5 leaves in 2 and gives lines in 3 to 6; warp 9
  // leaves in 5, when the first coalescer is free, and gives its line in 6: line 0 is just about to go.
  EXPECT_EQ(looked_up_, (Texts{"4: line 2", "5: line 3", "6: line 0", "7: line 4", "8: line 1", "9: line 5",
                               "10: line 2", "11: line 3"}));
  EXPECT_EQ(counter("warppool.requests"), 8u);
  EXPECT_EQ(counter("warppool.served"), 9u) << "warps 5 and 9 share line 0";
  // Lines come 100 cycles after they went. Lines 2 and 3 are for two requests each, line 0 for two loads: the last of
  // warp 2 is line 5, behind lines 2, 2, 3, 3, 0, 0, 4, 1; one warp is written per cycle from 104 on.
  EXPECT_EQ(done_[nine], 109u);
  EXPECT_EQ(done_[five], 111u) << "line 1";
  EXPECT_EQ(done_[two], 112u) << "line 5";
}

// A cache without resources: loads go on arriving, and when it can take a line, that line serves four of them.
TEST_F(Steps, WhileTheCacheIsFullLoadsMeetAndLeaveAsOneRequest) {
  set("sm.l1.mshrs", "1");
  build();
  load_lines(0, 10, 1);
  go_to(5);
  std::vector<std::uint32_t> loads;
  for (unsigned w = 1; w <= 5; ++w) loads.push_back(load_lines(w, 20, 1));
  drain();
  // Line 10 goes in cycle 4 and comes in 104. Line 20 is selected in 8 and waits for the only miss entry; warps 1 to 4
  // have met there by 9, and warp 5 finds the four slots taken until the line has gone. It goes two cycles after its
  // insertion in 105 and joins the miss that is on its way.
  EXPECT_EQ(looked_up_, (Texts{"4: line 10", "104: line 20", "107: line 20"}));
  EXPECT_EQ(counter("warppool.requests"), 3u);
  EXPECT_EQ(counter("warppool.served"), 6u);
  for (unsigned w = 0; w < 5; ++w) EXPECT_EQ(done_[loads[w]], 204u + w) << w;

  set("sm.coalescer", "intra");
  build();
  looked_up_.clear();
  load_lines(0, 10, 1);
  go_to(now_ + 4);
  for (unsigned w = 1; w <= 5; ++w) load_lines(w, 20, 1);
  drain();
  EXPECT_EQ(looked_up_.size(), 6u) << "the plain coalescer sends each load by itself";
}

// Section 3.3.5: by warp, new requests of the favoured warp go before those of instructions that others issued earlier.
TEST_F(Steps, ByWarpANewLoadOfALowerWarpInterruptsADivergentOneAndByAgeItDoesNot) {
  const std::map<std::string, Texts> expected{{"oldest",
                                               {"4: line 0", "5: line 1", "6: line 2", "7: line 3", "8: line 4",
                                                "9: line 5", "10: line 40", "11: line 6", "12: line 7"}},
                                              {"warp-id",
                                               {"4: line 0", "5: line 1", "6: line 2", "7: line 3", "8: line 4",
                                                "9: line 40", "10: line 5", "11: line 6", "12: line 7"}}};
  for (const auto& [select, texts] : expected) {
    set("sm.warppool.select", select);
    build();
    now_ = 1;
    looked_up_.clear();
    load_lines(40, 0, 8);
    go_to(6);
    load_lines(0, 40, 1);
    drain();
    // Line 40 is inserted in cycle 7 by the second coalescer, just behind line 5. By warp it goes as soon as it can be
    // selected, by age when those before it have gone.
    EXPECT_EQ(looked_up_, texts) << select;
  }
}

// Section 3.3.8: stores go to the L1 from the coalescer, and only in cycles in which no load can.
TEST_F(Steps, AStoreGoesFromItsCoalescerWhenNoLoadCan) {
  build();
  load_lines(4, 0, 4);
  go_to(2);
  const auto written = store_line(0, 50);
  go_to(5);
  EXPECT_EQ(statistics_.stores.value(), 0u);
  drain();
  EXPECT_EQ(looked_up_, (Texts{"4: line 0", "5: line 1", "6: line 2", "7: line 3"}));
  // It left its queue in cycle 2 and could have gone from cycle 4 on: the loads took 4 to 7.
  EXPECT_EQ(done_[written], 8u + kAway);
  EXPECT_EQ(counter("warppool.longest_store"), 4u);
}

// The case study of section 3.4.3: a tile of a matrix with 32 columns is transposed straight through global memory.
// Eight warps load a column each: 32 lines, the same for all of them. Two coalescers walk through the rows one behind
// the other, so that each line serves two warps, and the L1 is asked half as often: the document measures 0.50 of the
// time.
class Transposition : public Steps {
 protected:
  static constexpr unsigned kWarps = 8;
  void load_tile() {
    for (unsigned w = 0; w < kWarps; ++w) {
      warp_ = w;
      issue(exec::OpKind::load, line(0) + w * 4, 128);
    }
  }
  [[nodiscard]] Cycle asked_for() const { return cycles_.back() - cycles_.front() + 1; }
  [[nodiscard]] Cycle last_done() const {
    Cycle last = 0;
    for (const auto& [load, at] : done_) last = std::max(last, at);
    return last;
  }
};

TEST_F(Transposition, AsksTheL1HalfAsOftenAsThePlainCoalescer) {
  build();
  load_tile();
  drain();
  // Warps 0 and 1, then 2 and 3, and so on: each pair through all rows, without a gap until the first row comes.
  Texts expected;
  for (unsigned i = 0; i < 100; ++i) expected.push_back(fmt::format("{}: line {}", 4 + i, i % 32));
  ASSERT_EQ(looked_up_.size(), 128u);
  EXPECT_EQ(Texts(looked_up_.begin(), looked_up_.begin() + 100), expected);
  EXPECT_EQ(counter("warppool.requests"), 128u);
  EXPECT_EQ(counter("warppool.served"), 256u);
  EXPECT_EQ(counter("warppool.single"), 256u) << "each lane takes one word of its line";
  for (unsigned w = 0; w < kWarps; ++w) store_line(w, 64 + w);
  drain();
  EXPECT_EQ(statistics_.stores.value(), 8u) << "a line for each warp's store, none of them merged";

  set("sm.coalescer", "intra");
  build();
  looked_up_.clear();
  cycles_.clear();
  load_tile();
  drain();
  EXPECT_EQ(looked_up_.size(), 256u);
  EXPECT_EQ(cycles_.back() - cycles_.front() + 1, 256u);
}

// One warp is written per cycle (section 3.3.7), and the L1 waits while two lines wait for that. The eight warps have
// 32 lines each to be written: what merging saves at the L1 is spent there, 256 cycles from the first line on.
TEST_F(Transposition, TakesAsLongAsWarpsHaveLinesToBeWritten) {
  std::map<unsigned, Cycle> took;
  for (const unsigned writes : {1u, 4u}) {
    set("sm.warppool.writes", std::to_string(writes));
    build();
    now_ = 1;
    cycles_.clear();
    done_.clear();
    load_tile();
    drain();
    ASSERT_EQ(cycles_.size(), 128u);
    EXPECT_EQ(cycles_[99], 103u);
    EXPECT_EQ(cycles_[100], 104u + 99 * 2 / std::min(writes, 2u)) << "when 99 of the 100 requests have been written";
    took[writes] = last_done() - 104 + 1;
  }
  EXPECT_GE(took[1], 256u);
  EXPECT_LT(took[1], 256u + 32);
  EXPECT_GE(took[4], 128u) << "a line that serves two takes a cycle";
  EXPECT_LT(took[4], 128u + 32);
}

}  // namespace
}  // namespace heddle::core
