// Graph colouring on a uniform random graph, the largest priority first. Priorities differ, so the colours are unique:
// exact.
#include "workloads/common/compare.h"
#include "workloads/common/device_graph.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(color_max)

namespace heddle::workloads {
namespace {

constexpr std::uint32_t kBlock = 256;
constexpr std::uint32_t kAverageDegree = 8;

std::vector<std::int32_t> reference(const CsrGraph& graph, const std::vector<std::int32_t>& priority) {
  const std::uint32_t vertices = graph.vertices();
  std::vector<std::int32_t> colour(vertices, -1);
  bool again = true;
  for (std::int32_t round = 0; again; ++round) {
    again = false;
    std::vector<std::int32_t> next = colour;
    for (std::uint32_t v = 0; v < vertices; ++v) {
      if (colour[v] >= 0) continue;
      bool largest = true;
      for (std::uint32_t e = graph.row_start[v]; e < graph.row_start[v + 1]; ++e) {
        const std::uint32_t w = graph.neighbour[e];
        if (colour[w] >= 0) continue;
        again = true;
        largest = largest && priority[v] > priority[w];
      }
      if (largest) next[v] = round;
    }
    colour = std::move(next);
  }
  return colour;
}

class ColorMax final : public Workload {
 public:
  ColorMax()
      : Workload({.name = "color_max",
                  .summary = "Colours a random graph round by round, the largest priority among neighbours first; "
                             "gathers and divergence.",
                  .suite = "Pannotia",
                  .papers = {{"virtual_caching", "color_max", {Trait::kTranslationHigh, Trait::kDivergent}}},
                  .kernels = {{"color_max_find", "color_max_1"}, {"color_max_assign", "color_max_2"}},
                  .unit = "vertices",
                  .sizes = {{"tiny", 700}, {"small", 20'000}, {"medium", 160'000}, {"paper", 1'000'000}},
                  .least = 2,
                  .most = std::uint64_t{1} << 26,
                  .ptx = embedded::color_max}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto vertices = static_cast<std::uint32_t>(request.elements);
    const CsrGraph graph = uniform_graph(vertices, kAverageDegree, request.seed);
    const std::vector<std::int32_t> priority = random_priorities(vertices, request.seed);
    const runtime::Module module = load(device);
    const DeviceGraph on_device(device, graph);
    const runtime::DeviceArray<std::int32_t> device_priority(device, priority);
    const runtime::DeviceArray<std::int32_t> colour(device, std::vector<std::int32_t>(vertices, -1));
    const runtime::DeviceArray<std::int32_t> largest(device, vertices);
    runtime::DeviceArray<std::int32_t> again(device, 1);
    const Dim3 grid{blocks_for(vertices, kBlock)};
    std::int32_t round = 0;
    do {
      again.fill(0);
      device.launch(module.kernel("color_max_find"), grid, {kBlock}, 0, on_device.row_start.address(),
                    on_device.neighbour.address(), device_priority.address(), colour.address(), largest.address(),
                    again.address(), vertices);
      device.launch(module.kernel("color_max_assign"), grid, {kBlock}, 0, device_priority.address(), largest.address(),
                    colour.address(), round++, vertices);
    } while (again.download()[0] != 0);
    return compare_exact(reference(graph, priority), colour.download(), "colours");
  }
};

}  // namespace
}  // namespace heddle::workloads

HEDDLE_WORKLOAD(heddle::workloads::ColorMax)
