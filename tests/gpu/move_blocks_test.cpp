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

/// Stops a block every now and then, takes it out when it can be, keeps it for a while and starts it somewhere.
class Mover {
 public:
  explicit Mover(unsigned seed) : random_(seed) {}

  sim::Cycle operator()(sim::Cycle now, std::vector<std::unique_ptr<core::Sm>>& sms) {
    if (saved_ && now >= back_at_) give_back(now, sms);
    if (stopping_) {
      core::Sm& sm = *sms[from_];
      if (sm.can_take_out(*stopping_, now)) {
        saved_ = sm.take_out(*stopping_);
        bytes_ += saved_->bytes();
        stopping_.reset();
        back_at_ = now + random_() % 500;
        ++moved;
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
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  unsigned moved = 0;

 private:
  void give_back(sim::Cycle now, std::vector<std::unique_ptr<core::Sm>>& sms) {
    for (std::size_t tried = 0, s = random_(); tried < sms.size(); ++tried, ++s) {
      core::Sm& sm = *sms[s % sms.size()];
      if (!sm.can_take(*saved_->kernel)) continue;
      sm.start_block(std::move(*saved_), now);
      saved_.reset();
      return;
    }
  }

  std::minstd_rand random_;
  std::optional<core::SavedBlock> saved_;
  std::optional<std::uint32_t> stopping_;
  std::size_t from_ = 0;
  sim::Cycle back_at_ = 0;
  std::uint64_t bytes_ = 0;
};

class MovedBlocks : public testing::TestWithParam<const char*> {};

std::map<std::string, std::uint64_t> run_moved(const workloads::Workload& workload, unsigned seed, unsigned threads,
                                               const char* writes, unsigned& moved) {
  auto gpu = std::make_shared<gpu::GpuParameters>();
  gpu->set_text("sms", "3");
  gpu->set_text("memory.partitions", "2");
  gpu->set_text("sm.l1.writes", writes);
  runtime::Device::Options options;
  options.gpu = gpu;
  options.threads = threads;
  runtime::Device device(options);
  const auto mover = std::make_shared<Mover>(seed);
  device.gpu()->set_block_mover([mover](sim::Cycle now, auto& sms) { return (*mover)(now, sms); });
  workloads::Request request;
  request.elements = workload.sizes().front().elements;
  const workloads::Outcome outcome = workload.run(device, request);
  EXPECT_TRUE(outcome.passed) << outcome.detail;
  moved += mover->moved;
  return sim::totals(device.gpu()->statistics());
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

/// Builds with sanitizers have some of the workloads only.
std::vector<const char*> workloads_here() {
  std::vector<const char*> names = {"sgemm", "histogram", "bfs", "transpose_shared", "reduction", "mis", "lud", "scan"};
  std::erase_if(names, [](const char* name) { return workloads::find(name) == nullptr; });
  return names;
}

INSTANTIATE_TEST_SUITE_P(Workloads, MovedBlocks, testing::ValuesIn(workloads_here()),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace heddle::test
