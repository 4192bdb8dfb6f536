// Maximal independent set. Priorities differ, so the set is the one that taking vertices in
// ascending priority gives: exact.
#include <numeric>

#include "workloads/common/compare.h"
#include "workloads/common/device_graph.h"
#include "workloads/common/embedded.h"
#include "workloads/common/graph_inputs.h"
#include "workloads/common/host.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(mis)

namespace heddle::workloads::mis {
namespace {

constexpr std::uint32_t kBlock = 128;
constexpr std::uint32_t kAverageDegree = 8;

/// Another algorithm with the same result: vertices in order of priority join unless a neighbour has.
std::vector<std::int32_t> reference(const CsrGraph& graph, const std::vector<std::int32_t>& priority) {
  std::vector<std::uint32_t> order(priority.size());
  for (std::uint32_t v = 0; v < priority.size(); ++v) order[static_cast<std::size_t>(priority[v])] = v;
  std::vector<std::int32_t> state(priority.size(), -1);
  for (const std::uint32_t v : order) {
    if (state[v] == 0) continue;
    state[v] = 1;
    for (std::uint32_t e = graph.row_start[v]; e < graph.row_start[v + 1]; ++e) state[graph.neighbour[e]] = 0;
  }
  return state;
}

class Mis final : public Workload {
 public:
  Mis()
      : Workload(
            {.name = "mis",
             .summary = "Maximal independent set of a mesh, by rounds; gathers, scattered marks and divergence.",
             .suite = "Pannotia",
             .papers = {{"virtual_caching", "mis", {Trait::kTranslationHigh, Trait::kDivergent}}},
             .kernels = {{"mis_start", "mis_1"}, {"mis_find", "mis_2"}, {"mis_join", "mis_3"}, {"mis_leave", "mis_4"}},
             .unit = "vertices",
             .sizes = {{"tiny", 1'500}, {"small", 100'000}, {"medium", 600'000}, {"paper", 1'585'478}},
             .inputs = {kCircuitGraph, kGridGraph, kUniformGraph, kPowerLawGraph, kRoadGraph},
             .least = 2,
             .most = std::uint64_t{1} << 26,
             .ptx = embedded::mis}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto vertices = static_cast<std::uint32_t>(request.elements);
    const CsrGraph graph = make_graph(request, kAverageDegree);
    const std::vector<std::int32_t> priority = random_priorities(vertices, request.seed);
    const runtime::Module module = load(device);
    const DeviceGraph on_device(device, graph);
    const runtime::DeviceArray<std::int32_t> device_priority(device, priority);
    const runtime::DeviceArray<std::int32_t> state(device, vertices);
    const runtime::DeviceArray<std::int32_t> leaves(device, vertices);
    const runtime::DeviceArray<std::int32_t> smallest(device, vertices);
    runtime::DeviceArray<std::int32_t> again(device, 1);
    const Dim3 grid{blocks_for(vertices, kBlock)};
    device.launch(module.kernel("mis_start"), grid, {kBlock}, 0, state.address(), leaves.address(), vertices);
    for (;;) {
      again.fill(0);
      device.launch(module.kernel("mis_find"), grid, {kBlock}, 0, on_device.row_start.address(),
                    on_device.neighbour.address(), device_priority.address(), state.address(), smallest.address(),
                    again.address(), vertices);
      if (again.download()[0] == 0) break;
      device.launch(module.kernel("mis_join"), grid, {kBlock}, 0, on_device.row_start.address(),
                    on_device.neighbour.address(), device_priority.address(), smallest.address(), state.address(),
                    leaves.address(), vertices);
      device.launch(module.kernel("mis_leave"), grid, {kBlock}, 0, leaves.address(), state.address(), vertices);
    }
    return compare_exact(reference(graph, priority), state.download(), "memberships");
  }
};

}  // namespace

HEDDLE_WORKLOAD(Mis)

}  // namespace heddle::workloads::mis
