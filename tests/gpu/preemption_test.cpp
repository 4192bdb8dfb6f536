// Blocks that leave SMs through memory and go on elsewhere; applications that share SMs and time.
#include "gpu/preemption.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "core/sm.h"
#include "together.h"

namespace heddle::test {
namespace {

/// Evicts a block every now and then and lets those that are out go on wherever there is room, at random.
class Evictor final : public gpu::SharingPolicy {
 public:
  struct Parameters : sim::ParameterGroup {
    using ParameterGroup::ParameterGroup;
    sim::Parameter<unsigned> seed{*this, "seed", 1, {0, 1000}, "", "Of what is random."};
  };
  explicit Evictor(const sim::Context& context) : random_(context.parameters<Parameters>().seed.get()) {
    rearranges_ = true;
  }

  void attach(gpu::Floor& floor, gpu::Sms /*sms*/) override {
    applications_ = static_cast<std::uint16_t>(floor.applications());
    out_ = gpu::Preemption(applications_);
  }
  void dispatch(gpu::Floor& floor, sim::Cycle /*now*/) override {
    for (std::size_t k = 0; k < floor.kernels(); ++k) {
      while (!floor.kernel(k).dispatched()) {
        const auto sm = floor.room(k, {0, floor.sms()}, 0);
        if (!sm) break;
        floor.start(k, *sm);
      }
    }
  }
  sim::Cycle rearrange(gpu::Sms sms, sim::Cycle now) override {
    out_.advance(sms, now);
    core::Sm& sm = *sms[random_() % sms.size()];
    const auto blocks = sm.view_blocks();
    if (!blocks.empty() && random_() % 128 == 0) {
      const core::Sm::BlockView& block = blocks[random_() % blocks.size()];
      if (!block.stopped) out_.evict(sm, block.slot, now);
    }
    bool any = out_.leaving();
    for (std::uint16_t a = 0; a < applications_; ++a) {
      if (random_() % 4 == 0) out_.resume(a, *sms[random_() % sms.size()], now);
      any = any || out_.waiting(a) != 0;
    }
    return any ? now + 1 : sim::kNever;
  }
  [[nodiscard]] std::uint64_t forget(const core::KernelInstance& kernel) override { return out_.forget(kernel); }

