// Betweenness centrality from every vertex of a dense random graph. The reference is in double precision; the
// tolerance is derived at run time.
#include <algorithm>

#include "workloads/common/compare.h"
#include "workloads/common/device_graph.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(bc)

namespace heddle::workloads::bc {
namespace {

constexpr std::uint32_t kBlock = 128;

struct Result {
  std::vector<float> centrality;
  std::int32_t depth = 0;  ///< most levels of any source
};

Result reference(const CsrGraph& graph, std::uint32_t sources) {
  const std::uint32_t vertices = graph.vertices();
  std::vector<double> centrality(vertices, 0.0);
  std::int32_t depth = 0;
  for (std::uint32_t source = 0; source < sources; ++source) {
    const std::vector<std::int32_t> distance = breadth_first_levels(graph, source);
    depth = std::max(depth, *std::max_element(distance.begin(), distance.end()));
    std::vector<double> paths(vertices, 0.0), dependency(vertices, 0.0);
    paths[source] = 1;
    const auto for_edges = [&](std::int32_t level, auto&& action) {
      for (std::uint32_t v = 0; v < vertices; ++v) {
        if (distance[v] != level) continue;
        for (std::uint32_t e = graph.row_start[v]; e < graph.row_start[v + 1]; ++e) {
          if (distance[graph.neighbour[e]] == level + 1) action(v, graph.neighbour[e]);
        }
      }
    };
    for (std::int32_t l = 0; l < depth; ++l) {
      for_edges(l, [&](std::uint32_t v, std::uint32_t w) { paths[w] += paths[v]; });
    }
    for (std::int32_t l = depth - 1; l >= 0; --l) {
      for_edges(l,
                [&](std::uint32_t v, std::uint32_t w) { dependency[v] += paths[v] / paths[w] * (1 + dependency[w]); });
    }
    for (std::uint32_t v = 0; v < vertices; ++v) {
      if (v != source) centrality[v] += dependency[v];
    }
  }
  return {{centrality.begin(), centrality.end()}, depth};
}

class BetweennessCentrality final : public Workload {
 public:
  BetweennessCentrality()
      : Workload(
            {.name = "bc",
             .summary = "Betweenness centrality from every vertex of a dense random graph: levels outwards and back, "
                        "with atomics.",
             .suite = "Pannotia",
             .papers = {{"virtual_caching", "bc", {Trait::kTranslationHigh}}},
             .kernels = {{"bc_start", "bc_1"}, {"bc_forward", "bc_2"}, {"bc_backward", "bc_3"}, {"bc_add", "bc_4"}},
             .unit = "vertices, each joined to an eighth of the others",
             .sizes = {{"tiny", 40}, {"small", 192}, {"medium", 400}, {"paper", 1'024}},
             .least = 2,
             .most = 8192,
             .ptx = embedded::bc}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto vertices = static_cast<std::uint32_t>(request.elements);
    const std::uint32_t sources = vertices;
    // Pannotia's input has 1024 vertices and degrees of 128.
    const CsrGraph graph = uniform_graph(vertices, std::max(2u, vertices / 8), request.seed);
    const runtime::Module module = load(device);
    const DeviceGraph on_device(device, graph);
    const runtime::DeviceArray<std::int32_t> distance(device, vertices);
    const runtime::DeviceArray<float> paths(device, vertices);
    const runtime::DeviceArray<float> dependency(device, vertices);
    const runtime::DeviceArray<float> centrality(device, std::vector<float>(vertices, 0.0f));
    runtime::DeviceArray<std::int32_t> again(device, 1);
    const Dim3 grid{blocks_for(vertices, kBlock)};
    for (std::uint32_t source = 0; source < sources; ++source) {
      device.launch(module.kernel("bc_start"), grid, {kBlock}, 0, distance.address(), paths.address(),
                    dependency.address(), source, vertices);
      std::int32_t level = 0;
      do {
        again.fill(0);
        device.launch(module.kernel("bc_forward"), grid, {kBlock}, 0, on_device.row_start.address(),
                      on_device.neighbour.address(), distance.address(), paths.address(), again.address(), level,
                      vertices);
        ++level;
      } while (again.download()[0] != 0);
      for (--level; level > 0; --level) {
        device.launch(module.kernel("bc_backward"), grid, {kBlock}, 0, on_device.row_start.address(),
                      on_device.neighbour.address(), distance.address(), paths.address(), dependency.address(), level,
                      vertices);
      }
      device.launch(module.kernel("bc_add"), grid, {kBlock}, 0, dependency.address(), centrality.address(), source,
                    vertices);
    }
    const Result expected = reference(graph, sources);
    // Sums of positive floats in any order: per level and direction one rounding per neighbour and four more; one more
    // for each source.
    const double tolerance = (2.0 * (expected.depth + 1) * (graph.degree(hub(graph)) + 4.0) + sources) * 0x1p-24;
    return compare_close(expected.centrality, centrality.download(), tolerance, 0.0, "centralities");
  }
};

}  // namespace

HEDDLE_WORKLOAD(BetweennessCentrality)

}  // namespace heddle::workloads::bc
