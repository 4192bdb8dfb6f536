// A blast wave in a cube, four time steps. Kernel and reference order sums alike but fuse multiply-adds differently;
// each step is a few hundred double operations per element (errors of 1e-13), and the steps before the shock forms do
// not amplify them: 1e-9 relative to the largest value of each array.
#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/random.h"
#include "workloads/lulesh/reference.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(lulesh)

namespace heddle::workloads::lulesh {
namespace {

using lulesh::Mesh;
using lulesh::State;
using lulesh::Values;

constexpr std::uint32_t kBlock = 128;
constexpr int kSteps = 4;
constexpr double kEdge = 1.125;
constexpr double kBlast = 3.948746e+7;  ///< for 45 elements along an edge; scaled with an element's volume
constexpr double kTolerance = 1e-9;

Mesh make_mesh(std::int32_t n) {
  Mesh mesh;
  mesh.n = n;
  mesh.elements = n * n * n;
  const std::int32_t side = n + 1;
  mesh.nodes = side * side * side;
  static constexpr std::array<std::array<std::int32_t, 3>, 8> kCorner{
      {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}};
  mesh.element_nodes.resize(8 * static_cast<std::size_t>(mesh.elements));
  std::vector<std::vector<std::int32_t>> corners(static_cast<std::size_t>(mesh.nodes));
  for (std::int32_t c = 0; c < 8; ++c) {
    const auto& [dx, dy, dz] = kCorner[static_cast<std::size_t>(c)];
    for (std::int32_t e = 0; e < mesh.elements; ++e) {
      const std::int32_t node = (e % n + dx) + (e / n % n + dy) * side + (e / (n * n) + dz) * side * side;
      mesh.element_nodes[static_cast<std::size_t>(c * mesh.elements + e)] = node;
      corners[static_cast<std::size_t>(node)].push_back(c * mesh.elements + e);
    }
  }
  mesh.first_corner.push_back(0);
  for (const auto& list : corners) {
    mesh.corners.insert(mesh.corners.end(), list.begin(), list.end());
    mesh.first_corner.push_back(static_cast<std::int32_t>(mesh.corners.size()));
  }
  std::int32_t stride = 1;
  for (auto& fixed : mesh.fixed) {
    for (std::int32_t node = 0; node < mesh.nodes; ++node) fixed.push_back(node / stride % side == 0 ? 1 : 0);
    stride *= side;
  }
  return mesh;
}

/// The state before the first step; also fills in the mesh's volumes and masses. Inner nodes are moved a little at
/// random.
State make_state(Mesh& mesh, std::uint64_t seed) {
  State s;
  const std::int32_t side = mesh.n + 1;
  const double spacing = kEdge / mesh.n;
  Random random(seed);
  std::int32_t stride = 1;
  for (std::size_t axis = 0; axis < 3; ++axis, stride *= side) {
    for (std::int32_t node = 0; node < mesh.nodes; ++node) {
      const std::int32_t place = node / stride % side;
      const bool inner = place > 0 && place < mesh.n;
      const double jitter = inner ? 0.05 * static_cast<double>(random.uniform(-1.0f, 1.0f)) : 0.0;
      s.position[axis].push_back((place + jitter) * spacing);
    }
    s.velocity[axis].assign(static_cast<std::size_t>(mesh.nodes), 0.0);
  }
  const auto elements = static_cast<std::size_t>(mesh.elements);
  mesh.mass.assign(static_cast<std::size_t>(mesh.nodes), 0.0);
  for (std::int32_t e = 0; e < mesh.elements; ++e) {
    const double volume = lulesh::flux(mesh, s.position, lulesh::corner_normals(mesh, s, e), e) / 3;
    mesh.first_volume.push_back(volume);
    for (std::int32_t c = 0; c < 8; ++c) {
      const std::int32_t node = mesh.element_nodes[static_cast<std::size_t>(c * mesh.elements + e)];
      mesh.mass[static_cast<std::size_t>(node)] += volume / 8;
    }
  }
  for (Values* zero : {&s.energy, &s.p, &s.q, &s.sound, &s.divergence, &s.length}) zero->assign(elements, 0.0);
  s.volume.assign(elements, 1.0);
  const double scale = mesh.n / 45.0;
  s.energy[0] = kBlast * scale * scale * scale;
  s.p[0] = 2.0 / 3.0 * s.energy[0];
  return s;
}

Outcome close(const Values& expected, const Values& actual, std::string_view what) {
  double largest = 0;
  for (const double v : expected) largest = std::max(largest, std::abs(v));
  return compare_close(expected, actual, 0.0, kTolerance * largest, what);
}

class Lulesh final : public Workload {
 public:
  Lulesh()
      : Workload({.name = "lulesh",
                  .summary = "Shock hydrodynamics on a mesh of hexahedra: gathers through index lists between elements "
                             "and nodes, eight kernels per step.",
                  .suite = "LULESH",
                  .papers = {{"mask", "LUH", {Trait::kL1TlbHigh, Trait::kL2TlbHigh}}},
                  .kernels = {{"lulesh_element_force", "LUH-1"},
                              {"lulesh_node_force", "LUH-2"},
                              {"lulesh_motion", "LUH-3"},
                              {"lulesh_kinematics", "LUH-4"},
                              {"lulesh_viscosity", "LUH-5"},
                              {"lulesh_energy", "LUH-6"},
                              {"lulesh_volume", "LUH-7"},
                              {"lulesh_time", "LUH-8"}},
                  .unit = "elements along an edge of the cube",
                  .sizes = {{"tiny", 6}, {"small", 22}, {"medium", 36}, {"paper", 45}},
                  .least = 1,
                  .most = 200,
                  .ptx = embedded::lulesh}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    Mesh mesh = make_mesh(static_cast<std::int32_t>(request.elements));
    const State first = make_state(mesh, request.seed);
    State expected = first;
    double dt = lulesh::kFirstStep;
    for (int i = 0; i < kSteps; ++i) dt = lulesh::next_step(dt, lulesh::advance(mesh, expected, dt));
    const State actual = advance_on(device, mesh, first);
    Outcome outcome = both(close(expected.energy, actual.energy, "energies"), close(expected.p, actual.p, "pressures"));
    for (std::size_t a = 0; a < 3; ++a) {
      outcome = both(std::move(outcome), close(expected.position[a], actual.position[a], "coordinates"));
    }
    return outcome;
  }

