// Graph colouring, the largest and the smallest priority first.
#include "workloads/common/colouring.h"
#include "workloads/common/embedded.h"
#include "workloads/common/graph_inputs.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(color_maxmin)

namespace heddle::workloads::color_maxmin {
namespace {

class ColorMaxMin final : public Workload {
 public:
  ColorMaxMin()
      : Workload({.name = "color_maxmin",
                  .summary = "Colours a grid round by round, the largest and the smallest priority among "
                             "neighbours first; gathers and divergence.",
                  .suite = "Pannotia",
                  .papers = {{"virtual_caching", "color_maxmin", {Trait::kTranslationHigh}}},
                  .kernels = {{"color_maxmin_find", "color_maxmin_1"}, {"color_maxmin_assign", "color_maxmin_2"}},
                  .unit = "vertices",
                  .sizes = {{"tiny", 700}, {"small", 90'000}, {"medium", 500'000}, {"paper", 1'000'000}},
                  .inputs = {kGridGraph, kCircuitGraph, kUniformGraph, kPowerLawGraph, kRoadGraph},
                  .least = 2,
                  .most = std::uint64_t{1} << 26,
                  .ptx = embedded::color_maxmin}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const runtime::Module module = load(device);
    const Colouring c(device, request);
    const runtime::DeviceArray<std::int32_t> largest(device, c.vertices);
    const runtime::DeviceArray<std::int32_t> smallest(device, c.vertices);
    return c.run(ColourFirst::largest_and_smallest, [&](std::int32_t round, runtime::DeviceAddress again) {
      device.launch(module.kernel("color_maxmin_find"), c.grid, {Colouring::kBlock}, 0, c.on_device.row_start.address(),
                    c.on_device.neighbour.address(), c.device_priority.address(), c.colour.address(), largest.address(),
                    smallest.address(), again, c.vertices);
      device.launch(module.kernel("color_maxmin_assign"), c.grid, {Colouring::kBlock}, 0, c.device_priority.address(),
                    largest.address(), smallest.address(), c.colour.address(), round, c.vertices);
    });
  }
};

}  // namespace

HEDDLE_WORKLOAD(ColorMaxMin)

}  // namespace heddle::workloads::color_maxmin
