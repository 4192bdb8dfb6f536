// Hotspot: five time steps of a thermal stencil on a square grid, two steps per launch (so the last launch makes one).
// Every cell goes through the same fused operations on both sides, so the check is exact.
#include "workloads/hotspot/reference.h"

#include <utility>

#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/random.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(hotspot)

namespace heddle::workloads::hotspot {
namespace {

constexpr std::uint32_t kBlock = 16;
constexpr int kSteps = 5;
constexpr int kStepsPerLaunch = 2;

class Hotspot final : public Workload {
 public:
  Hotspot()
      : Workload({.name = "hotspot",
                  .summary = "Thermal simulation of a chip: 2D stencil with ghost zones in shared memory, two time "
                             "steps per launch.",
                  .suite = "Rodinia",
                  .papers = {{"mask", "HS", {Trait::kL1TlbHigh, Trait::kL2TlbLow}},
                             {"regless", "hotspot", {}},
                             {"scavenger", "HS", {Trait::kComputeBound}},
                             {"virtual_caching", "hotspot", {Trait::kTranslationLow}}},
                  .kernels = {{"hotspot_steps", "hotspot"}},
                  .unit = "grid rows (the grid is square)",
                  .sizes = {{"tiny", 37}, {"small", 200}, {"medium", 400}, {"paper", 512}},
                  .least = 1,
                  .most = 16'384,
                  .ptx = embedded::hotspot}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto n = static_cast<std::uint32_t>(request.elements);
    Random random(request.seed);
    std::vector<float> temperature(std::size_t{n} * n);
    std::vector<float> power(temperature.size());
    for (float& v : temperature) v = random.uniform(320.0f, 345.0f);
    for (float& v : power) v = random.uniform(0.0f, 0.001f);
    const hotspot::Coefficients k = hotspot::coefficients(n, n);

    const std::vector<float> actual = simulate(device, temperature, power, n, k);
    for (int i = 0; i < kSteps; ++i) temperature = hotspot::step(temperature, power, n, n, k);
    return compare_exact(temperature, actual, "temperatures");
  }

 private:
  std::vector<float> simulate(runtime::Device& device, const std::vector<float>& temperature,
                              const std::vector<float>& power, std::uint32_t n, const hotspot::Coefficients& k) const {
    const runtime::Module module = load(device);
    const runtime::Kernel kernel = module.kernel("hotspot_steps");
    const runtime::DeviceArray<float> device_power(device, power);
    const runtime::DeviceArray<float> first(device, temperature);
    const runtime::DeviceArray<float> second(device, temperature.size());
    const runtime::DeviceArray<float>* from = &first;
    const runtime::DeviceArray<float>* to = &second;
    for (int done = 0; done < kSteps; done += kStepsPerLaunch) {
      const int steps = std::min(kStepsPerLaunch, kSteps - done);
      const std::uint32_t blocks = blocks_for(n, kBlock - 2 * static_cast<std::uint32_t>(steps));
      device.launch(kernel, {blocks, blocks}, {kBlock, kBlock}, 0, steps, device_power.address(), from->address(),
                    to->address(), n, n, k.step_over_capacity, k.gx, k.gy, k.gz, k.ambient);
      std::swap(from, to);
    }
    return from->download();
  }
};

}  // namespace

HEDDLE_WORKLOAD(Hotspot)

}  // namespace heddle::workloads::hotspot
