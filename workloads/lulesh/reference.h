// The mesh of the shock problem, and one time step on the CPU.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace heddle::workloads::lulesh {

constexpr double kCutOff = 1e-7;
constexpr double kFirstStep = 1e-7;

using Values = std::vector<double>;

/// A cube of n x n x n elements with an edge of 1.125, energy in the corner element: a blast that spreads from there.
struct Mesh {
  std::int32_t n = 0;
  std::int32_t elements = 0, nodes = 0;
  std::vector<std::int32_t> element_nodes;          ///< [corner][element]
  std::vector<std::int32_t> first_corner, corners;  ///< of each node: indices into [corner][element]
  std::array<std::vector<std::uint8_t>, 3> fixed;   ///< nodes on the symmetry planes
  Values mass, first_volume;
};

struct State {
  std::array<Values, 3> position, velocity;
  Values energy, p, q, sound, volume, divergence, length;
};

struct Normals {
  std::array<std::array<double, 3>, 8> of{};
  double largest = 0;  ///< square of the largest face's area
};

inline Normals corner_normals(const Mesh& mesh, const State& state, std::int32_t element) {
  static constexpr std::array<std::array<std::size_t, 4>, 6> kFaces{
      {{0, 1, 2, 3}, {0, 4, 5, 1}, {1, 5, 6, 2}, {2, 6, 7, 3}, {3, 7, 4, 0}, {4, 7, 6, 5}}};
  Normals result;
  const auto at = [&](std::size_t corner, std::size_t axis) {
    const auto index = corner * static_cast<std::size_t>(mesh.elements) + static_cast<std::size_t>(element);
    return state.position[axis][static_cast<std::size_t>(mesh.element_nodes[index])];
  };
  for (const auto& face : kFaces) {
    std::array<double, 3> first{}, second{};
    for (std::size_t a = 0; a < 3; ++a) {
      first[a] = 0.5 * (at(face[3], a) + at(face[2], a) - at(face[1], a) - at(face[0], a));
      second[a] = 0.5 * (at(face[2], a) + at(face[1], a) - at(face[3], a) - at(face[0], a));
    }
    double square = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      const std::size_t b = (a + 1) % 3, c = (a + 2) % 3;
      const double area = first[b] * second[c] - first[c] * second[b];
      square += area * area;
      for (const std::size_t corner : face) result.of[corner][a] += 0.25 * area;
    }
    result.largest = std::max(result.largest, square);
  }
  return result;
}

/// The sum over corners of a nodal vector times the normal; of positions it is three times the volume.
inline double flux(const Mesh& mesh, const std::array<Values, 3>& nodal, const Normals& normals, std::int32_t element) {
  double sum = 0;
  for (std::size_t corner = 0; corner < 8; ++corner) {
    const auto index = corner * static_cast<std::size_t>(mesh.elements) + static_cast<std::size_t>(element);
    const auto node = static_cast<std::size_t>(mesh.element_nodes[index]);
    for (std::size_t a = 0; a < 3; ++a) sum += nodal[a][node] * normals.of[corner][a];
  }
  return sum;
}

inline void move_nodes(const Mesh& mesh, State& s, double dt) {
  const auto elements = static_cast<std::size_t>(mesh.elements);
  std::array<Values, 3> corner_force;
  for (Values& f : corner_force) f.resize(8 * elements);
  for (std::int32_t e = 0; e < mesh.elements; ++e) {
    const auto i = static_cast<std::size_t>(e);
    const Normals normals = corner_normals(mesh, s, e);
    for (std::size_t corner = 0; corner < 8; ++corner) {
      for (std::size_t a = 0; a < 3; ++a) {
        corner_force[a][corner * elements + i] = (s.p[i] + s.q[i]) * normals.of[corner][a];
      }
    }
  }
  for (std::size_t node = 0; node < static_cast<std::size_t>(mesh.nodes); ++node) {
    for (std::size_t a = 0; a < 3; ++a) {
      double force = 0;
      for (auto c = mesh.first_corner[node]; c < mesh.first_corner[node + 1]; ++c) {
        force += corner_force[a][static_cast<std::size_t>(mesh.corners[static_cast<std::size_t>(c)])];
      }
      double& v = s.velocity[a][node];
      if (mesh.fixed[a][node] == 0) v += force / mesh.mass[node] * dt;
      if (std::abs(v) < kCutOff) v = 0;
      s.position[a][node] += v * dt;
    }
  }
}

