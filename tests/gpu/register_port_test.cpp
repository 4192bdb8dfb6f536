// Who has the L1 first in a cycle: registers that lie in memory, or data (core/operand_storage.h).
#include <gtest/gtest.h>

#include <algorithm>

#include "small_gpu.h"

namespace heddle::test {
namespace {

/// Wants the L1 in every cycle up to one, for a register that it has.
class Greedy final : public core::OperandStorage {
 public:
  explicit Greedy(const Setup& /*setup*/) {
    wakes_at_ = 0;
    goes_first_ = first;
    taken.clear();
  }
  [[nodiscard]] bool fits(unsigned /*registers*/, unsigned /*warps*/) const override { return true; }
  void block_started(unsigned /*registers*/, unsigned /*warps*/) override {}
  void block_ended(unsigned /*registers*/, unsigned /*warps*/) override {}
  [[nodiscard]] sim::Cycle dispatch(unsigned /*warp*/, const core::TimedOp& /*op*/, sim::Cycle pipe,
                                    sim::Cycle now) override {
    return std::max(pipe, now);
  }
  void tick(sim::Cycle now, core::RegisterPort& port) override {
    if (now >= from && port.store({memory::PhysLine{0x4000}, 0xf, 0}, now)) taken.push_back(now);
    wakes_at_ = now + 1 < until ? now + 1 : sim::kNever;
  }

  static inline bool first = false;
  static inline sim::Cycle from = 0;
  static inline sim::Cycle until = 0;
  static inline std::vector<sim::Cycle> taken;  ///< cycles in which the L1 took its request
};
[[maybe_unused]] const bool kGreedy = core::OperandStorageRegistry::instance().add<Greedy>("test-greedy", "Wants all.");

struct PortOutcome {
  std::uint64_t latency = 0;  ///< of all loads together, from issue to data
  std::uint64_t waited = 0;   ///< cycles that data waited for registers
  std::vector<sim::Cycle> taken;
};

/// A chain of loads that miss, while registers want the L1 in cycles [from, until).
PortOutcome chase(std::uint32_t loads, bool first, sim::Cycle from, sim::Cycle until) {
  auto gpu = small_gpu();
  gpu->set_text("sm.operands", "test-greedy");
  Greedy::first = first;
  Greedy::from = from;
  Greedy::until = until;
  runtime::Device::Options options;
  options.gpu = gpu;
  runtime::Device device(options);
  const Ring ring(device, 10, 4096);
  const runtime::DeviceArray<std::uint64_t> out(device, 1);
  const runtime::Module module = device.load(chase_ptx("ld.global.u64"), "chase.ptx");
  device.launch(module.kernel("chase"), {1, 1, 1}, {1, 1, 1}, 0, ring.start(), out.address(), loads);
  const auto totals = sim::totals(device.gpu()->statistics());
  return {totals.at("gpu.sm.load_latency"), totals.at("gpu.sm.stall_registers"), Greedy::taken};
}

TEST(RegisterPort, DataThatGoFirstLoseNoCycleAndRegistersGetTheOthers) {
  const PortOutcome alone = chase(10, false, 0, 0);
  const PortOutcome beside = chase(10, false, 0, 1'000'000);
  EXPECT_EQ(beside.latency, alone.latency);
  EXPECT_EQ(beside.waited, 0u);
  // Ten loads and a store went to the L1: in these cycles registers did not.
  ASSERT_FALSE(beside.taken.empty());
  const sim::Cycle seen = beside.taken.back() - beside.taken.front() + 1;
  EXPECT_EQ(seen - beside.taken.size(), 11u);
}

TEST(RegisterPort, RegistersThatGoFirstHoldDataUpForAsLongAsTheyWantTheL1) {
  const PortOutcome alone = chase(1, true, 0, 0);
  // When the load comes to the L1: registers that want it in just this cycle hold it up for one.
  sim::Cycle at = 0;
  while (at < 1000 && chase(1, true, at, at + 1).waited == 0) ++at;
  ASSERT_LT(at, 1000u);
  for (const sim::Cycle many : {1u, 2u, 5u, 23u}) {
    const PortOutcome held = chase(1, true, at, at + many);
    EXPECT_EQ(held.waited, many);
    EXPECT_EQ(held.latency, alone.latency + many);
    EXPECT_EQ(held.taken.size(), many) << "a request in each cycle";
  }
  const PortOutcome second = chase(1, false, at, at + 23);
  EXPECT_EQ(second.latency, alone.latency);
  EXPECT_EQ(second.taken.size(), 22u) << "the load had the first of these cycles";
}

}  // namespace
}  // namespace heddle::test
