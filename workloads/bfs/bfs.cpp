// Breadth-first search from vertex 0. Levels are unique, so the check is exact.
#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/graph.h"
#include "workloads/common/graph_inputs.h"
#include "workloads/common/host.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(bfs)

namespace heddle::workloads::bfs {
namespace {

constexpr std::uint32_t kBlock = 512;
constexpr std::uint32_t kAverageDegree = 6;

struct Node {
  std::int32_t first = 0;
  std::int32_t count = 0;
};

class Bfs final : public Workload {
 public:
  Bfs()
      : Workload({.name = "bfs",
                  .summary =
                      "Breadth-first search, a launch per level over all vertices; few threads active, neighbours "
                      "anywhere.",
                  .suite = "Rodinia",
                  .papers = {{"mask", "BFS2", {Trait::kL1TlbLow, Trait::kL2TlbHigh}},
                             {"pichai", "bfs", {Trait::kDivergent}},
                             {"power", "bfs", {Trait::kMemoryBound}},
                             {"regless", "bfs", {Trait::kMemoryBound}},
                             {"scavenger", "BFS", {Trait::kMemoryBound}},
                             {"virtual_caching", "bfs", {Trait::kTranslationHigh, Trait::kDivergent}}},
                  .kernels = {{"bfs_visit", "bfs_1"}, {"bfs_update", "bfs_2"}},
                  .unit = "vertices",
                  // paper: pichai says that it touches more than 1 GB, and a vertex takes 39 bytes
                  .sizes = {{"tiny", 1'500}, {"small", 60'000}, {"medium", 500'000}, {"paper", 28'000'000}},
                  .inputs = {kUniformGraph, kPowerLawGraph, kRoadGraph, kGridGraph},
                  .least = 2,
                  .most = std::uint64_t{1} << 26,
                  .ptx = embedded::bfs}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const CsrGraph graph = make_graph(request, kAverageDegree);
    // In a power-law graph vertex 0 may have no neighbour; the search then starts where there are most.
    const std::uint32_t source = graph.degree(0) == 0 ? hub(graph) : 0;
    return compare_exact(breadth_first_levels(graph, source), search(device, graph, source), "levels");
  }

 private:
  std::vector<std::int32_t> search(runtime::Device& device, const CsrGraph& graph, std::uint32_t source) const {
    const std::uint32_t vertices = graph.vertices();
    std::vector<Node> nodes(vertices);
    for (std::uint32_t v = 0; v < vertices; ++v) {
      nodes[v] = {static_cast<std::int32_t>(graph.row_start[v]), static_cast<std::int32_t>(graph.degree(v))};
    }
    std::vector<std::uint8_t> only_source(vertices, 0);
    only_source[source] = 1;
    std::vector<std::int32_t> no_cost(vertices, -1);
    no_cost[source] = 0;
    std::vector<std::uint32_t> edges = graph.neighbour;
    edges.push_back(0);  // a graph without edges still needs an address to pass

    const runtime::Module module = load(device);
    const runtime::DeviceArray<Node> device_nodes(device, nodes);
    const runtime::DeviceArray<std::uint32_t> device_edges(device, edges);
    const runtime::DeviceArray<std::uint8_t> mask(device, only_source);
    runtime::DeviceArray<std::uint8_t> updating(device, vertices);
    updating.fill(0);
    const runtime::DeviceArray<std::uint8_t> visited(device, only_source);
    const runtime::DeviceArray<std::int32_t> cost(device, no_cost);
    runtime::DeviceArray<std::int32_t> again(device, 1);
    const Dim3 grid{blocks_for(vertices, kBlock)};
    do {
      again.fill(0);
      device.launch(module.kernel("bfs_visit"), grid, {kBlock}, 0, device_nodes.address(), device_edges.address(),
                    mask.address(), updating.address(), visited.address(), cost.address(), vertices);
      device.launch(module.kernel("bfs_update"), grid, {kBlock}, 0, mask.address(), updating.address(),
                    visited.address(), again.address(), vertices);
    } while (again.download()[0] != 0);
    return cost.download();
  }
};

}  // namespace

HEDDLE_WORKLOAD(Bfs)

}  // namespace heddle::workloads::bfs
