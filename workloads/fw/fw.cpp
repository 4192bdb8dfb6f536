// All-pairs shortest paths. Integers: exact.
#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/shortest_paths.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(fw)

namespace heddle::workloads::fw {
namespace {

constexpr std::uint32_t kTile = 16;

class FloydWarshall final : public Workload {
 public:
  FloydWarshall()
      : Workload({.name = "fw",
                  .summary = "Floyd-Warshall, a launch per vertex; lanes go down a column, so that each touches "
                             "another line and page.",
                  .suite = "Pannotia",
                  .papers = {{"virtual_caching", "fw", {Trait::kTranslationHigh, Trait::kDivergent}}},
                  .kernels = {{"fw_step", "fw"}},
                  .unit = "vertices",
                  .sizes = {{"tiny", 40}, {"small", 136}, {"medium", 300}, {"paper", 512}},
                  .least = 1,
                  .most = 8'192,
                  .ptx = embedded::fw}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto n = static_cast<std::uint32_t>(request.elements);
    std::vector<std::int32_t> expected = random_distances(n, request.seed);
    const runtime::Module module = load(device);
    const runtime::DeviceArray<std::int32_t> distance(device, expected);
    std::vector<std::int32_t> expected_next(expected.size(), -1);
    const runtime::DeviceArray<std::int32_t> next(device, expected_next);
    const std::uint32_t blocks = blocks_for(n, kTile);
    for (std::uint32_t k = 0; k < n; ++k) {
      device.launch(module.kernel("fw_step"), {blocks, blocks}, {kTile, kTile}, 0, distance.address(), next.address(),
                    n, k);
    }
    shortest_paths(expected, n, &expected_next);
    return both(compare_exact(expected, distance.download(), "distances"),
                compare_exact(expected_next, next.download(), "vertices between"));
  }
};

}  // namespace

HEDDLE_WORKLOAD(FloydWarshall)

}  // namespace heddle::workloads::fw