 private:
  std::minstd_rand random_;
  gpu::Preemption out_;
  std::uint16_t applications_ = 1;
};
[[maybe_unused]] const bool kEvictor =
    gpu::SharingPolicies::instance().add<Evictor>("test-evictor", "Evicts blocks at random.");

using Changes = std::vector<std::pair<std::string, std::string>>;

TEST(Preemption, ChangesNoResultOfApplicationsThatShareSms) {
  const std::vector<const char*> names{"histogram", "reduction", "scan"};
  if (!all_here(names)) GTEST_SKIP();
  for (const char* seed : {"1", "2"}) {
    const Changes changes{{"sharing.policy", "test-evictor"}, {"sharing.test_evictor.seed", seed}};
    const Together one = run_together(names, changes);
    EXPECT_EQ(one.passed, std::vector<bool>(3, true));
    EXPECT_GT(one.counters.at("gpu.sm.contexts_saved"), 0u);
    EXPECT_EQ(one.counters.at("gpu.sm.contexts_saved"), one.counters.at("gpu.sm.contexts_restored"));
    EXPECT_EQ(one.counters, run_together(names, changes, 3).counters);
  }
}

TEST(Preemption, ContextsGoThroughMemory) {
  const std::vector<const char*> names{"sgemm"};
  if (!all_here(names)) GTEST_SKIP();
  const Together plain = run_together(names, {});
  const Together moved = run_together(names, {{"sharing.policy", "test-evictor"}});
  const std::uint64_t contexts = moved.counters.at("gpu.sm.contexts_saved");
  ASSERT_GT(contexts, 0u);
  // What the SMs write and read more is whole lines of contexts.
  const std::uint64_t bytes = moved.counters.at("gpu.sm.context_bytes") / 2;
  const std::uint64_t written = moved.counters.at("gpu.sm.bytes_out") - plain.counters.at("gpu.sm.bytes_out");
  EXPECT_GE(written, bytes);
  EXPECT_LE(written, bytes + contexts * 128);
  EXPECT_GT(moved.counters.at("gpu.cycles"), plain.counters.at("gpu.cycles"));
}

TEST(Temporal, ApplicationsTakeTurnsAndComputeTheSame) {
  const std::vector<const char*> names{"sgemm", "histogram"};
  if (!all_here(names)) GTEST_SKIP();
  const Changes changes{{"sharing.policy", "temporal"}, {"sharing.temporal.round", "4000"}};
  const Together one = run_together(names, changes);
  EXPECT_EQ(one.passed, std::vector<bool>(2, true));
  EXPECT_GT(one.counters.at("gpu.temporal.switches"), 2u);
  EXPECT_GT(one.counters.at("gpu.temporal.switching"), 0u);
  EXPECT_GT(one.counters.at("gpu.sm.contexts_saved"), 0u);
  EXPECT_EQ(one.counters.at("gpu.sm.contexts_saved"), one.counters.at("gpu.sm.contexts_restored"));
  EXPECT_EQ(one.counters, run_together(names, changes, 2).counters);
}

TEST(Temporal, NobodyIdlesThroughATurn) {
  const std::vector<const char*> names{"bfs", "histogram"};
  if (!all_here(names)) GTEST_SKIP();
  const Together run =
      run_together(names, {{"sharing.policy", "temporal"}, {"sharing.temporal.round", "4000000"}, {"watchdog", "0"}});
  // Between its launches an application has nothing to do: the other one starts then, not when the turn is over.
  EXPECT_EQ(run.passed, std::vector<bool>(2, true));
  EXPECT_LT(run.counters.at("gpu.cycles"), 1000000u);
}

TEST(Temporal, MoreTimeMakesAnApplicationFaster) {
  const std::vector<const char*> names{"sgemm", "gemm"};
  if (!all_here(names)) GTEST_SKIP();
  const auto first_ends = [&](const char* split) {
    return run_together(
               names,
               {{"sharing.policy", "temporal"}, {"sharing.temporal.round", "20000"}, {"sharing.temporal.split", split}})
        .cycles[0];
  };
  EXPECT_LT(first_ends("9:1"), first_ends("1:9"));
}

TEST(Temporal, RunsWithTranslationAndOneRoot) {
  const std::vector<const char*> names{"sgemm", "histogram"};
  if (!all_here(names)) GTEST_SKIP();
  const Together run = run_together(names, {{"sharing.policy", "temporal"},
                                            {"sharing.temporal.round", "5000"},
                                            {"sm.mmu.kind", "tlb"},
                                            {"sm.mmu.one_root", "true"},
                                            {"check_lines", "true"}});
  EXPECT_EQ(run.passed, std::vector<bool>(2, true));
  EXPECT_GT(run.counters.at("gpu.temporal.switches"), 1u);
}

TEST(Smk, EachApplicationKeepsToItsShareOfEverySm) {
  const std::vector<const char*> names{"sgemm", "histogram"};
  if (!all_here(names)) GTEST_SKIP();
  const auto occupancy = [&](const char* split) {
    const Together run = run_together(names, {{"sharing.policy", "smk"}, {"sharing.smk.split", split}});
    EXPECT_EQ(run.passed, std::vector<bool>(2, true));
    EXPECT_EQ(
        run.counters.at("gpu.sm.application_0.instructions") + run.counters.at("gpu.sm.application_1.instructions"),
        run.counters.at("gpu.sm.instructions"));
    EXPECT_EQ(run.counters.at("gpu.sm.application_0.warp_cycles") + run.counters.at("gpu.sm.application_1.warp_cycles"),
              run.counters.at("gpu.sm.warp_cycles"));
    return static_cast<double>(run.counters.at("gpu.sm.application_0.warp_cycles")) /
           static_cast<double>(run.cycles[0]);
  };
  const double most = 3 * 48;  // warps of three SMs
  EXPECT_LE(occupancy("1:1"), most / 2);
  EXPECT_LE(occupancy("1:5"), most / 6);
  EXPECT_GT(occupancy("5:1"), occupancy("1:5"));
}

TEST(Smk, RefusesASplitOfAnotherNumber) {
  EXPECT_THROW((void)run_together({"sgemm", "sgemm"}, {{"sharing.policy", "smk"}, {"sharing.smk.split", "1:1:1"}}),
               UserError);
}

}  // namespace
}  // namespace heddle::test