 private:
  using Array = runtime::DeviceArray<double>;

  State advance_on(runtime::Device& device, const Mesh& mesh, const State& first) const {
    const runtime::Module module = load(device);
    const auto elements = static_cast<std::size_t>(mesh.elements);
    const auto nodes = static_cast<std::size_t>(mesh.nodes);
    const runtime::DeviceArray<std::int32_t> element_nodes(device, mesh.element_nodes);
    const runtime::DeviceArray<std::int32_t> first_corner(device, mesh.first_corner);
    const runtime::DeviceArray<std::int32_t> corners(device, mesh.corners);
    const runtime::DeviceArray<std::uint8_t> fixed[3]{
        {device, mesh.fixed[0]}, {device, mesh.fixed[1]}, {device, mesh.fixed[2]}};
    const Array mass(device, mesh.mass), first_volume(device, mesh.first_volume);
    const Array position[3]{{device, first.position[0]}, {device, first.position[1]}, {device, first.position[2]}};
    const Array velocity[3]{{device, first.velocity[0]}, {device, first.velocity[1]}, {device, first.velocity[2]}};
    const Array corner_force[3]{{device, 8 * elements}, {device, 8 * elements}, {device, 8 * elements}};
    const Array force[3]{{device, nodes}, {device, nodes}, {device, nodes}};
    const Array energy(device, first.energy), p(device, first.p), q(device, first.q), sound(device, first.sound);
    const Array volume(device, first.volume), new_volume(device, elements), change(device, elements);
    const Array divergence(device, elements), length(device, elements);
    const Array linear(device, elements), quadratic(device, elements);
    const Dim3 by_element{blocks_for(elements, kBlock)}, by_node{blocks_for(nodes, kBlock)};
    const Array least(device, by_element.x);
    const auto launch = [&](const char* kernel, Dim3 grid, const auto&... arguments) {
      device.launch(module.kernel(kernel), grid, {kBlock}, 0, arguments...);
    };
    double dt = lulesh::kFirstStep;
    for (int i = 0; i < kSteps; ++i) {
      launch("lulesh_element_force", by_element, element_nodes.address(), position[0].address(), position[1].address(),
             position[2].address(), p.address(), q.address(), corner_force[0].address(), corner_force[1].address(),
             corner_force[2].address(), mesh.elements);
      launch("lulesh_node_force", by_node, first_corner.address(), corners.address(), corner_force[0].address(),
             corner_force[1].address(), corner_force[2].address(), force[0].address(), force[1].address(),
             force[2].address(), mesh.nodes);
      for (std::size_t a = 0; a < 3; ++a) {
        launch("lulesh_motion", by_node, force[a].address(), mass.address(), fixed[a].address(), velocity[a].address(),
               position[a].address(), dt, lulesh::kCutOff, mesh.nodes);
      }
      launch("lulesh_kinematics", by_element, element_nodes.address(), position[0].address(), position[1].address(),
             position[2].address(), velocity[0].address(), velocity[1].address(), velocity[2].address(),
             first_volume.address(), volume.address(), new_volume.address(), change.address(), divergence.address(),
             length.address(), mesh.elements);
      launch("lulesh_viscosity", by_element, divergence.address(), new_volume.address(), length.address(),
             linear.address(), quadratic.address(), mesh.n, mesh.elements);
      launch("lulesh_energy", by_element, energy.address(), p.address(), q.address(), sound.address(),
             new_volume.address(), change.address(), linear.address(), quadratic.address(), mesh.elements);
      launch("lulesh_volume", by_element, new_volume.address(), volume.address(), mesh.elements);
      launch("lulesh_time", by_element, length.address(), sound.address(), divergence.address(), least.address(),
             mesh.elements);
      const Values limits = least.download();
      dt = lulesh::next_step(dt, *std::min_element(limits.begin(), limits.end()));
    }
    State result;
    result.energy = energy.download();
    result.p = p.download();
    for (std::size_t a = 0; a < 3; ++a) result.position[a] = position[a].download();
    return result;
  }
};

}  // namespace

HEDDLE_WORKLOAD(Lulesh)

}  // namespace heddle::workloads::lulesh
