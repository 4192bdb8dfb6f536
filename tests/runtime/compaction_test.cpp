// A divergence of another kind, in one file: slots whose lanes are from several warps, as thread block compaction has
// them. Here lanes of two warps are exchanged once and for all: values, addresses and counts must be those of slots
// that are whole.
#include "exec/divergence_registry.h"
#include "exec/launch.h"
#include "gpu/gpu.h"
#include "kernel_bench.h"

namespace heddle::runtime {
namespace {

/// Exchanges some lanes of warps 0 and 1, 2 and 3, ... Their kernel must not diverge.
class ExchangedUnit final : public exec::DivergenceUnit {
 public:
  struct Parameters : sim::ParameterGroup {
    using ParameterGroup::ParameterGroup;
    sim::Parameter<unsigned> lanes{*this, "lanes", 0xaaaaaaaa, {0, 0xffffffff}, "", "Lanes to exchange."};
  };
  struct Statistics : sim::StatisticGroup {
    using StatisticGroup::StatisticGroup;
    sim::Counter pairs{*this, "pairs", "pairs", "Warps that exchanged lanes."};
  };
  explicit ExchangedUnit(const sim::Context& context)
      : statistics(context), parameters(context.parameters<Parameters>()) {}
  std::unique_ptr<exec::Divergence> make() override;

  Statistics statistics;
  const Parameters& parameters;
};

class Exchanged final : public exec::Divergence {
 public:
  explicit Exchanged(ExchangedUnit& unit) : unit_(unit) {}
  void start(exec::ThreadBlock& block) override {
    const LaneMask exchanged = unit_.parameters.lanes;
    for (std::size_t w = 0; w + 1 < block.warps.size(); w += 2) {
      exec::Warp& one = block.warps[w];
      exec::Warp& other = block.warps[w + 1];
      one.parts = {{&one, ~exchanged}, {&other, exchanged}};
      other.parts = {{&other, ~exchanged}, {&one, exchanged}};
      ++unit_.statistics.pairs;
    }
  }
  void apply(exec::Warp& slot, const exec::Outcome& outcome) override {
    ASSERT_EQ(outcome.lanes, slot.path.mask);
    if (outcome.kind == exec::Outcome::Kind::exit) {
      slot.alive = slot.path.mask = 0;
      slot.state = exec::WarpState::done;
    } else {
      slot.jump(outcome.target);
    }
  }
  void arrived(exec::Warp& /*slot*/) override {}
  bool waits_for(exec::Warp& /*slot*/, LaneMask /*named*/) override { return false; }

 private:
  ExchangedUnit& unit_;
};

std::unique_ptr<exec::Divergence> ExchangedUnit::make() { return std::make_unique<Exchanged>(*this); }

[[maybe_unused]] const bool kExchangedRegistered = exec::DivergenceRegistry::instance().add<ExchangedUnit>(
    "test-exchanged", "For a test: lanes of two warps are exchanged.");

// Guards, loads, stores, atomics, shared memory, a loop and a barrier.
constexpr std::string_view kExchangedBody =
    "mad.lo.u32 %r3, %r2, 4, 0; mov.u32 %r4, shared_data; add.u32 %r3, %r3, %r4; st.shared.u32 [%r3], %r2; bar.sync "
    "0;\n"
    "xor.b32 %r5, %r2, 33; mad.lo.u32 %r5, %r5, 4, %r4; ld.shared.u32 %r6, [%r5]; mov.u32 %r7, 0;\n"
    "L: add.u32 %r6, %r6, %r2; add.u32 %r7, %r7, 1; setp.lt.u32 %p0, %r7, 5; @%p0 bra L;\n"
    "and.b32 %r8, %r2, 3; setp.eq.u32 %p1, %r8, 0; @%p1 add.u32 %r6, %r6, 1000; atom.global.add.u32 %r9, [%d0+256], "
    "1;\n"
    "setp.gt.u32 %p2, %r9, 63; @%p2 trap; st.global.u32 [%d1], %r6; ld.global.u32 %r6, [%d1]; @!%p1 st.global.u32 "
    "[%d1], "
    "%r6;";

void compare_exchanged(bool timed) {
  std::vector<std::uint32_t> results[2];
  std::uint64_t instructions[2] = {};
  std::uint64_t threads[2] = {};
  for (int exchanged = 0; exchanged < 2; ++exchanged) {
    Device::Options options;
    const std::string kind = exchanged != 0 ? "test-exchanged" : "stack";
    options.divergence = exec::divergence_named(kind);
    if (timed) {
      auto gpu = std::make_shared<gpu::GpuParameters>();
      gpu->set_text("sms", "1");
      gpu->set_text("sm.divergence", kind);
      gpu->set_text("sm.test_exchanged.lanes", "3855");
      options.gpu = gpu;
    }
    Bench bench(options);
    results[exchanged] = bench.run(kExchangedBody, {1}, {64}, 65);
    instructions[exchanged] = bench.device().launches().back().warp_instructions;
    threads[exchanged] = bench.device().launches().back().thread_instructions;
    if (timed && exchanged != 0) {
      EXPECT_EQ(sim::totals(bench.device().gpu()->statistics()).at("gpu.sm.test_exchanged.pairs"), 1);
    }
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0][64], 64u);
  EXPECT_EQ(instructions[0], instructions[1]);
  EXPECT_EQ(threads[0], threads[1]);
}

TEST(Compaction, OfLanesFromTwoWarpsComputesTheSame) { compare_exchanged(false); }
TEST(Compaction, OfLanesFromTwoWarpsIsTimedAsOneIssue) { compare_exchanged(true); }

}  // namespace
}  // namespace heddle::runtime
