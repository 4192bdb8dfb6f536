// Laplace's equation in a cube. Five additions and one multiplication in the kernel's order: exact.
#include "workloads/common/arrays.h"
#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(laplace3d)

namespace heddle::workloads::laplace3d {
namespace {

constexpr std::uint32_t kBlockX = 32;
constexpr std::uint32_t kBlockY = 4;
constexpr std::uint32_t kPitch = 128;  // rows begin at multiples of 512 bytes, as pitched allocations have them
constexpr int kIterations = 2;

/// Rows of n values become rows of `pitch`.
std::vector<float> pitched(const std::vector<float>& grid, std::size_t n, std::size_t pitch) {
  std::vector<float> result(n * n * pitch, 0.0f);
  for (std::size_t row = 0; row < n * n; ++row) {
    for (std::size_t x = 0; x < n; ++x) result[row * pitch + x] = grid[row * n + x];
  }
  return result;
}

std::vector<float> unpitched(const std::vector<float>& grid, std::size_t n, std::size_t pitch) {
  std::vector<float> result(n * n * n);
  for (std::size_t row = 0; row < n * n; ++row) {
    for (std::size_t x = 0; x < n; ++x) result[row * n + x] = grid[row * pitch + x];
  }
  return result;
}

std::vector<float> step(const std::vector<float>& from, std::size_t n) {
  std::vector<float> to = from;
  const std::size_t row = n, plane = n * n;
  for (std::size_t z = 1; z + 1 < n; ++z) {
    for (std::size_t y = 1; y + 1 < n; ++y) {
      for (std::size_t x = 1; x + 1 < n; ++x) {
        const std::size_t i = x + y * row + z * plane;
        to[i] = (from[i - 1] + from[i + 1] + from[i - row] + from[i + row] + from[i - plane] + from[i + plane]) *
                (1.0f / 6.0f);
      }
    }
  }
  return to;
}

class Laplace3d final : public Workload {
 public:
  Laplace3d()
      : Workload(
            {.name = "laplace3d",
             .summary = "Laplace solver on a cube: blocks march through the planes, three of them in shared memory.",
             .suite = "ISPASS 2009",
             .papers = {{"mask", "LPS", {Trait::kL1TlbHigh, Trait::kL2TlbLow}}},
             .kernels = {{"laplace3d_step", "LPS"}},
             .unit = "points along an edge of the cube",
             .sizes = {{"tiny", 20}, {"small", 48}, {"medium", 80}, {"paper", 100}},
             .least = 1,
             .most = 1'024,
             .ptx = embedded::laplace3d}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto n = static_cast<std::uint32_t>(request.elements);
    std::vector<float> grid = random_floats(std::size_t{n} * n * n, request.seed, 0, 0.0f, 1.0f);
    const runtime::Module module = load(device);
    const auto pitch = static_cast<std::uint32_t>(round_up(n, kPitch));
    const runtime::DeviceArray<float> first(device, pitched(grid, n, pitch));
    const runtime::DeviceArray<float> second(device, first.size());
    for (int i = 0; i < kIterations; ++i) {
      const auto& from = i % 2 == 0 ? first : second;
      const auto& to = i % 2 == 0 ? second : first;
      device.launch(module.kernel("laplace3d_step"), {blocks_for(n, kBlockX), blocks_for(n, kBlockY)},
                    {kBlockX, kBlockY}, 0, n, n, n, pitch, from.address(), to.address());
      grid = step(grid, n);
    }
    const std::vector<float> found = (kIterations % 2 == 0 ? first : second).download();
    return compare_exact(grid, unpitched(found, n, pitch), "grid points");
  }
};

}  // namespace

HEDDLE_WORKLOAD(Laplace3d)

}  // namespace heddle::workloads::laplace3d
