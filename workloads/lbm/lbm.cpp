// Lattice-Boltzmann flow in a box with solid walls and scattered solid cells, three time steps. Sums are in the
// kernel's order, and products with directions are by 0, 1 or -1: exact.
#include <array>
#include <cmath>

#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/random.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(lbm)

namespace heddle::workloads::lbm {
namespace {

constexpr std::size_t kVelocities = 19;
constexpr int kSteps = 3;
constexpr float kOmega = 1.95f;

struct Velocity {
  int x, y, z;
  std::size_t opposite;
  float weight;
};
constexpr std::array<Velocity, kVelocities> kVelocity{{{0, 0, 0, 0, 1.0f / 3.0f},
                                                       {1, 0, 0, 2, 1.0f / 18.0f},
                                                       {-1, 0, 0, 1, 1.0f / 18.0f},
                                                       {0, 1, 0, 4, 1.0f / 18.0f},
                                                       {0, -1, 0, 3, 1.0f / 18.0f},
                                                       {0, 0, 1, 6, 1.0f / 18.0f},
                                                       {0, 0, -1, 5, 1.0f / 18.0f},
                                                       {1, 1, 0, 10, 1.0f / 36.0f},
                                                       {-1, 1, 0, 9, 1.0f / 36.0f},
                                                       {1, -1, 0, 8, 1.0f / 36.0f},
                                                       {-1, -1, 0, 7, 1.0f / 36.0f},
                                                       {1, 0, 1, 14, 1.0f / 36.0f},
                                                       {1, 0, -1, 13, 1.0f / 36.0f},
                                                       {-1, 0, 1, 12, 1.0f / 36.0f},
                                                       {-1, 0, -1, 11, 1.0f / 36.0f},
                                                       {0, 1, 1, 18, 1.0f / 36.0f},
                                                       {0, 1, -1, 17, 1.0f / 36.0f},
                                                       {0, -1, 1, 16, 1.0f / 36.0f},
                                                       {0, -1, -1, 15, 1.0f / 36.0f}}};

/// The box and a margin of one plane and a row at either end, where solid cells of the walls push to.
struct Box {
  std::size_t n = 0, plane = 0, margin = 0, stride = 0;
  explicit Box(std::size_t edge)
      : n(edge), plane(edge * edge), margin(plane + edge + 1), stride(n * plane + 2 * margin) {}
  [[nodiscard]] std::size_t moved(std::size_t cell, const Velocity& v) const {
    const auto by = v.x + v.y * static_cast<std::int64_t>(n) + v.z * static_cast<std::int64_t>(plane);
    return static_cast<std::size_t>(static_cast<std::int64_t>(cell) + by);
  }
};

void step(const Box& box, const std::vector<float>& from, std::vector<float>& to,
          const std::vector<std::uint8_t>& solid) {
  for (std::size_t c = 0; c < box.n * box.plane; ++c) {
    const std::size_t cell = c + box.margin;
    std::array<float, kVelocities> f;
    for (std::size_t i = 0; i < kVelocities; ++i) f[i] = from[i * box.stride + cell];
    float density = 0.0f, ux = 0.0f, uy = 0.0f, uz = 0.0f;
    for (std::size_t i = 0; i < kVelocities; ++i) {
      density += f[i];
      ux += static_cast<float>(kVelocity[i].x) * f[i];
      uy += static_cast<float>(kVelocity[i].y) * f[i];
      uz += static_cast<float>(kVelocity[i].z) * f[i];
    }
    ux /= density;
    uy /= density;
    uz /= density;
    const float base = std::fma(-1.5f, std::fma(ux, ux, std::fma(uy, uy, uz * uz)), 1.0f);
    for (std::size_t i = 0; i < kVelocities; ++i) {
      const Velocity& v = kVelocity[i];
      const float along = static_cast<float>(v.x) * ux + static_cast<float>(v.y) * uy + static_cast<float>(v.z) * uz;
      const float shape = std::fma(4.5f * along, along, std::fma(3.0f, along, base));
      const float change = std::fma(v.weight * density, shape, -f[i]);
      to[i * box.stride + box.moved(cell, v)] = solid[c] != 0 ? f[v.opposite] : std::fma(kOmega, change, f[i]);
    }
  }
}

class Lbm final : public Workload {
 public:
  Lbm()
      : Workload({.name = "lbm",
                  .summary = "Lattice-Boltzmann flow, 19 densities per cell: streams read aligned and written one cell "
                             "off, no reuse.",
                  .suite = "Parboil",
                  .papers = {{"scavenger", "LBM", {Trait::kMemoryBound}}},
                  .kernels = {{"lbm_step", "LBM"}},
                  .unit = "cells along an edge of the cube",
                  .sizes = {{"tiny", 8}, {"small", 32}, {"medium", 84}, {"paper", 129}},
                  .least = 3,
                  .most = 512,
                  .ptx = embedded::lbm}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const Box box(request.elements);
    const std::size_t cells = box.n * box.plane;
    Random random(request.seed);
    std::vector<std::uint8_t> solid(cells);
    std::vector<float> from(kVelocities * box.stride, 0.0f);
    for (std::size_t c = 0; c < cells; ++c) {
      const std::size_t x = c % box.n, y = c / box.n % box.n, z = c / box.plane;
      const bool wall = x == 0 || y == 0 || z == 0 || x == box.n - 1 || y == box.n - 1 || z == box.n - 1;
      solid[c] = wall || random.below(50) == 0 ? 1 : 0;
      for (std::size_t i = 0; i < kVelocities; ++i) {
        from[i * box.stride + box.margin + c] = kVelocity[i].weight * random.uniform(0.9f, 1.1f);
      }
    }
    std::vector<float> to(from.size(), 0.0f);
    const runtime::Module module = load(device);
    const runtime::DeviceArray<float> first(device, from);
    const runtime::DeviceArray<float> second(device, to);
    const runtime::DeviceArray<std::uint8_t> device_solid(device, solid);
    const auto n = static_cast<std::uint32_t>(box.n);
    const std::uint64_t offset = box.margin * sizeof(float);
    for (int i = 0; i < kSteps; ++i) {
      const auto& source = i % 2 == 0 ? first : second;
      const auto& target = i % 2 == 0 ? second : first;
      device.launch(module.kernel("lbm_step"), {n, n}, {n}, 0, source.address() + offset, target.address() + offset,
                    device_solid.address(), n, static_cast<std::uint32_t>(box.plane),
                    static_cast<std::uint32_t>(box.stride), kOmega);
      step(box, from, to, solid);
      std::swap(from, to);
    }
    return compare_exact(from, (kSteps % 2 == 0 ? first : second).download(), "densities");
  }
};

}  // namespace

HEDDLE_WORKLOAD(Lbm)

}  // namespace heddle::workloads::lbm
