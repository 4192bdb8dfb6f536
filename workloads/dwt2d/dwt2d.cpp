// Wavelet transform of a colour image, three levels. Integers, so the check is exact.
#include <algorithm>

#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/image.h"
#include "workloads/dwt2d/reference.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(dwt2d)

namespace heddle::workloads::dwt2d {
namespace {

constexpr std::uint32_t kStrip = 64;
constexpr std::uint32_t kBlock = 256;
constexpr int kLevels = 3;
constexpr std::size_t kColours = 3;

std::vector<std::uint8_t> make_image(std::uint32_t n, std::uint64_t seed) {
  std::vector<std::uint8_t> bytes(kColours * n * n);
  for (std::size_t colour = 0; colour < kColours; ++colour) {
    const std::vector<Disc> discs = random_discs(16, n, n, static_cast<float>(n) / 16.0f, seed + colour);
    const Image image = speckled_image(n, n, discs, 0.1f, seed + colour);
    for (std::size_t i = 0; i < image.pixels.size(); ++i) {
      bytes[kColours * i + colour] = static_cast<std::uint8_t>(image.pixels[i]);
    }
  }
  return bytes;
}

class Dwt2d final : public Workload {
 public:
  Dwt2d()
      : Workload({.name = "dwt2d",
                  .summary = "5/3 wavelet transform of a colour image: strips through shared memory and registers.",
                  .suite = "Rodinia",
                  .papers = {{"regless", "dwt2d", {Trait::kComputeBound}}},
                  .kernels = {{"dwt2d_components", "dwt2d_1"}, {"dwt2d_forward", "dwt2d_2"}},
                  .unit = "image rows (the image is square)",
                  .sizes = {{"tiny", 30}, {"small", 400}, {"medium", 800}, {"paper", 1'024}},
                  .least = 1,
                  .most = 16'384,
                  .ptx = embedded::dwt2d}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto n = static_cast<std::uint32_t>(request.elements);
    const std::vector<std::uint8_t> image = make_image(n, request.seed);
    const runtime::Module module = load(device);
    const runtime::DeviceArray<std::uint8_t> device_image(device, image);
    const std::uint32_t pixels = n * n;
    const runtime::DeviceArray<std::int32_t> red(device, pixels);
    const runtime::DeviceArray<std::int32_t> green(device, pixels);
    const runtime::DeviceArray<std::int32_t> blue(device, pixels);
    device.launch(module.kernel("dwt2d_components"), {blocks_for(pixels, kBlock)}, {kBlock}, 0, device_image.address(),
                  pixels, red.address(), green.address(), blue.address());
    Outcome outcome{true, ""};
    std::size_t colour = 0;
    for (const auto* component : {&red, &green, &blue}) {
      std::vector<std::int32_t> expected(pixels);
      for (std::size_t i = 0; i < pixels; ++i) expected[i] = image[kColours * i + colour] - 128;
      std::uint32_t size = n;
      for (int level = 0; level < kLevels; ++level, size = (size + 1) / 2) dwt2d::transform(expected, n, size, size);
      const Outcome this_one =
          compare_exact(expected, transform_on(device, module, *component, n), "coefficients of a colour");
      outcome = outcome.detail.empty() ? this_one : both(outcome, this_one);
      ++colour;
    }
    return outcome;
  }

 private:
  static std::vector<std::int32_t> transform_on(runtime::Device& device, const runtime::Module& module,
                                                const runtime::DeviceArray<std::int32_t>& component, std::uint32_t n) {
    const runtime::Kernel forward = module.kernel("dwt2d_forward");
    const runtime::DeviceArray<std::int32_t> out(device, component.size());
    const runtime::DeviceArray<std::int32_t> first(device, component.size());
    const runtime::DeviceArray<std::int32_t> second(device, component.size());
    runtime::DeviceAddress from = component.address();
    std::uint32_t size = n;
    for (int level = 0; level < kLevels; ++level) {
      const runtime::DeviceAddress smooth = level % 2 == 0 ? first.address() : second.address();
      const std::uint32_t blocks = blocks_for(size, kStrip);
      device.launch(forward, {blocks, blocks}, {kStrip}, 0, from, size, size, out.address(), n, smooth);
      from = smooth;
      size = (size + 1) / 2;
    }
    return out.download();
  }
};

}  // namespace

HEDDLE_WORKLOAD(Dwt2d)

}  // namespace heddle::workloads::dwt2d
