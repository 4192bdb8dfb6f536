// Blocks that are stopped at random moments, taken out and started again, on the same SM or another: nothing that a
// program computes changes, and neither does anything with the number of host threads.
#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "core/sm.h"
#include "small_gpu.h"
#include "workloads/workload.h"

namespace heddle::test {
namespace {

using Sms = std::span<const std::unique_ptr<core::Sm>>;

/// Stops a block every now and then, takes it out when it can be, keeps it for a while and starts it somewhere. New
/// blocks go where there is room.
class Mover final : public gpu::SharingPolicy {
 public:
  struct Parameters : sim::ParameterGroup {
    using ParameterGroup::ParameterGroup;
    sim::Parameter<unsigned> seed{*this, "seed", 1, {0, 1000}, "", "Of what is random."};
  };
  struct Statistics : sim::StatisticGroup {
    using StatisticGroup::StatisticGroup;
    sim::Counter moved{*this, "moved", "blocks", "Blocks taken out."};
    sim::Counter bytes{*this, "bytes", "bytes", "What an SM would have had to save for them."};
  };
  explicit Mover(const sim::Context& context)
      : statistics_(context), random_(context.parameters<Parameters>().seed.get()) {
    rearranges_ = true;
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
  sim::Cycle rearrange(Sms sms, sim::Cycle now) override {
    if (saved_ && now >= back_at_) give_back(now, sms);
    if (stopping_) {
      core::Sm& sm = *sms[from_];
      if (sm.can_take_out(*stopping_, now)) {
        saved_ = sm.take_out(*stopping_);
        statistics_.bytes += saved_->bytes();
        stopping_.reset();
        back_at_ = now + random_() % 500;
        ++statistics_.moved;
      }
    } else if (!saved_ && random_() % 3 == 0) {
      from_ = random_() % sms.size();
      const std::vector<std::uint32_t> slots = sms[from_]->running_blocks();
      if (!slots.empty()) {
        stopping_ = slots[random_() % slots.size()];
        sms[from_]->stop_block(*stopping_, now);
      }
    }
    return saved_ ? now + 1 : sim::kNever;
  }

 private:
  void give_back(sim::Cycle now, Sms sms) {
    for (std::size_t tried = 0, s = random_(); tried < sms.size(); ++tried, ++s) {
      core::Sm& sm = *sms[s % sms.size()];
      if (!sm.can_take(*saved_->kernel)) continue;
      sm.start_block(std::move(*saved_), now);
      saved_.reset();
      return;
    }
  }

  Statistics statistics_;
  std::minstd_rand random_;
  std::optional<core::SavedBlock> saved_;
  std::optional<std::uint32_t> stopping_;
  std::size_t from_ = 0;
  sim::Cycle back_at_ = 0;
};
[[maybe_unused]] const bool kMover = gpu::SharingPolicies::instance().add<Mover>("test-mover", "Moves blocks.");

class MovedBlocks : public testing::TestWithParam<const char*> {};

using MoveSettings = std::vector<std::pair<std::string, std::string>>;

std::map<std::string, std::uint64_t> run_moved(const workloads::Workload& workload, unsigned seed, unsigned threads,
                                               const char* writes, unsigned& moved, const MoveSettings& settings = {}) {
  auto gpu = std::make_shared<gpu::GpuParameters>();
  gpu->set_text("sms", "3");
  gpu->set_text("memory.partitions", "2");
  gpu->set_text("sm.l1.writes", writes);
  gpu->set_text("sharing.policy", "test-mover");
  gpu->set_text("sharing.test_mover.seed", std::to_string(seed));
  for (const auto& [path, value] : settings) gpu->set_text(path, value);
  runtime::Device::Options options;
  options.gpu = gpu;
  options.threads = threads;
  runtime::Device device(options);
  workloads::Request request;
  request.elements = workload.sizes().front().elements;
  const workloads::Outcome outcome = workload.run(device, request);
  EXPECT_TRUE(outcome.passed) << outcome.detail;
  auto counters = sim::totals(device.gpu()->statistics());
  moved += static_cast<unsigned>(counters.at("gpu.test_mover.moved"));
  EXPECT_GE(counters.at("gpu.test_mover.bytes"), counters.at("gpu.test_mover.moved") * 32);
  return counters;
}

TEST_P(MovedBlocks, ComputeTheSameWithAnyNumberOfThreads) {
  const workloads::Workload* workload = workloads::find(GetParam());
  unsigned moved = 0;
  for (const unsigned seed : {1u, 2u}) {
    const char* writes = seed == 1 ? "evict" : "write-back";
    const auto one = run_moved(*workload, seed, 1, writes, moved);
    EXPECT_EQ(one, run_moved(*workload, seed, 2, writes, moved));
  }
  EXPECT_GT(moved, 0u);
}

class StagedBlocks : public testing::TestWithParam<const char*> {};

TEST_P(StagedBlocks, FindTheirRegistersAgain) {
  // Blocks are taken out in the middle of regions; each register that is read is compared with what was written last.
  const workloads::Workload* workload = workloads::find(GetParam());
  for (const char* divergence : {"stack", "independent"}) {
    SCOPED_TRACE(divergence);
    const MoveSettings regless{{"sm.operands", "regless"},
                               {"sm.regless.entries", "64"},
                               {"sm.regless.compressor_lines", "2"},
                               {"sm.divergence", divergence},
                               {"check_lines", "true"}};
    unsigned moved = 0;
    const auto one = run_moved(*workload, 3, 1, "evict", moved, regless);
    EXPECT_GT(moved, 0u);
    EXPECT_EQ(one, run_moved(*workload, 3, 3, "evict", moved, regless));
  }
}

/// Builds with sanitizers have some of the workloads only.
std::vector<const char*> workloads_here(std::vector<const char*> names) {
  std::erase_if(names, [](const char* name) { return workloads::find(name) == nullptr; });
  return names;
}

INSTANTIATE_TEST_SUITE_P(Workloads, MovedBlocks,
                         testing::ValuesIn(workloads_here({"sgemm", "histogram", "bfs", "transpose_shared", "reduction",
                                                           "mis", "lud", "scan"})),
                         [](const auto& instance) { return std::string(instance.param); });

INSTANTIATE_TEST_SUITE_P(Workloads, StagedBlocks,
                         testing::ValuesIn(workloads_here({"sgemm", "histogram", "reduction", "mis", "scan"})),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace heddle::test
