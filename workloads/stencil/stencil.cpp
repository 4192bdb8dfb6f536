// 7-point stencil, two steps; the rim keeps its values. Sums in the kernel's order: exact.
#include <cmath>

#include "workloads/common/arrays.h"
#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(stencil)

namespace heddle::workloads::stencil {
namespace {

constexpr std::uint32_t kTileX = 64;
constexpr std::uint32_t kBlockX = 32;
constexpr std::uint32_t kBlockY = 4;
constexpr int kSteps = 2;
constexpr float kC0 = 1.0f / 6.0f;
constexpr float kC1 = 1.0f / 36.0f;

void step(const std::vector<float>& from, std::vector<float>& to, std::size_t n, std::size_t nz) {
  const std::size_t plane = n * n;
  for (std::size_t z = 1; z + 1 < nz; ++z) {
    for (std::size_t y = 1; y + 1 < n; ++y) {
      for (std::size_t x = 1; x + 1 < n; ++x) {
        const std::size_t i = x + y * n + z * plane;
        const float sum = from[i + plane] + from[i - plane] + from[i + n] + from[i - n] + from[i + 1] + from[i - 1];
        to[i] = std::fma(kC1, sum, -kC0 * from[i]);
      }
    }
  }
}

class Stencil final : public Workload {
 public:
  Stencil()
      : Workload({.name = "stencil",
                  .summary =
                      "7-point stencil marching along z, two points per thread, planes in shared memory and registers.",
                  .suite = "Parboil",
                  .papers = {{"scavenger", "ST", {Trait::kMemoryBound}}},
                  .kernels = {{"stencil_step", "ST"}},
                  .unit = "points along x and y (an eighth of that, plus 2, along z)",
                  .sizes = {{"tiny", 64}, {"small", 176}, {"medium", 400}, {"paper", 512}},
                  .least = 1,
                  .most = 2'048,
                  .ptx = embedded::stencil}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto n = static_cast<std::uint32_t>(request.elements);
    const std::uint32_t nz = n / 8 + 2;
    std::vector<float> grid = random_floats(std::size_t{n} * n * nz, request.seed, 0);
    std::vector<float> other = grid;
    const runtime::Module module = load(device);
    const runtime::DeviceArray<float> first(device, grid);
    const runtime::DeviceArray<float> second(device, grid);
    for (int i = 0; i < kSteps; ++i) {
      const auto& from = i % 2 == 0 ? first : second;
      const auto& to = i % 2 == 0 ? second : first;
      device.launch(module.kernel("stencil_step"), {blocks_for(n, kTileX), blocks_for(n, kBlockY)}, {kBlockX, kBlockY},
                    0, kC0, kC1, from.address(), to.address(), n, n, nz);
      step(grid, other, n, nz);
      std::swap(grid, other);
    }
    return compare_exact(grid, (kSteps % 2 == 0 ? first : second).download(), "grid points");
  }
};

}  // namespace

HEDDLE_WORKLOAD(Stencil)

}  // namespace heddle::workloads::stencil
