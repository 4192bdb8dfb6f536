// PageRank by pushing.
#include "workloads/common/pagerank.h"
#include "workloads/common/compare.h"
#include "workloads/common/device_graph.h"
#include "workloads/common/embedded.h"
#include "workloads/common/graph_inputs.h"
#include "workloads/common/host.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(pagerank)

namespace heddle::workloads::pagerank {
namespace {

using pagerank::kAverageDegree;
using pagerank::kBlock;
using pagerank::kDamping;

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
                  .sizes = {{"tiny", 200}, {"small", 10'000}, {"medium", 60'000}, {"paper", 299'067}},
                  .inputs = {kAuthorsGraph, kPowerLawGraph, kUniformGraph, kGridGraph, kRoadGraph},
                  .least = 2,
                  .most = std::uint64_t{1} << 26,
                  .ptx = embedded::pagerank}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto vertices = static_cast<std::uint32_t>(request.elements);
    const CsrGraph graph = make_graph(request, kAverageDegree);
    const runtime::Module module = load(device);
    const DeviceGraph on_device(device, graph);
    const runtime::DeviceArray<float> rank(device, vertices);
    const runtime::DeviceArray<float> sum(device, vertices);
    const Dim3 grid{blocks_for(vertices, kBlock)};
    const auto count = static_cast<float>(vertices);
    device.launch(module.kernel("pagerank_start"), grid, {kBlock}, 0, rank.address(), sum.address(), 1.0f / count,
                  vertices);
    for (int i = 0; i < pagerank::kIterations; ++i) {
      device.launch(module.kernel("pagerank_push"), grid, {kBlock}, 0, on_device.row_start.address(),
                    on_device.neighbour.address(), rank.address(), sum.address(), vertices);
      device.launch(module.kernel("pagerank_damp"), grid, {kBlock}, 0, rank.address(), sum.address(),
                    (1.0f - kDamping) / count, kDamping, vertices);
    }
    return compare_close(pagerank::reference(graph), rank.download(), pagerank::tolerance(graph), 0.0, "ranks");
  }
};

}  // namespace

HEDDLE_WORKLOAD(PageRank)

}  // namespace heddle::workloads::pagerank
