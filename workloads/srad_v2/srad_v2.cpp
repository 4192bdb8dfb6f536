// Speckle-reducing anisotropic diffusion, two steps. Between steps the host reads the image back for the statistics of
// its corner, as in Rodinia. (speckle * (1 + speckle) has no product in its sum to contract.) The check is exact.
#include "workloads/srad_v2/reference.h"

#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(srad_v2)

namespace heddle::workloads::srad_v2 {
namespace {

constexpr std::uint32_t kTile = 16;
constexpr int kSteps = 2;

class SradV2 final : public Workload {
 public:
  SradV2()
      : Workload({.name = "srad_v2",
                  .summary = "Speckle-reducing diffusion of an image: two tiled stencil kernels per step, six arrays.",
                  .suite = "Rodinia",
                  .papers = {{"mask", "SRAD", {Trait::kL1TlbHigh, Trait::kL2TlbHigh}}, {"regless", "srad_v2", {}}},
                  .kernels = {{"srad_v2_coefficients", "srad_v2_1"}, {"srad_v2_update", "srad_v2_2"}},
                  .unit = "image rows (the image is square, rounded up to a multiple of 16)",
                  .sizes = {{"tiny", 48}, {"small", 400}, {"medium", 1'200}, {"paper", 2'048}},
                  .least = 1,
                  .most = 16'384,
                  .ptx = embedded::srad_v2}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto n = static_cast<std::uint32_t>(round_up(request.elements, kTile));
    const float radius = static_cast<float>(n) / 20.0f;
    Image image = speckled_image(n, n, random_discs(12, n, n, radius, request.seed), 0.4f, request.seed);
    const std::uint32_t corner = std::min(n, 128u);

    const runtime::Module module = load(device);
    const runtime::Kernel find_coefficients = module.kernel("srad_v2_coefficients");
    const runtime::Kernel update = module.kernel("srad_v2_update");
    const std::size_t count = image.pixels.size();
    const runtime::DeviceArray<float> pixels(device, image.pixels);
    const runtime::DeviceArray<float> coefficients(device, count);
    const runtime::DeviceArray<float> east(device, count);
    const runtime::DeviceArray<float> west(device, count);
    const runtime::DeviceArray<float> north(device, count);
    const runtime::DeviceArray<float> south(device, count);
    const Dim3 grid{n / kTile, n / kTile};
    for (int step = 0; step < kSteps; ++step) {
      const float speckle = srad_v2::speckle_squared(pixels.download(), n, corner);
      device.launch(find_coefficients, grid, {kTile, kTile}, 0, east.address(), west.address(), north.address(),
                    south.address(), pixels.address(), coefficients.address(), n, n, speckle);
      device.launch(update, grid, {kTile, kTile}, 0, east.address(), west.address(), north.address(), south.address(),
                    pixels.address(), coefficients.address(), n, n, srad_v2::kQuarterLambda);
    }
    for (int step = 0; step < kSteps; ++step) {
      srad_v2::step(image, srad_v2::speckle_squared(image.pixels, n, corner));
    }
    return compare_exact(image.pixels, pixels.download(), "pixels");
  }
};

}  // namespace

HEDDLE_WORKLOAD(SradV2)

}  // namespace heddle::workloads::srad_v2
