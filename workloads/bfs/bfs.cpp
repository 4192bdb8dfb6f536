// Breadth-first search on an R-MAT graph, from its best connected vertex. Levels are unique, so the check is exact.
#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/graph.h"
#include "workloads/common/host.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(bfs)

namespace heddle::workloads {
namespace {

constexpr std::uint32_t kBlock = 256;
constexpr std::uint32_t kAverageDegree = 8;

class Bfs final : public Workload {
 public:
  Bfs()
      : Workload(
            {.name = "bfs",
             .summary =
                 "Breadth-first search on a power-law graph, one thread per vertex; irregular loads and divergence.",
             .suite = "Rodinia",
             .papers = {{"pichai", "bfs", {Trait::kDivergent}},
                        {"power", "bfs", {Trait::kMemoryBound}},
                        {"regless", "bfs", {Trait::kMemoryBound}},
                        {"scavenger", "BFS", {Trait::kMemoryBound}},
                        {"virtual_caching", "bfs", {Trait::kTranslationHigh, Trait::kDivergent}}},
             .kernels = {{"bfs_expand", "bfs_1"}, {"bfs_advance", "bfs_2"}},
             .unit = "vertices",
             .sizes = {{"tiny", 1'000}, {"small", 36'000}, {"medium", 300'000}, {"paper", 25'200'000}},
             .least = 2,
             .most = std::uint64_t{1} << 26,
             .ptx = embedded::bfs}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto vertices = static_cast<std::uint32_t>(request.elements);
    const CsrGraph graph = rmat_graph(vertices, kAverageDegree, request.seed);
    const std::uint32_t source = hub(graph);
    return compare_exact(breadth_first_levels(graph, source), levels(device, graph, source), "levels");
  }

 private:
  std::vector<std::int32_t> levels(runtime::Device& device, const CsrGraph& graph, std::uint32_t source) const {
    const std::uint32_t vertices = graph.vertices();
    std::vector<std::uint8_t> only_source(vertices, 0);
    only_source[source] = 1;
    std::vector<std::int32_t> cost(vertices, -1);
    cost[source] = 0;

    const runtime::Module module = load(device);
    const runtime::Kernel expand = module.kernel("bfs_expand");
    const runtime::Kernel advance = module.kernel("bfs_advance");
    const runtime::DeviceArray<std::uint32_t> row_start(device, graph.row_start);
    // A graph without edges still needs an address to pass.
    const runtime::DeviceArray<std::uint32_t> neighbour(
        device, graph.neighbour.empty() ? std::vector<std::uint32_t>{0} : graph.neighbour);
    const runtime::DeviceArray<std::uint8_t> frontier(device, only_source);
    const runtime::DeviceArray<std::uint8_t> visited(device, only_source);
    runtime::DeviceArray<std::uint8_t> marked(device, vertices);
    marked.fill(0);
    const runtime::DeviceArray<std::int32_t> device_cost(device, cost);
    runtime::DeviceArray<std::int32_t> go_on(device, 1);

    const Dim3 grid{blocks_for(vertices, kBlock)};
    do {
      go_on.fill(0);
      device.launch(expand, grid, {kBlock}, 0, row_start.address(), neighbour.address(), frontier.address(),
                    marked.address(), visited.address(), device_cost.address(), vertices);
      device.launch(advance, grid, {kBlock}, 0, frontier.address(), marked.address(), visited.address(),
                    go_on.address(), vertices);
    } while (go_on.download()[0] != 0);
    return device_cost.download();
  }
};

}  // namespace
}  // namespace heddle::workloads

HEDDLE_WORKLOAD(heddle::workloads::Bfs)
