// Checked runs: every write is followed to the reads that must see it.
#include <gtest/gtest.h>

#include "base/diagnostics.h"
#include "mix_kernel.h"

namespace heddle::test {
namespace {

const Changes kTlb{{"sm.mmu.kind", "tlb"}};

TEST(ACheckedRun, FindsNothingWrongWithWhatIsRight) {
  for (const Changes& changes : std::vector<Changes>{{},
                                                     {{"sm.l1.writes", "through"}},
                                                     {{"sm.l1.writes", "write-back"}},
                                                     {{"sm.l1.allocate", "on-fill"}},
                                                     {{"l2.slices", "3"}, {"l2.miss_latency", "40"}},
                                                     {{"l2.perfect", "true"}},
                                                     kTlb,
                                                     {{"sm.mmu.kind", "tlb"}, {"vm.frames.allocation", "scattered"}},
                                                     {{"sm.mmu.kind", "ideal"}}}) {
    for (const unsigned threads : {1u, 3u}) {
      SCOPED_TRACE(changes.empty() ? "as it is" : changes.front().first + " = " + changes.front().second);
      Checked run(changes, threads);
      for (const std::uint32_t step : {1u, 33u, 1000u}) ASSERT_NO_THROW(run.launch(step));
      EXPECT_GT(run.judged(), 10000u);
    }
  }
}

TEST(ACheckedRun, KeepsUpWithPagesThatMove) {
  Checked run(kTlb);
  run.launch(1);
  for (int i = 0; i < 3; ++i) {
    run.device().migrate(run.address(), 2 * 4096);
    run.device().evict(run.address() + 4096, 4096);
    ASSERT_NO_THROW(run.launch(7));
  }
}

TEST(ACheckedRun, SeesAPageThatMovedWithoutAShootdown) {
  // One block goes to the first SM, the next to the second.
  Checked run(kTlb);
  run.launch(1, 1);
  run.gpu().address_space(0)->migrate(vm::page_of(run.address()));
  run.launch(1, 2);  // these SMs find the new frame, and write there
  try {
    run.launch(1, 1);
    FAIL() << "the first SM still uses the old frame";
  } catch (const InvariantError& error) {
    EXPECT_NE(std::string(error.what()).find("stale data: in cycle"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace heddle::test
