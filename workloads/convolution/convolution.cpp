// Separable convolution. Rows, then columns, taps in ascending order with fused multiply-adds on both sides: exact.
#include <cmath>

#include "workloads/common/arrays.h"
#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(convolution)

namespace heddle::workloads::convolution {
namespace {

constexpr int kRadius = 8;
constexpr std::uint32_t kTile = 128;  ///< what a row block covers; two column blocks cover it too

/// One pass; `step` is the distance of neighbours along the filter, `index` and `extent` say where the image ends.
float filtered(const std::vector<float>& image, const std::vector<float>& taps, std::int64_t at, std::int64_t step,
               std::int64_t index, std::int64_t extent) {
  float sum = 0.0f;
  for (int j = -kRadius; j <= kRadius; ++j) {
    const bool inside = index + j >= 0 && index + j < extent;
    const float value = inside ? image[static_cast<std::size_t>(at + j * step)] : 0.0f;
    sum = std::fma(taps[static_cast<std::size_t>(kRadius - j)], value, sum);
  }
  return sum;
}

std::vector<float> reference(const std::vector<float>& image, const std::vector<float>& taps, std::int64_t n) {
  std::vector<float> rows(image.size());
  std::vector<float> result(image.size());
  for (std::int64_t i = 0; i < n * n; ++i) rows[static_cast<std::size_t>(i)] = filtered(image, taps, i, 1, i % n, n);
  for (std::int64_t i = 0; i < n * n; ++i) result[static_cast<std::size_t>(i)] = filtered(rows, taps, i, n, i / n, n);
  return result;
}

class Convolution final : public Workload {
 public:
  Convolution()
      : Workload({.name = "convolution",
                  .summary =
                      "Separable 17-tap convolution of an image: strips with halos in shared memory, by rows and "
                      "by columns.",
                  .suite = "CUDA SDK",
                  .papers = {{"mask", "CONS", {Trait::kL1TlbHigh, Trait::kL2TlbHigh}}},
                  .kernels = {{"convolution_rows", "CONS-1"}, {"convolution_columns", "CONS-2"}},
                  .unit = "image rows (square, rounded up to a multiple of 128)",
                  .sizes = {{"tiny", 128}, {"small", 768}, {"medium", 2'560}, {"paper", 3'072}},
                  .least = 1,
                  .most = 16'384,
                  .ptx = embedded::convolution}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto n = static_cast<std::uint32_t>(round_up(request.elements, kTile));
    const std::vector<float> image = random_floats(std::size_t{n} * n, request.seed, 0, 0.0f, 16.0f);
    const std::vector<float> taps = random_floats(2 * kRadius + 1, request.seed, 1, 0.0f, 16.0f);
    const runtime::Module module = load(device);
    device.copy_to_device(module.symbol("convolution_taps").address, taps.data(), taps.size() * sizeof(float));
    const runtime::DeviceArray<float> in(device, image);
    const runtime::DeviceArray<float> middle(device, image.size());
    const runtime::DeviceArray<float> out(device, image.size());
    device.launch(module.kernel("convolution_rows"), {n / 128, n / 4}, {16, 4}, 0, middle.address(), in.address(), n,
                  n);
    device.launch(module.kernel("convolution_columns"), {n / 16, n / 64}, {16, 8}, 0, out.address(), middle.address(),
                  n, n);
    return compare_exact(reference(image, taps, n), out.download(), "pixels");
  }
};

}  // namespace

HEDDLE_WORKLOAD(Convolution)

}  // namespace heddle::workloads::convolution
