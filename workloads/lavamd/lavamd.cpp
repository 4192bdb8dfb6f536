// Molecular dynamics: potential and forces of particles on those of their own box and its up to 26 neighbours. Boxes
// fill a cube layer by layer; the last layer may be incomplete.
//
// Tolerance: at most 2,700 terms per sum, each below 2 in size. exp, and the products in front of it, may differ
// between the sides by some 10 units in the last place (2^-53), a sum of n terms by n such units of its size in the
// worst case: 2,700 * 2 * (10 + 2,700) * 2^-53 = 1.7e-9.
#include <cmath>

#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/random.h"
#include "workloads/lavamd/box.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(lavamd)

namespace heddle::workloads::lavamd {
namespace {

constexpr std::uint32_t kThreads = 128;
constexpr double kAlpha = 0.5;
constexpr double kTolerance = 1.7e-9;

std::vector<Box> make_boxes(int count) {
  int side = 1;
  while (side * side * side < count) ++side;
  std::vector<Box> boxes(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    Box& box = boxes[static_cast<std::size_t>(i)];
    box = {i % side, i / side % side, i / (side * side), i, std::int64_t{i} * kParticlesPerBox, 0, {}};
    for (int z = box.z - 1; z <= box.z + 1; ++z) {
      for (int y = box.y - 1; y <= box.y + 1; ++y) {
        for (int x = box.x - 1; x <= box.x + 1; ++x) {
          const int number = (z * side + y) * side + x;
          const bool outside = x < 0 || y < 0 || z < 0 || x >= side || y >= side || number >= count;
          if (outside || number == i) continue;
          box.neighbours[box.neighbour_count++] = {x, y, z, number, std::int64_t{number} * kParticlesPerBox};
        }
      }
    }
  }
  return boxes;
}

std::vector<Particle> reference(const std::vector<Box>& boxes, const std::vector<Particle>& particles,
                                const std::vector<double>& charges) {
  std::vector<Particle> forces(particles.size(), Particle{0, 0, 0, 0});
  const auto interact = [&](std::size_t i, std::size_t j) {
    const Particle& a = particles[i];
    const Particle& b = particles[j];
    const double vij = std::exp(-2.0 * kAlpha * kAlpha * (a.v + b.v - (a.x * b.x + a.y * b.y + a.z * b.z)));
    forces[i].v += charges[j] * vij;
    forces[i].x += charges[j] * 2.0 * vij * (a.x - b.x);
    forces[i].y += charges[j] * 2.0 * vij * (a.y - b.y);
    forces[i].z += charges[j] * 2.0 * vij * (a.z - b.z);
  };
  for (const Box& box : boxes) {
    for (int k = 0; k <= box.neighbour_count; ++k) {
      const std::int64_t other = k == 0 ? box.offset : box.neighbours[k - 1].offset;
      for (int i = 0; i < kParticlesPerBox; ++i) {
        for (int j = 0; j < kParticlesPerBox; ++j) {
          interact(static_cast<std::size_t>(box.offset + i), static_cast<std::size_t>(other + j));
        }
      }
    }
  }
  return forces;
}

std::vector<double> flat(const std::vector<Particle>& particles) {
  std::vector<double> values;
  values.reserve(4 * particles.size());
  for (const Particle& p : particles) values.insert(values.end(), {p.v, p.x, p.y, p.z});
  return values;
}

class LavaMd final : public Workload {
 public:
  LavaMd()
      : Workload(
            {.name = "lavamd",
             .summary = "Particles in boxes of 100, forces from 27 boxes: one block per box, double precision, exp.",
             .suite = "Rodinia",
             .papers = {{"regless", "lavaMD", {}}, {"scavenger", "LM", {Trait::kMemoryBound}}},
             .kernels = {{"lavamd_forces", "lavamd_1"}},
             .unit = "particles (rounded up to a multiple of 100)",
             .sizes = {{"tiny", 200}, {"small", 1'000}, {"medium", 5'000}, {"paper", 100'000}},
             .least = 1,
             .most = 100'000'000,
             .ptx = embedded::lavamd}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const std::uint32_t count = blocks_for(request.elements, kParticlesPerBox);
    const std::vector<Box> boxes = make_boxes(static_cast<int>(count));
    Random random(request.seed);
    std::vector<Particle> particles(std::size_t{count} * kParticlesPerBox);
    std::vector<double> charges(particles.size());
    const auto draw = [&] { return static_cast<double>(1 + random.below(10)) / 10.0; };
    for (Particle& p : particles) p = {draw(), draw(), draw(), draw()};
    for (double& charge : charges) charge = draw();

    const runtime::Module module = load(device);
    const runtime::DeviceArray<Box> device_boxes(device, boxes);
    const runtime::DeviceArray<Particle> device_particles(device, particles);
    const runtime::DeviceArray<double> device_charges(device, charges);
    runtime::DeviceArray<Particle> forces(device, particles.size());
    forces.fill(0);
    device.launch(module.kernel("lavamd_forces"), {count}, {kThreads}, 0, kAlpha, device_boxes.address(),
                  device_particles.address(), device_charges.address(), forces.address());
    return compare_close(flat(reference(boxes, particles, charges)), flat(forces.download()), 0.0, kTolerance,
                         "potentials and forces");
  }
};

}  // namespace

HEDDLE_WORKLOAD(LavaMd)

}  // namespace heddle::workloads::lavamd
