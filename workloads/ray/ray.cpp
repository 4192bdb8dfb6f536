// Ray tracing of random spheres. Kernel and reference round alike, so the images are equal.
#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/random.h"
#include "workloads/ray/reference.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(ray)

namespace heddle::workloads::ray {
namespace {

constexpr std::uint32_t kBlockX = 16;
constexpr std::uint32_t kBlockY = 8;

ray::Scene make_scene(std::uint64_t seed) {
  Random random(seed);
  ray::Scene scene{};
  for (ray::Sphere& s : scene) {
    s.x = random.uniform(-4.0f, 4.0f);
    s.y = random.uniform(-0.5f, 3.0f);
    s.z = random.uniform(-2.0f, 6.0f);
    s.radius = random.uniform(0.4f, 1.1f);
    s.red = random.uniform();
    s.green = random.uniform();
    s.blue = random.uniform();
    s.mirror = random.uniform(0.1f, 0.8f);
  }
  return scene;
}

class Ray final : public Workload {
 public:
  Ray()
      : Workload(
            {.name = "ray",
             .summary =
                 "Ray tracing of spheres with shadows and up to five reflections: divergent control, little memory.",
             .suite = "ISPASS 2009",
             .papers = {{"mask", "RAY", {Trait::kL1TlbLow, Trait::kL2TlbHigh}}},
             .kernels = {{"ray_trace", "RAY"}},
             .unit = "image rows (square)",
             .sizes = {{"tiny", 32}, {"small", 128}, {"medium", 224}, {"paper", 256}},
             .least = 1,
             .most = 8'192,
             .ptx = embedded::ray}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto size = static_cast<std::uint32_t>(request.elements);
    const ray::Scene scene = make_scene(request.seed);
    const runtime::Module module = load(device);
    device.copy_to_device(module.symbol("ray_scene").address, scene.data(), sizeof scene);
    const runtime::DeviceArray<std::uint32_t> image(device, std::size_t{size} * size);
    device.launch(module.kernel("ray_trace"), {blocks_for(size, kBlockX), blocks_for(size, kBlockY)},
                  {kBlockX, kBlockY}, 0, image.address(), size);
    std::vector<std::uint32_t> expected(std::size_t{size} * size);
    for (std::uint32_t y = 0; y < size; ++y) {
      for (std::uint32_t x = 0; x < size; ++x) {
        expected[std::size_t{y} * size + x] =
            ray::pixel(scene, static_cast<int>(x), static_cast<int>(y), static_cast<int>(size));
      }
    }
    return compare_exact(expected, image.download(), "pixels");
  }
};

}  // namespace

HEDDLE_WORKLOAD(Ray)

}  // namespace heddle::workloads::ray
