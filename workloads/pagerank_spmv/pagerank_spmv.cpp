// PageRank as sparse products on a power-law graph, twenty iterations. The reference is in double precision; the
// tolerance is derived at run time.
#include <algorithm>

#include "workloads/common/compare.h"
#include "workloads/common/device_graph.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(pagerank_spmv)

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

class PageRankSpmv final : public Workload {
 public:
  PageRankSpmv()
      : Workload(
            {.name = "pagerank_spmv",
             .summary = "PageRank as sparse matrix times vector, a row per thread: gathers of ranks, strided rows.",
             .suite = "Pannotia",
             .papers = {{"virtual_caching", "pagerank_spmv", {Trait::kTranslationHigh}}},
             .kernels = {{"pagerank_spmv_start", "pagerank_spmv_1"},
                         {"pagerank_spmv_multiply", "pagerank_spmv_2"},
                         {"pagerank_spmv_damp", "pagerank_spmv_3"}},
             .unit = "vertices",
             .sizes = {{"tiny", 200}, {"small", 4'000}, {"medium", 28'000}, {"paper", 299'067}},
             .least = 2,
             .most = std::uint64_t{1} << 26,
             .ptx = embedded::pagerank_spmv}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto vertices = static_cast<std::uint32_t>(request.elements);
    const CsrGraph graph = rmat_graph(vertices, kAverageDegree, request.seed);
    const runtime::Module module = load(device);
    const DeviceGraph on_device(device, graph);
    const runtime::DeviceArray<float> value(device, graph.neighbour.size() + 1);
    const runtime::DeviceArray<float> rank(device, vertices);
    const runtime::DeviceArray<float> sum(device, vertices);
    const Dim3 grid{blocks_for(vertices, kBlock)};
    const auto count = static_cast<float>(vertices);
    // The graph is undirected: its transposed matrix has the same rows.
    device.launch(module.kernel("pagerank_spmv_start"), grid, {kBlock}, 0, on_device.row_start.address(),
                  on_device.neighbour.address(), value.address(), rank.address(), 1.0f / count, vertices);
    for (int i = 0; i < kIterations; ++i) {
      device.launch(module.kernel("pagerank_spmv_multiply"), grid, {kBlock}, 0, on_device.row_start.address(),
                    on_device.neighbour.address(), value.address(), rank.address(), sum.address(), vertices);
      device.launch(module.kernel("pagerank_spmv_damp"), grid, {kBlock}, 0, rank.address(), sum.address(),
                    (1.0f - kDamping) / count, kDamping, vertices);
    }
    return compare_close(reference(graph), rank.download(), tolerance(graph), 0.0, "ranks");
  }
};

}  // namespace
}  // namespace heddle::workloads

HEDDLE_WORKLOAD(heddle::workloads::PageRankSpmv)
