// Correlation matrix. Divisions and roots are correctly rounded and sums are in the kernel's order: exact.
#include <cmath>
#include <vector>

#include "workloads/common/arrays.h"
#include "workloads/common/compare.h"
#include "workloads/common/dense.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(corr)

namespace heddle::workloads::corr {
namespace {

constexpr std::uint32_t kBlock = 256;
constexpr std::uint32_t kBlockX = 32;
constexpr std::uint32_t kBlockY = 8;
constexpr float kSmallest = 0.005f;  ///< a deviation below this counts as 1

dense::Matrix reference(dense::Matrix data, std::size_t n) {
  const auto count = static_cast<float>(n);
  for (std::size_t j = 0; j < n; ++j) {
    float mean = 0.0f;
    for (std::size_t i = 0; i < n; ++i) mean += data[i * n + j];
    mean /= count;
    float deviation = 0.0f;
    for (std::size_t i = 0; i < n; ++i) {
      const float difference = data[i * n + j] - mean;
      deviation = std::fma(difference, difference, deviation);
    }
    deviation = std::sqrt(deviation / count);
    if (deviation <= kSmallest) deviation = 1.0f;
    for (std::size_t i = 0; i < n; ++i) data[i * n + j] = (data[i * n + j] - mean) / (std::sqrt(count) * deviation);
  }
  dense::Matrix symmetric(n * n, 0.0f);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t row = 0; row < n; ++row) {
      for (std::size_t column = row + 1; column < n; ++column) {
        float& sum = symmetric[row * n + column];
        sum = std::fma(data[i * n + row], data[i * n + column], sum);
      }
    }
  }
  for (std::size_t row = 0; row < n; ++row) {
    symmetric[row * n + row] = 1.0f;
    for (std::size_t column = 0; column < row; ++column) symmetric[row * n + column] = symmetric[column * n + row];
  }
  return symmetric;
}

class Corr final : public Workload {
 public:
  Corr()
      : Workload({.name = "corr",
                  .summary = "Correlation matrix in four kernels: two with a column per thread, one per element, one "
                             "triangular and long running.",
                  .suite = "PolyBench",
                  .papers = {{"warppool", "CORR_3", {}}},
                  .kernels = {{"corr_mean", "CORR-1"},
                              {"corr_deviation", "CORR-2"},
                              {"corr_scale", "CORR-3"},
                              {"corr_products", "CORR-4"}},
                  .unit = "variables (and as many observations)",
                  .sizes = {{"tiny", 48}, {"small", 192}, {"medium", 416}, {"paper", 2'048}},
                  .least = 1,
                  .most = 8'192,
                  .ptx = embedded::corr}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto n = static_cast<std::uint32_t>(request.elements);
    const dense::Matrix data = random_floats(std::size_t{n} * n, request.seed, 0);
    const runtime::Module module = load(device);
    const runtime::DeviceArray<float> device_data(device, data);
    const runtime::DeviceArray<float> mean(device, n);
    const runtime::DeviceArray<float> deviation(device, n);
    const runtime::DeviceArray<float> symmetric(device, data.size());
    const Dim3 grid{blocks_for(n, kBlock)};
    device.launch(module.kernel("corr_mean"), grid, {kBlock}, 0, mean.address(), device_data.address(), n);
    device.launch(module.kernel("corr_deviation"), grid, {kBlock}, 0, mean.address(), deviation.address(),
                  device_data.address(), n);
    device.launch(module.kernel("corr_scale"), {blocks_for(n, kBlockX), blocks_for(n, kBlockY)}, {kBlockX, kBlockY}, 0,
                  mean.address(), deviation.address(), device_data.address(), n);
    device.launch(module.kernel("corr_products"), grid, {kBlock}, 0, symmetric.address(), device_data.address(), n);
    return compare_exact(reference(data, n), symmetric.download(), "correlations");
  }
};

}  // namespace

HEDDLE_WORKLOAD(Corr)

}  // namespace heddle::workloads::corr
