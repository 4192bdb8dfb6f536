// What an observer of an SM's memory is told agrees with what the SM counts, and names the warps that brought things.
#include <gtest/gtest.h>

#include <bit>
#include <map>

#include "core/memory_observer.h"
#include "small_gpu.h"
#include "workloads/workload.h"

namespace heddle::test {
namespace {

/// Takes the first ready warp, and writes down what it sees.
class Watching final : public core::WarpScheduler, private core::MemoryObserver {
 public:
  struct Statistics : sim::StatisticGroup {
    using StatisticGroup::StatisticGroup;
    sim::Counter l1_lookups{*this, "l1_lookups", "lines", "Lines looked up."};
    sim::Counter l1_hits{*this, "l1_hits", "lines", "Lines found."};
    sim::Counter l1_evicted{*this, "l1_evicted", "lines", "Lines that went."};
    sim::Counter tlb_lookups{*this, "tlb_lookups", "pages", "Pages looked up."};
    sim::Counter tlb_hits{*this, "tlb_hits", "pages", "Pages found."};
    sim::Counter tlb_evicted{*this, "tlb_evicted", "pages", "Pages that went."};
    sim::Counter wrong{*this, "wrong", "events", "Events that name another warp than the one that missed."};
    sim::Counter loads{*this, "loads", "picks", "Warps picked that were about to load."};
  };
  explicit Watching(const sim::Context& context) : statistics_(context) {}

  void started(int /*warp*/, std::uint64_t /*age*/) override {}
  void finished(int /*warp*/) override {}
  int pick(const core::IssueChoice& choice) override {
    if (choice.ready == 0) return core::kNoWarp;
    const int warp = std::countr_zero(choice.ready);
    if ((choice.about_to_load >> warp & 1) != 0) ++statistics_.loads;
    return warp;
  }
  core::MemoryObserver* observer() override { return this; }

 private:
  void l1(const L1Lookup& lookup) override {
    ++statistics_.l1_lookups;
    if (lookup.hit) {
      ++statistics_.l1_hits;
    } else {
      missed_[lookup.line.bits()] |= std::uint64_t{1} << lookup.warp;
    }
  }
  void l1_evicted(memory::LineTag line, unsigned owner) override {
    ++statistics_.l1_evicted;
    if ((missed_[line.bits()] >> owner & 1) == 0) ++statistics_.wrong;
  }
  void tlb(const TlbLookup& lookup) override {
    ++statistics_.tlb_lookups;
    if (!lookup.hit) {
      walked_[lookup.page.number] |= std::uint64_t{1} << lookup.warp;
      return;
    }
    ++statistics_.tlb_hits;
    if ((walked_[lookup.page.number] >> lookup.owner & 1) == 0 || lookup.depth >= 4) ++statistics_.wrong;
  }
  void tlb_evicted(vm::SpaceId /*space*/, vm::VirtPage page, unsigned owner) override {
    ++statistics_.tlb_evicted;
    if ((walked_[page.number] >> owner & 1) == 0) ++statistics_.wrong;
  }

  Statistics statistics_;
  std::map<std::uint64_t, std::uint64_t> missed_;  ///< by line: warps whose lookups missed
  std::map<std::uint64_t, std::uint64_t> walked_;  ///< by page
};
[[maybe_unused]] const bool kWatching = core::SchedulerRegistry::instance().add<Watching>("test-watching", "Watches.");

TEST(AnObserver, IsToldOfEveryLookupAndEvictionWithTheWarpThatBroughtWhatGoes) {
  auto gpu = std::make_shared<gpu::GpuParameters>();
  gpu->set_text("sms", "2");
  gpu->set_text("memory.partitions", "2");
  gpu->set_text("sm.scheduler", "test-watching");
  gpu->set_text("sm.l1.kib", "2");
  gpu->set_text("sm.mmu.kind", "tlb");
  gpu->set_text("sm.mmu.tlb.entries", "4");
  gpu->set_text("sm.mmu.tlb.ways", "4");
  runtime::Device::Options options;
  options.gpu = gpu;
  runtime::Device device(options);
  const workloads::Workload* workload = workloads::find("bfs");
  ASSERT_TRUE(workload->run(device, {workload->sizes().front().elements, 1}).passed);
  const auto counted = sim::totals(device.gpu()->statistics());
  const auto seen = [&](const std::string& name) { return counted.at("gpu.sm.test_watching." + name); };
  EXPECT_EQ(seen("l1_lookups"), counted.at("gpu.sm.l1_reads"));
  EXPECT_EQ(seen("l1_hits"), counted.at("gpu.sm.l1_hits"));
  EXPECT_EQ(seen("tlb_lookups"), counted.at("gpu.sm.mmu.lookups"));
  EXPECT_EQ(seen("tlb_hits"), counted.at("gpu.sm.mmu.hits"));
  EXPECT_GT(seen("l1_evicted"), 100u);
  EXPECT_GT(seen("tlb_evicted"), 10u);
  EXPECT_GT(seen("loads"), 100u);
  EXPECT_EQ(seen("wrong"), 0u);
}

}  // namespace
}  // namespace heddle::test
