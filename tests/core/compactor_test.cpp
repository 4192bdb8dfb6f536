// The worked example of Pichai's Figure 5.1 and the compactor's rules.
//
// Three warps of four threads; thread t (from 1) has lane (t - 1) mod 4. At a branch threads 2, 3, 5 and 12 go to block
// C, the others to block B. The pages of block B are those that the catalogue of the thesis works out
// (`fig5_1_pages`): 6 for threads 1, 8, 10, 11 and 1 for 4, 6, 7, 9; of block C, 1 for 2, 3 and 6 for 5, 12.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "exec/divergence/compactor.h"

namespace heddle::exec {
namespace {

using Threads = std::set<int>;
using Pairs = std::set<std::pair<unsigned, unsigned>>;
constexpr unsigned kLanes = 4;
const Threads kBlockB{1, 4, 6, 7, 8, 9, 10, 11};
const Threads kBlockC{2, 3, 5, 12};

BlockMask mask_of(const Threads& threads) {
  BlockMask mask(3, 0);
  for (const int t : threads)
    mask[static_cast<unsigned>(t - 1) / kLanes] |= 1u << (static_cast<unsigned>(t - 1) % kLanes);
  return mask;
}

std::vector<Threads> threads_of(const std::vector<DynamicWarp>& warps) {
  std::vector<Threads> all;
  for (const DynamicWarp& warp : warps) {
    Threads threads;
    for (const DynamicPart& part : warp) {
      for (LaneMask left = part.lanes; left != 0; left &= left - 1)
        threads.insert(static_cast<int>(part.warp * kLanes) + std::countr_zero(left) + 1);
    }
    all.push_back(threads);
  }
  return all;
}

/// Counters of a common page matrix, set by hand.
class Preset final : public CompactionGate {
 public:
  explicit Preset(Pairs full) : full_(std::move(full)) {}
  [[nodiscard]] bool may_join(unsigned warp, unsigned present) const override {
    return full_.contains({warp, present});
  }

 private:
  Pairs full_;
};

/// Pages of the example, by thread.
const std::map<int, int>& pages() {
  static const std::map<int, int> all{{1, 6},  {4, 1},  {6, 1}, {7, 1}, {8, 6}, {9, 1},
                                      {10, 6}, {11, 6}, {2, 1}, {3, 1}, {5, 6}, {12, 6}};
  return all;
}

/// An oracle: a thread joins threads of its page.
class Oracle final : public CompactionGate {
 public:
  [[nodiscard]] bool may_join(unsigned /*warp*/, unsigned /*present*/) const override { return true; }
  [[nodiscard]] bool admits(const DynamicWarp& formed, unsigned warp, LaneMask lane) const override {
    if (formed.empty()) return true;
    return page_of(warp, lane) == page_of(formed.front().warp, formed.front().lanes);
  }

