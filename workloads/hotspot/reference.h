// The thermal stencil on the CPU: the kernel's fused operations in the kernel's order. The physical constants are those
// of Rodinia's hotspot (a 16 mm x 16 mm x 0.5 mm silicon die).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace heddle::workloads::hotspot {

struct Coefficients {
  float step_over_capacity = 0;
  float gx = 0;  ///< conductances to the neighbours in a row,
  float gy = 0;  ///< in a column,
  float gz = 0;  ///< and to the heat sink
  float ambient = 80.0f;
};

inline Coefficients coefficients(std::uint32_t rows, std::uint32_t columns) {
  constexpr double thickness = 0.0005, chip_height = 0.016, chip_width = 0.016;  // metres
  constexpr double conductivity = 100, specific_heat = 1.75e6, capacity_factor = 0.5;
  constexpr double power_density_limit = 3.0e6, precision = 0.001;
  const double cell_height = chip_height / rows, cell_width = chip_width / columns;
  const double capacity = capacity_factor * specific_heat * thickness * cell_width * cell_height;
  const double rx = cell_width / (2.0 * conductivity * thickness * cell_height);
  const double ry = cell_height / (2.0 * conductivity * thickness * cell_width);
  const double rz = thickness / (conductivity * cell_height * cell_width);
  const double max_slope = power_density_limit / (capacity_factor * thickness * specific_heat);
  const double step = precision / max_slope;
  return {static_cast<float>(step / capacity), static_cast<float>(1.0 / rx), static_cast<float>(1.0 / ry),
          static_cast<float>(1.0 / rz), 80.0f};
}

inline std::vector<float> step(const std::vector<float>& temperature, const std::vector<float>& power,
                               std::uint32_t rows, std::uint32_t columns, const Coefficients& k) {
  std::vector<float> next(temperature.size());
  for (std::size_t y = 0; y < rows; ++y) {
    const std::size_t north = y == 0 ? 0 : y - 1, south = std::min<std::size_t>(y + 1, rows - 1);
    for (std::size_t x = 0; x < columns; ++x) {
      const std::size_t west = x == 0 ? 0 : x - 1, east = std::min<std::size_t>(x + 1, columns - 1);
      const float t = temperature[y * columns + x];
      const float vertical = temperature[south * columns + x] + temperature[north * columns + x];
      const float horizontal = temperature[y * columns + east] + temperature[y * columns + west];
      float flow = std::fma(std::fma(-2.0f, t, vertical), k.gy, power[y * columns + x]);
      flow = std::fma(std::fma(-2.0f, t, horizontal), k.gx, flow);
      flow = std::fma(k.ambient - t, k.gz, flow);
      next[y * columns + x] = std::fma(k.step_over_capacity, flow, t);
    }
  }
  return next;
}

}  // namespace heddle::workloads::hotspot
