// PageRank on a power-law graph, twenty iterations. The reference is in double precision; the tolerance is derived at
// run time.
#include <algorithm>

#include "workloads/common/compare.h"
#include "workloads/common/device_graph.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(pagerank)

namespace heddle::workloads {
namespace {

constexpr std::uint32_t kBlock = 256;
constexpr std::uint32_t kAverageDegree = 7;
constexpr int kIterations = 20;
constexpr float kDamping = 0.85f;

std::vector<float> reference(const CsrGraph& graph) {
  const std::uint32_t vertices = graph.vertices();
  std::vector<double> rank(vertices, 1.0 / vertices);
  for (int i = 0; i < kIterations; ++i) {
    std::vector<double> next(vertices, 0.0);
    for (std::uint32_t v = 0; v < vertices; ++v) {
      const double share = rank[v] / std::max(1u, graph.degree(v));
      for (std::uint32_t e = graph.row_start[v]; e < graph.row_start[v + 1]; ++e) next[graph.neighbour[e]] += share;
    }
    for (double& r : next) r = (1.0 - double{kDamping}) / vertices + double{kDamping} * r;
    rank = std::move(next);
  }
  return {rank.begin(), rank.end()};
}

/// Sums of positive floats in any order: each of at most `degree` additions rounds once, and so do four operations
/// more, in each iteration.
double tolerance(const CsrGraph& graph) { return kIterations * (graph.degree(hub(graph)) + 4.0) * 0x1p-24; }

class PageRank final : public Workload {
 public:
  PageRank()
      : Workload({.name = "pagerank",
                  .summary = "PageRank by pushing: each vertex adds its share to its neighbours with atomics; "
                             "scattered, divergent.",
                  .suite = "Pannotia",
                  .papers = {{"virtual_caching", "pagerank", {Trait::kTranslationHigh}}},
                  .kernels = {{"pagerank_start", "pagerank_1"},
                              {"pagerank_push", "pagerank_2"},
                              {"pagerank_damp", "pagerank_3"}},
                  .unit = "vertices",
                  .sizes = {{"tiny", 250}, {"small", 5'000}, {"medium", 40'000}, {"paper", 299'067}},
                  .least = 2,
                  .most = std::uint64_t{1} << 26,
                  .ptx = embedded::pagerank}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto vertices = static_cast<std::uint32_t>(request.elements);
    const CsrGraph graph = rmat_graph(vertices, kAverageDegree, request.seed);
    const runtime::Module module = load(device);
    const DeviceGraph on_device(device, graph);
    const runtime::DeviceArray<float> rank(device, vertices);
    const runtime::DeviceArray<float> sum(device, vertices);
    const Dim3 grid{blocks_for(vertices, kBlock)};
    const auto count = static_cast<float>(vertices);
    device.launch(module.kernel("pagerank_start"), grid, {kBlock}, 0, rank.address(), sum.address(), 1.0f / count,
                  vertices);
    for (int i = 0; i < kIterations; ++i) {
      device.launch(module.kernel("pagerank_push"), grid, {kBlock}, 0, on_device.row_start.address(),
                    on_device.neighbour.address(), rank.address(), sum.address(), vertices);
      device.launch(module.kernel("pagerank_damp"), grid, {kBlock}, 0, rank.address(), sum.address(),
                    (1.0f - kDamping) / count, kDamping, vertices);
    }
    return compare_close(reference(graph), rank.download(), tolerance(graph), 0.0, "ranks");
  }
};

}  // namespace
}  // namespace heddle::workloads

HEDDLE_WORKLOAD(heddle::workloads::PageRank)