/// Viscosity of one element, from the divergence of it and its neighbours: linear and quadratic part.
inline std::array<double, 2> viscosity(const Mesh& mesh, const State& s, std::int32_t element, double relative) {
  const auto value = [&](std::int32_t e) { return s.divergence[static_cast<std::size_t>(e)]; };
  const double own = value(element);
  if (own >= 0) return {0, 0};
  double limit = 0;
  std::int32_t step = 1;
  for (int axis = 0; axis < 3; ++axis, step *= mesh.n) {
    const std::int32_t place = element / step % mesh.n;
    const double low = (place > 0 ? value(element - step) : own) / own;
    const double high = (place < mesh.n - 1 ? value(element + step) : own) / own;
    limit += std::clamp(std::min({0.5 * (low + high), 2 * low, 2 * high}), 0.0, 1.0) / 3;
  }
  const double jump = own * s.length[static_cast<std::size_t>(element)];
  return {-0.5 / relative * jump * (1 - limit), 2 / relative * jump * jump * (1 - limit * limit)};
}

inline void update_material(const std::array<double, 2>& q_parts, double delta, double relative, State& s,
                            std::size_t i) {
  const double old = s.p[i] + s.q[i], middle = relative - 0.5 * delta;
  double energy = s.energy[i] - 0.5 * delta * old;
  const double half = 2.0 / 3.0 * energy / middle;
  const double speed = std::sqrt(std::max(5.0 / 3.0 * half * middle, 1e-36));
  const double q = delta <= 0 ? speed * q_parts[0] + q_parts[1] : 0.0;
  energy += 0.5 * delta * (3 * old - 4 * (half + q));
  s.energy[i] = std::abs(energy) < kCutOff ? 0 : energy;
  const double p = 2.0 / 3.0 * s.energy[i] / relative;
  s.p[i] = std::abs(p) < kCutOff ? 0 : std::max(p, 0.0);
  s.q[i] = std::abs(q) < kCutOff ? 0 : q;
  s.sound[i] = std::sqrt(std::max(5.0 / 3.0 * s.p[i] * relative, 1e-36));
}

/// One time step; returns the largest step that the elements allow.
inline double advance(const Mesh& mesh, State& s, double dt) {
  move_nodes(mesh, s, dt);
  const auto elements = static_cast<std::size_t>(mesh.elements);
  Values relative(elements), change(elements);
  for (std::int32_t e = 0; e < mesh.elements; ++e) {
    const auto i = static_cast<std::size_t>(e);
    const Normals normals = corner_normals(mesh, s, e);
    const double whole = flux(mesh, s.position, normals, e) / 3;
    relative[i] = whole / mesh.first_volume[i];
    if (std::abs(relative[i] - 1) < 1e-10) relative[i] = 1;
    change[i] = relative[i] - s.volume[i];
    s.divergence[i] = flux(mesh, s.velocity, normals, e) / whole;
    s.length[i] = whole / std::sqrt(normals.largest);
  }
  double least = 1e20;
  for (std::int32_t e = 0; e < mesh.elements; ++e) {
    const auto i = static_cast<std::size_t>(e);
    update_material(viscosity(mesh, s, e, relative[i]), change[i], relative[i], s, i);
    s.volume[i] = relative[i];
    const double d = s.divergence[i], moved = d < 0 ? 8 * s.length[i] * s.length[i] * d * d : 0.0;
    if (d != 0) least = std::min(least, s.length[i] / std::sqrt(s.sound[i] * s.sound[i] + moved));
  }
  return least;
}

inline double next_step(double dt, double allowed) { return std::min(0.5 * allowed, 1.1 * dt); }

}  // namespace heddle::workloads::lulesh
