// The Euler solver on the CPU, in double precision and without the kernels' layout: what the GPU computes in single
// precision must come near.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "workloads/cfd/shape.h"

namespace heddle::workloads::cfd {

using Cell = std::array<double, kVariables>;  ///< density, momentum, energy
using Vector = std::array<double, 3>;

struct Grid {
  std::uint32_t cells = 0;
  std::vector<float> areas;
  std::vector<std::int32_t> neighbours;  ///< [face][cell]
  std::vector<float> normals;            ///< [axis][face][cell], outwards, as long as the face is large
};

inline double pressure(const Cell& c) {
  const double momentum_squared = c[1] * c[1] + c[2] * c[2] + c[3] * c[3];
  return (1.4 - 1.0) * (c[4] - 0.5 * momentum_squared / c[0]);
}
inline double speed(const Cell& c) { return std::sqrt(c[1] * c[1] + c[2] * c[2] + c[3] * c[3]) / c[0]; }
inline double sound(const Cell& c) { return std::sqrt(1.4 * pressure(c) / c[0]); }

/// What flows through a face with that normal.
inline Cell flux_through(const Cell& c, const Vector& normal) {
  const double through = (c[1] * normal[0] + c[2] * normal[1] + c[3] * normal[2]) / c[0];
  const double p = pressure(c);
  return {c[0] * through, c[1] * through + p * normal[0], c[2] * through + p * normal[1],
          c[3] * through + p * normal[2], (c[4] + p) * through};
}

inline Vector normal_of(const Grid& grid, std::size_t face, std::size_t i) {
  const auto at = [&](std::size_t axis) {
    return static_cast<double>(grid.normals[(axis * kFaces + face) * grid.cells + i]);
  };
  return {at(0), at(1), at(2)};
}

inline std::vector<Cell> fluxes(const Grid& grid, const std::vector<Cell>& cells, const Cell& far_field) {
  std::vector<Cell> result(cells.size(), Cell{});
  for (std::size_t i = 0; i < cells.size(); ++i) {
    for (std::size_t face = 0; face < kFaces; ++face) {
      const Vector normal = normal_of(grid, face, i);
      const std::int32_t neighbour = grid.neighbours[face * grid.cells + i];
      if (neighbour == kWall) {
        for (std::size_t axis = 0; axis < 3; ++axis) result[i][1 + axis] += normal[axis] * pressure(cells[i]);
        continue;
      }
      const Cell& other = neighbour >= 0 ? cells[static_cast<std::size_t>(neighbour)] : far_field;
      const Cell own_flux = flux_through(cells[i], normal);
      const Cell other_flux = flux_through(other, normal);
      double viscosity = 0;
      if (neighbour >= 0) {
        const double area = std::hypot(normal[0], normal[1], normal[2]);
        viscosity = -area * 0.1 * (speed(cells[i]) + speed(other) + sound(cells[i]) + sound(other));
      }
      for (std::size_t v = 0; v < kVariables; ++v) {
        result[i][v] += 0.5 * (own_flux[v] + other_flux[v]) + viscosity * (cells[i][v] - other[v]);
      }
    }
  }
  return result;
}

/// One time step of three stages.
inline void advance(const Grid& grid, std::vector<Cell>& cells, const Cell& far_field) {
  const std::vector<Cell> old = cells;
  for (int stages_left = 3; stages_left > 0; --stages_left) {
    const std::vector<Cell> flux = fluxes(grid, cells, far_field);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const double factor = 0.5 / (std::sqrt(static_cast<double>(grid.areas[i])) * (speed(old[i]) + sound(old[i])));
      for (std::size_t v = 0; v < kVariables; ++v) cells[i][v] = old[i][v] - factor / stages_left * flux[i][v];
    }
  }
}

}  // namespace heddle::workloads::cfd
