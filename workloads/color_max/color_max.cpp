// Graph colouring, the largest priority first.
#include "workloads/common/colouring.h"
#include "workloads/common/embedded.h"
#include "workloads/common/graph_inputs.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(color_max)

namespace heddle::workloads::color_max {
namespace {

class ColorMax final : public Workload {
 public:
  ColorMax()
      : Workload({.name = "color_max",
                  .summary = "Colours a grid round by round, the largest priority among neighbours first; "
                             "gathers and divergence.",
                  .suite = "Pannotia",
                  .papers = {{"virtual_caching", "color_max", {Trait::kTranslationHigh, Trait::kDivergent}}},
                  .kernels = {{"color_max_find", "color_max_1"}, {"color_max_assign", "color_max_2"}},
                  .unit = "vertices",
                  .sizes = {{"tiny", 700}, {"small", 60'000}, {"medium", 400'000}, {"paper", 1'000'000}},
                  .inputs = {kGridGraph, kCircuitGraph, kUniformGraph, kPowerLawGraph, kRoadGraph},
                  .least = 2,
                  .most = std::uint64_t{1} << 26,
                  .ptx = embedded::color_max}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const runtime::Module module = load(device);
    const Colouring c(device, request);
    const runtime::DeviceArray<std::int32_t> largest(device, c.vertices);
    return c.run(ColourFirst::largest, [&](std::int32_t round, runtime::DeviceAddress again) {
      device.launch(module.kernel("color_max_find"), c.grid, {Colouring::kBlock}, 0, c.on_device.row_start.address(),
                    c.on_device.neighbour.address(), c.device_priority.address(), c.colour.address(), largest.address(),
                    again, c.vertices);
      device.launch(module.kernel("color_max_assign"), c.grid, {Colouring::kBlock}, 0, c.device_priority.address(),
                    largest.address(), c.colour.address(), round, c.vertices);
    });
  }
};

}  // namespace

HEDDLE_WORKLOAD(ColorMax)

}  // namespace heddle::workloads::color_max