 private:
  static int page_of(unsigned warp, LaneMask lanes) {
    return pages().at(static_cast<int>(warp * kLanes) + std::countr_zero(lanes) + 1);
  }
};

/// Misses of a TLB with one entry, which is looked up thread by thread in the order of their numbers.
int misses(const std::vector<Threads>& warps) {
  const std::map<int, int>& page = pages();
  int entry = 0;
  int missed = 0;
  for (const Threads& warp : warps) {
    for (const int t : warp) {
      missed += page.at(t) != entry ? 1 : 0;
      entry = page.at(t);
    }
  }
  return missed;
}

TEST(Figure5_1, NeedsSixWarpsWithAStackForEach) {
  EXPECT_EQ(keep_apart(mask_of(kBlockB)).size() + keep_apart(mask_of(kBlockC)).size(), 6u);
}

TEST(Figure5_1, NeedsThreeFullWarpsWithCompaction) {
  EXPECT_EQ(threads_of(compact(mask_of(kBlockB))), (std::vector<Threads>{{1, 4, 6, 7}, {8, 9, 10, 11}}));
  EXPECT_EQ(threads_of(compact(mask_of(kBlockC))), (std::vector<Threads>{{2, 3, 5, 12}}));
}

TEST(Figure5_1, MissesMoreWhereCompactionMixesPages) {
  const std::vector<Threads> b = threads_of(compact(mask_of(kBlockB)));
  EXPECT_EQ(misses({b[0]}), 2);
  EXPECT_EQ(misses(b), 5);
  EXPECT_EQ(misses({b[0], b[1], {2, 3, 5, 12}}), 7);
}

TEST(Figure5_1, IsPutTogetherByPagesIfAnOracleAdmitsThreads) {
  const Oracle oracle;
  const std::vector<Threads> b = threads_of(compact(mask_of(kBlockB), &oracle));
  EXPECT_EQ(b, (std::vector<Threads>{{1, 8, 10, 11}, {4, 6, 7, 9}}));
  EXPECT_EQ(misses(b), 2) << "5 without";
  EXPECT_EQ(threads_of(compact(mask_of(kBlockC), &oracle)), (std::vector<Threads>{{5, 12}, {2, 3}}))
      << "more dynamic warps, as the caption says there may be";
}

TEST(Figure5_1, IsMixedByTheMatrixOnlyWhereCountersAreFull) {
  const Preset all(Pairs{{0, 1}, {0, 2}, {1, 0}, {1, 2}, {2, 0}, {2, 1}});
  EXPECT_EQ(compact(mask_of(kBlockB), &all), compact(mask_of(kBlockB)));
  EXPECT_EQ(compact(mask_of(kBlockC), &all), compact(mask_of(kBlockC)));
  const Preset none(Pairs{});
  EXPECT_EQ(threads_of(compact(mask_of(kBlockB), &none)), (std::vector<Threads>{{1, 4}, {9, 10, 11}, {6, 7, 8}}));
  EXPECT_EQ(threads_of(compact(mask_of(kBlockC), &none)), (std::vector<Threads>{{5}, {2, 3}, {12}}));
  const Preset two(Pairs{{0, 1}, {1, 0}});
  EXPECT_EQ(threads_of(compact(mask_of(kBlockB), &two)), (std::vector<Threads>{{1, 4, 6, 7}, {9, 10, 11}, {8}}));
  EXPECT_EQ(threads_of(compact(mask_of(kBlockC), &two)), (std::vector<Threads>{{2, 3, 5}, {12}}));
  // One-sided counters let a later warp join an earlier one, not the reverse.
  const Preset later(Pairs{{1, 0}});
  EXPECT_EQ(threads_of(compact(mask_of({1, 6}), &later)), (std::vector<Threads>{{1, 6}}));
  EXPECT_EQ(threads_of(compact(mask_of({2, 5}), &later)), (std::vector<Threads>{{5}, {2}}));
}

TEST(Compactor, LosesAndDoublesNoThreadAndKeepsLanes) {
  std::uint64_t state = 7;
  const auto random = [&] { return state = state * 6364136223846793005u + 1442695040888963407u, state >> 32; };
  for (int round = 0; round < 200; ++round) {
    BlockMask pending(1 + random() % 32);
    for (LaneMask& lanes : pending) lanes = static_cast<LaneMask>(random() & random());
    Pairs full;
    for (unsigned i = 0; i < 200; ++i) full.insert({random() % 32, random() % 32});
    const Preset gate(full);
    for (const CompactionGate* g :
         {static_cast<const CompactionGate*>(nullptr), static_cast<const CompactionGate*>(&gate)}) {
      BlockMask found(pending.size(), 0);
      for (const DynamicWarp& warp : compact(pending, g)) {
        LaneMask lanes = 0;
        for (const DynamicPart& part : warp) {
          EXPECT_EQ(lanes & part.lanes, 0u) << "a lane has one thread";
          EXPECT_EQ(found[part.warp] & part.lanes, 0u) << "a thread is in one warp";
          lanes |= part.lanes;
          found[part.warp] |= part.lanes;
        }
      }
      EXPECT_EQ(found, pending);
    }
    std::size_t most = 0;
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      most = std::max<std::size_t>(
          most, static_cast<std::size_t>(std::count_if(pending.begin(), pending.end(),
                                                       [&](LaneMask lanes) { return (lanes >> lane & 1) != 0; })));
    EXPECT_EQ(compact(pending).size(), most) << "as many warps as the fullest lane has threads";
  }
}

}  // namespace
}  // namespace heddle::exec
