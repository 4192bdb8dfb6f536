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
  std::string_view name() const override { return "bfs"; }
  std::string_view description() const override {
    return "Breadth-first search on a power-law graph, one thread per vertex; irregular loads and divergence.";
  }
  std::string_view size_unit() const override { return "vertices"; }
  std::vector<SizePreset> sizes() const override { return {{"tiny", 1'000}, {"small", 36'000}, {"medium", 300'000}}; }
  std::pair<std::uint64_t, std::uint64_t> size_range() const override { return {2, std::uint64_t{1} << 26}; }
  std::string_view ptx() const override { return embedded::bfs(); }

  Outcome run(runtime::Device& device, const Request& request) const override {
    require_size(*this, request);
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

    const runtime::Module module = device.load(ptx(), "bfs");
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
