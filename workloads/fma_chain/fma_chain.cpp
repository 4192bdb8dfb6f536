// A chain of fused multiply-adds per thread: no memory traffic to speak of. The fused operation rounds once, on a GPU
// and in std::fma alike, so the check is exact.
#include <cmath>

#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/random.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(fma_chain)

namespace heddle::workloads::fma_chain {
namespace {

constexpr std::uint32_t kBlock = 256;
constexpr std::uint32_t kRounds = 32;
constexpr std::uint32_t kPerRound = 32;
constexpr std::uint32_t kStarts = 1024;
constexpr float kA = 0.999f;
constexpr float kB = 0.125f;

class FmaChain final : public Workload {
 public:
  FmaChain()
      : Workload({.name = "fma_chain",
                  .summary = "1024 dependent fused multiply-adds per thread: bound by arithmetic latency and issue.",
                  .suite = "Heddle",
                  .papers = {},
                  .kernels = {{"fma_chain", "fma_chain"}},
                  .unit = "threads",
                  .sizes = {{"tiny", 2'048}, {"small", 61'440}, {"medium", 614'400}},
                  .least = 1,
                  .most = std::uint64_t{1} << 28,
                  .ptx = embedded::fma_chain}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto threads = static_cast<std::uint32_t>(request.elements);
    Random random(request.seed);
    std::vector<float> start(kStarts);
    for (float& v : start) v = random.uniform(-100.0f, 100.0f);
    const runtime::Module module = load(device);
    const runtime::DeviceArray<float> device_start(device, start);
    const runtime::DeviceArray<float> end(device, threads);
    device.launch(module.kernel("fma_chain"), {blocks_for(threads, kBlock)}, {kBlock}, 0, device_start.address(),
                  threads, kRounds, kA, kB, end.address());

    std::vector<float> chains = start;
    for (float& x : chains) {
      for (std::uint32_t i = 0; i < kRounds * kPerRound; ++i) x = std::fma(x, kA, kB);
    }
    std::vector<float> expected(threads);
    for (std::uint32_t t = 0; t < threads; ++t) expected[t] = chains[t % kStarts];
    return compare_exact(expected, end.download(), "chains");
  }
};

}  // namespace

HEDDLE_WORKLOAD(FmaChain)

}  // namespace heddle::workloads::fma_chain
