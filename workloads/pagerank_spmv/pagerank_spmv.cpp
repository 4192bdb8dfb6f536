// PageRank as sparse products.
#include "workloads/common/compare.h"
#include "workloads/common/device_graph.h"
#include "workloads/common/embedded.h"
#include "workloads/common/graph_inputs.h"
#include "workloads/common/host.h"
#include "workloads/common/pagerank.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(pagerank_spmv)

namespace heddle::workloads::pagerank_spmv {
namespace {

using pagerank::kAverageDegree;
using pagerank::kBlock;
using pagerank::kDamping;

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
             .sizes = {{"tiny", 200}, {"small", 10'000}, {"medium", 60'000}, {"paper", 299'067}},
             .inputs = {kAuthorsGraph, kPowerLawGraph, kUniformGraph, kGridGraph, kRoadGraph},
             .least = 2,
             .most = std::uint64_t{1} << 26,
             .ptx = embedded::pagerank_spmv}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto vertices = static_cast<std::uint32_t>(request.elements);
    const CsrGraph graph = make_graph(request, kAverageDegree);
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
    for (int i = 0; i < pagerank::kIterations; ++i) {
      device.launch(module.kernel("pagerank_spmv_multiply"), grid, {kBlock}, 0, on_device.row_start.address(),
                    on_device.neighbour.address(), value.address(), rank.address(), sum.address(), vertices);
      device.launch(module.kernel("pagerank_spmv_damp"), grid, {kBlock}, 0, rank.address(), sum.address(),
                    (1.0f - kDamping) / count, kDamping, vertices);
    }
    return compare_close(pagerank::reference(graph), rank.download(), pagerank::tolerance(graph), 0.0, "ranks");
  }
};

}  // namespace

HEDDLE_WORKLOAD(PageRankSpmv)

}  // namespace heddle::workloads::pagerank_spmv
