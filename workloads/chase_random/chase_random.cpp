// Random chase: the worst case of a memory system. Eight dependent loads per thread; the lines form a random
// permutation and threads begin at different ones, so that no two threads ever read the same line in the same step: 32
// lines per warp load, and nothing to coalesce.
#include <numeric>

#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/random.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(chase_random)

namespace heddle::workloads::chase_random {
namespace {

constexpr std::uint32_t kBlock = 256;
constexpr std::uint32_t kSteps = 8;
constexpr std::uint32_t kSpread = 8;  ///< lines per thread: one for each step
constexpr std::uint32_t kWordsPerLine = 32;

class ChaseRandom final : public Workload {
 public:
  ChaseRandom()
      : Workload({.name = "chase_random",
                  .summary = "Eight dependent loads per thread over random lines; every warp load touches 32 of them.",
                  .suite = "Heddle",
                  .papers = {},
                  .kernels = {{"chase_random", "chase_random"}},
                  .unit = "threads",
                  .sizes = {{"tiny", 1'024}, {"small", 20'480}, {"medium", 327'680}},
                  .least = 1,
                  .most = std::uint64_t{1} << 23,
                  .ptx = embedded::chase_random}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto threads = static_cast<std::uint32_t>(request.elements);
    const std::uint32_t lines = threads * kSpread;
    std::vector<std::uint32_t> next(lines);
    std::iota(next.begin(), next.end(), 0u);
    Random random(request.seed);
    for (std::uint32_t i = lines - 1; i > 0; --i) std::swap(next[i], next[random.below(i + 1)]);

    const runtime::Module module = load(device);
    const runtime::DeviceArray<std::uint32_t> table(device, std::size_t{lines} * kWordsPerLine);
    {
      std::vector<std::uint32_t> spread(std::size_t{lines} * kWordsPerLine, 0);
      for (std::uint32_t i = 0; i < lines; ++i) spread[std::size_t{i} * kWordsPerLine] = next[i];
      device.copy_to_device(table.address(), spread.data(), spread.size() * sizeof(std::uint32_t));
    }
    const runtime::DeviceArray<std::uint32_t> end(device, threads);
    device.launch(module.kernel("chase_random"), {blocks_for(threads, kBlock)}, {kBlock}, 0, table.address(), threads,
                  kSpread, end.address());

    std::vector<std::uint32_t> expected(threads);
    for (std::uint32_t t = 0; t < threads; ++t) {
      std::uint32_t at = t * kSpread;
      for (std::uint32_t step = 0; step < kSteps; ++step) at = next[at];
      expected[t] = at;
    }
    return compare_exact(expected, end.download(), "last lines");
  }
};

}  // namespace

HEDDLE_WORKLOAD(ChaseRandom)

}  // namespace heddle::workloads::chase_random
