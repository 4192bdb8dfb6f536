// 25-point stencil in three dimensions, two time steps. The reference has the kernel's order of operations: exact.
#include <cmath>

#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/random.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(stencil3d)

namespace heddle::workloads::stencil3d {
namespace {

constexpr std::size_t kRadius = 4;
constexpr std::uint32_t kTile = 16;
constexpr int kSteps = 2;
constexpr std::array<float, kRadius + 1> kWeights{0.125f, 0.0625f, 0.03125f, 0.015625f, 0.0078125f};

/// A cube with its border; rows are padded to whole tiles, so that every thread of a block may read.
struct Volume {
  std::size_t n = 0, pitch = 0, plane = 0;
  explicit Volume(std::size_t edge)
      : n(edge), pitch(round_up(edge, kTile) + 2 * kRadius), plane(pitch * (round_up(edge, kTile) + 2 * kRadius)) {}
  [[nodiscard]] std::size_t size() const { return plane * (n + 2 * kRadius); }
  [[nodiscard]] std::size_t at(std::size_t x, std::size_t y, std::size_t z) const {
    return x + kRadius + (y + kRadius) * pitch + (z + kRadius) * plane;
  }
};

void step(const Volume& v, const std::vector<float>& from, std::vector<float>& to) {
  for (std::size_t z = 0; z < v.n; ++z) {
    for (std::size_t y = 0; y < v.n; ++y) {
      for (std::size_t x = 0; x < v.n; ++x) {
        const std::size_t c = v.at(x, y, z);
        float value = kWeights[0] * from[c];
        for (std::size_t i = 1; i <= kRadius; ++i) {
          const float ring = from[c - i * v.plane] + from[c + i * v.plane] + from[c - i * v.pitch] +
                             from[c + i * v.pitch] + from[c - i] + from[c + i];
          value = std::fma(kWeights[i], ring, value);
        }
        to[c] = value;
      }
    }
  }
}

class Stencil3d final : public Workload {
 public:
  Stencil3d()
      : Workload({.name = "stencil3d",
                  .summary = "25-point stencil of reverse-time migration on a cube: columns in registers, planes in "
                             "shared memory, strides of a plane.",
                  .suite = "CUDA SDK",
                  .papers = {{"mask", "3DS", {Trait::kL1TlbHigh, Trait::kL2TlbHigh}}},
                  .kernels = {{"stencil3d_step", "3DS"}},
                  .unit = "points along an edge of the cube",
                  .sizes = {{"tiny", 20}, {"small", 72}, {"medium", 160}, {"paper", 376}},
                  .least = 1,
                  .most = 1'000,
                  .ptx = embedded::stencil3d}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const Volume volume(request.elements);
    std::vector<float> grid(volume.size(), 0.0f);  // the border stays zero
    Random random(request.seed);
    for (std::size_t z = 0; z < volume.n; ++z) {
      for (std::size_t y = 0; y < volume.n; ++y) {
        for (std::size_t x = 0; x < volume.n; ++x) grid[volume.at(x, y, z)] = random.uniform();
      }
    }
    const runtime::Module module = load(device);
    device.copy_to_device(module.symbol("stencil3d_weights").address, kWeights.data(), sizeof kWeights);
    const runtime::DeviceArray<float> first(device, grid);
    const runtime::DeviceArray<float> second(device, std::vector<float>(volume.size(), 0.0f));
    std::vector<float> other(volume.size(), 0.0f);
    const std::uint32_t blocks = blocks_for(volume.n, kTile);
    for (int i = 0; i < kSteps; ++i) {
      const auto& from = i % 2 == 0 ? first : second;
      const auto& to = i % 2 == 0 ? second : first;
      device.launch(module.kernel("stencil3d_step"), {blocks, blocks}, {kTile, kTile}, 0, to.address(), from.address(),
                    static_cast<std::uint32_t>(volume.n), static_cast<std::uint32_t>(volume.pitch),
                    static_cast<std::uint32_t>(volume.plane));
      step(volume, grid, other);
      std::swap(grid, other);
    }
    return compare_exact(grid, (kSteps % 2 == 0 ? first : second).download(), "grid points");
  }
};

}  // namespace

HEDDLE_WORKLOAD(Stencil3d)

}  // namespace heddle::workloads::stencil3d
