// All-pairs shortest paths in tiles. Integers: exact.
#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/shortest_paths.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(fw_block)

namespace heddle::workloads::fw_block {
namespace {

constexpr std::uint32_t kTile = 16;

class FloydWarshallBlocked final : public Workload {
 public:
  FloydWarshallBlocked()
      : Workload({.name = "fw_block",
                  .summary = "Blocked Floyd-Warshall: diagonal, cross and the rest, in 16x16 tiles of shared memory.",
                  .suite = "Pannotia",
                  .papers = {{"virtual_caching", "fw_block", {Trait::kTranslationHigh}}},
                  .kernels = {{"fw_block_diagonal", "fw_block_1"},
                              {"fw_block_cross", "fw_block_2"},
                              {"fw_block_rest", "fw_block_3"}},
                  .unit = "vertices (rounded up to a multiple of 16)",
                  .sizes = {{"tiny", 64}, {"small", 192}, {"medium", 432}, {"paper", 512}},
                  .least = 1,
                  .most = 8'192,
                  .ptx = embedded::fw_block}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto n = static_cast<std::uint32_t>(round_up(request.elements, kTile));
    std::vector<std::int32_t> expected = random_distances(n, request.seed);
    const runtime::Module module = load(device);
    const runtime::DeviceArray<std::int32_t> distance(device, expected);
    const std::uint32_t tiles = n / kTile;
    for (std::uint32_t round = 0; round < tiles; ++round) {
      device.launch(module.kernel("fw_block_diagonal"), {1}, {kTile, kTile}, 0, distance.address(), n, round);
      device.launch(module.kernel("fw_block_cross"), {tiles, 2}, {kTile, kTile}, 0, distance.address(), n, round);
      device.launch(module.kernel("fw_block_rest"), {tiles, tiles}, {kTile, kTile}, 0, distance.address(), n, round);
    }
    shortest_paths(expected, n);
    return compare_exact(expected, distance.download(), "distances");
  }
};

}  // namespace

HEDDLE_WORKLOAD(FloydWarshallBlocked)

}  // namespace heddle::workloads::fw_block
