// Flow around a body: two time steps from the undisturbed far field. The grid is a square of cells with four faces
// each, numbered at random within stretches of 2,048, walls at the bottom and far field at the other sides; face
// normals are tilted out of the plane and disturbed, so that all five variables move.
//
// Tolerance: a variable changes by six increments, each a sum of some 100 single-precision operations on numbers up to
// the largest variable in size S: 6 * 100 * 2^-24 * S = 3.6e-5 * S.
#include "workloads/cfd/reference.h"

#include <algorithm>
#include <numeric>

#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/random.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(cfd)

namespace heddle::workloads::cfd {
namespace {

constexpr std::uint32_t kBlock = 192;
constexpr std::uint32_t kStretch = 2'048;
constexpr int kTimeSteps = 2;
constexpr double kTolerance = 3.6e-5;

/// Numbers of the cells: shuffled within stretches.
std::vector<std::uint32_t> numbering(std::uint32_t cells, Random& random) {
  std::vector<std::uint32_t> number(cells);
  std::iota(number.begin(), number.end(), 0u);
  for (std::uint32_t begin = 0; begin < cells; begin += kStretch) {
    const std::uint32_t length = std::min(kStretch, cells - begin);
    for (std::uint32_t i = length; i > 1; --i) std::swap(number[begin + i - 1], number[begin + random.below(i)]);
  }
  return number;
}

cfd::Grid make_grid(std::uint32_t cells, std::uint64_t seed) {
  Random random(seed);
  const auto side = static_cast<std::uint32_t>(std::ceil(std::sqrt(static_cast<double>(cells))));
  const std::vector<std::uint32_t> number = numbering(cells, random);
  cfd::Grid grid{cells, std::vector<float>(cells), std::vector<std::int32_t>(std::size_t{kFaces} * cells),
                 std::vector<float>(std::size_t{3} * kFaces * cells)};
  for (float& area : grid.areas) area = random.uniform(0.8f, 1.2f);
  const auto set = [&](std::uint32_t cell, std::size_t face, std::int32_t neighbour, const float* normal, float sign) {
    const std::size_t i = number[cell];
    grid.neighbours[face * cells + i] = neighbour;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      grid.normals[(axis * kFaces + face) * cells + i] = sign * normal[axis];
    }
  };
  // Each face once, from the cell on its left or above; faces 0 to 3 are right, left, below, above.
  const auto join = [&](std::uint32_t cell, bool has_other, std::uint32_t other, std::size_t face, float nx, float ny,
                        std::int32_t outside) {
    const float normal[3] = {nx + random.uniform(-0.02f, 0.02f), ny + random.uniform(-0.02f, 0.02f),
                             random.uniform(-0.02f, 0.02f)};
    set(cell, face, has_other ? static_cast<std::int32_t>(number[other]) : outside, normal, 1.0f);
    if (has_other) set(other, face + 1, static_cast<std::int32_t>(number[cell]), normal, -1.0f);
  };
  for (std::uint32_t cell = 0; cell < cells; ++cell) {
    const std::uint32_t column = cell % side;
    join(cell, column + 1 < side && cell + 1 < cells, cell + 1, 0, 1.0f, 0.0f, kFarField);
    join(cell, cell + side < cells, cell + side, 2, 0.0f, -1.0f, kWall);
    const float left[3] = {-1.0f, 0.0f, 0.0f};
    const float up[3] = {0.0f, 1.0f, 0.0f};
    if (column == 0) set(cell, 1, kFarField, left, 1.0f);
    if (cell < side) set(cell, 3, kFarField, up, 1.0f);
  }
  return grid;
}

/// Air at Mach 1.2 and a small angle of attack.
cfd::Cell far_field() {
  constexpr double kMach = 1.2;
  constexpr double kAngle = 0.05;
  constexpr double kDensity = 1.4;
  const double vx = kMach * std::cos(kAngle);
  const double vy = kMach * std::sin(kAngle);
  return {kDensity, kDensity * vx, kDensity * vy, 0.0, 0.5 * kDensity * kMach * kMach + 1.0 / (1.4 - 1.0)};
}

class Cfd final : public Workload {
 public:
  Cfd()
      : Workload({.name = "cfd",
                  .summary = "Euler equations on an unstructured grid: gathers from four neighbours, much arithmetic.",
                  .suite = "Rodinia",
                  .papers = {{"mask", "CFD", {Trait::kL1TlbHigh, Trait::kL2TlbHigh}}},
                  .kernels = {{"cfd_initialize", "cfd_1"},
                              {"cfd_step_factor", "cfd_2"},
                              {"cfd_flux", "cfd_3"},
                              {"cfd_time_step", "cfd_4"}},
                  .unit = "cells",
                  .sizes = {{"tiny", 500}, {"small", 16'000}, {"medium", 97'000}, {"paper", 232'536}},
                  .least = 1,
                  .most = 50'000'000,
                  .ptx = embedded::cfd}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto count = static_cast<std::uint32_t>(request.elements);
    const cfd::Grid grid = make_grid(count, request.seed);
    const cfd::Cell undisturbed = far_field();
    std::vector<cfd::Cell> cells(count, undisturbed);
    for (int step = 0; step < kTimeSteps; ++step) cfd::advance(grid, cells, undisturbed);
    std::vector<float> expected;
    for (std::size_t v = 0; v < kVariables; ++v) {
      for (const cfd::Cell& cell : cells) expected.push_back(static_cast<float>(cell[v]));
    }
    const double largest = static_cast<double>(std::abs(*std::max_element(
        expected.begin(), expected.end(), [](float a, float b) { return std::abs(a) < std::abs(b); })));
    return compare_close(expected, simulate(device, grid, undisturbed), 0.0, kTolerance * largest,
                         "conserved variables");
  }

 private:
  std::vector<float> simulate(runtime::Device& device, const cfd::Grid& grid, const cfd::Cell& undisturbed) const {
    const runtime::Module module = load(device);
    upload_far_field(device, module, undisturbed);
    const runtime::DeviceArray<float> areas(device, grid.areas);
    const runtime::DeviceArray<std::int32_t> neighbours(device, grid.neighbours);
    const runtime::DeviceArray<float> normals(device, grid.normals);
    const std::size_t words = std::size_t{kVariables} * grid.cells;
    const runtime::DeviceArray<float> variables(device, words);
    const runtime::DeviceArray<float> old_variables(device, words);
    const runtime::DeviceArray<float> fluxes(device, words);
    const runtime::DeviceArray<float> step_factors(device, grid.cells);
    const Dim3 blocks{blocks_for(grid.cells, kBlock)};
    device.launch(module.kernel("cfd_initialize"), blocks, {kBlock}, 0, grid.cells, variables.address());
    for (int step = 0; step < kTimeSteps; ++step) {
      device.copy_on_device(old_variables.address(), variables.address(), words * sizeof(float));
      device.launch(module.kernel("cfd_step_factor"), blocks, {kBlock}, 0, grid.cells, variables.address(),
                    areas.address(), step_factors.address());
      for (std::uint32_t stages_left = 3; stages_left > 0; --stages_left) {
        device.launch(module.kernel("cfd_flux"), blocks, {kBlock}, 0, grid.cells, neighbours.address(),
                      normals.address(), variables.address(), fluxes.address());
        device.launch(module.kernel("cfd_time_step"), blocks, {kBlock}, 0, stages_left, grid.cells,
                      old_variables.address(), variables.address(), step_factors.address(), fluxes.address());
      }
    }
    return variables.download();
  }

  static void upload_far_field(runtime::Device& device, const runtime::Module& module, const cfd::Cell& undisturbed) {
    std::vector<float> values(undisturbed.begin(), undisturbed.end());
    std::vector<float> flux(std::size_t{kVariables} * 3);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      cfd::Vector normal{};
      normal[axis] = 1.0;
      const cfd::Cell through = cfd::flux_through(undisturbed, normal);
      for (std::size_t v = 0; v < kVariables; ++v) flux[3 * v + axis] = static_cast<float>(through[v]);
    }
    device.copy_to_device(module.symbol("cfd_far_field").address, values.data(), values.size() * sizeof(float));
    device.copy_to_device(module.symbol("cfd_far_field_flux").address, flux.data(), flux.size() * sizeof(float));
  }
};

}  // namespace

HEDDLE_WORKLOAD(Cfd)

}  // namespace heddle::workloads::cfd
