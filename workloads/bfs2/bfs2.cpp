// Breadth-first search on a graph with uniformly drawn edges, from vertex 0. Levels are unique, so the check is exact.
#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/graph.h"
#include "workloads/common/host.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(bfs2)

namespace heddle::workloads {
namespace {

constexpr std::uint32_t kBlock = 512;
constexpr std::uint32_t kAverageDegree = 6;

struct Node {
  std::int32_t first = 0;
  std::int32_t count = 0;
};

class Bfs2 final : public Workload {
 public:
  Bfs2()
      : Workload({.name = "bfs2",
                  .summary =
                      "Breadth-first search on a uniform random graph, a launch per level over all vertices; few "
                      "threads active, neighbours anywhere.",
                  .suite = "Rodinia",
                  .papers = {{"mask", "BFS2", {Trait::kL1TlbLow, Trait::kL2TlbHigh}}},
                  .kernels = {{"bfs2_visit", "BFS2-1"}, {"bfs2_update", "BFS2-2"}},
                  .unit = "vertices",
                  .sizes = {{"tiny", 1'500}, {"small", 60'000}, {"medium", 500'000}, {"paper", 1'000'000}},
                  .least = 1,
                  .most = std::uint64_t{1} << 26,
                  .ptx = embedded::bfs2}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto vertices = static_cast<std::uint32_t>(request.elements);
    const CsrGraph graph = uniform_graph(vertices, kAverageDegree, request.seed);
    return compare_exact(breadth_first_levels(graph, 0), search(device, graph), "levels");
  }

 private:
  std::vector<std::int32_t> search(runtime::Device& device, const CsrGraph& graph) const {
    const std::uint32_t vertices = graph.vertices();
    std::vector<Node> nodes(vertices);
    for (std::uint32_t v = 0; v < vertices; ++v) {
      nodes[v] = {static_cast<std::int32_t>(graph.row_start[v]), static_cast<std::int32_t>(graph.degree(v))};
    }
    std::vector<std::uint8_t> only_source(vertices, 0);
    only_source[0] = 1;
    std::vector<std::int32_t> no_cost(vertices, -1);
    no_cost[0] = 0;
    std::vector<std::uint32_t> edges = graph.neighbour;
    edges.push_back(0);  // a graph without edges still needs an address to pass

    const runtime::Module module = load(device);
    const runtime::DeviceArray<Node> device_nodes(device, nodes);
    const runtime::DeviceArray<std::uint32_t> device_edges(device, edges);
    const runtime::DeviceArray<std::uint8_t> mask(device, only_source);
    const runtime::DeviceArray<std::uint8_t> visited(device, only_source);
    runtime::DeviceArray<std::uint8_t> updating(device, vertices);
    updating.fill(0);
    const runtime::DeviceArray<std::int32_t> cost(device, no_cost);
    runtime::DeviceArray<std::int32_t> again(device, 1);
    const Dim3 grid{blocks_for(vertices, kBlock)};
    do {
      again.fill(0);
      device.launch(module.kernel("bfs2_visit"), grid, {kBlock}, 0, device_nodes.address(), device_edges.address(),
                    mask.address(), updating.address(), visited.address(), cost.address(), vertices);
      device.launch(module.kernel("bfs2_update"), grid, {kBlock}, 0, mask.address(), updating.address(),
                    visited.address(), again.address(), vertices);
    } while (again.download()[0] != 0);
    return cost.download();
  }
};

}  // namespace
}  // namespace heddle::workloads

HEDDLE_WORKLOAD(heddle::workloads::Bfs2)
