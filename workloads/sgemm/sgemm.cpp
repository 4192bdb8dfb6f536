// Matrix multiplication. Kernel and reference both add the products in ascending k with fused multiply-adds, and the
// zeros of the padded tiles change nothing, so the check is exact.
#include <cmath>

#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/random.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(sgemm)

namespace heddle::workloads::sgemm {
namespace {

constexpr std::uint32_t kTile = 16;
constexpr float kAlpha = 1.5f;
constexpr float kBeta = -0.5f;

std::vector<float> random_matrix(std::size_t n, std::uint64_t seed, std::uint64_t stream) {
  Random random(seed, stream);
  std::vector<float> values(n * n);
  for (float& v : values) v = random.uniform(-1.0f, 1.0f);
  return values;
}

std::vector<float> reference(const std::vector<float>& a, const std::vector<float>& b, const std::vector<float>& c,
                             std::size_t n) {
  std::vector<float> result(n * n);
  std::vector<float> sums(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::fill(sums.begin(), sums.end(), 0.0f);
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t j = 0; j < n; ++j) sums[j] = std::fma(a[i * n + k], b[k * n + j], sums[j]);
    }
    for (std::size_t j = 0; j < n; ++j) result[i * n + j] = std::fma(kAlpha, sums[j], kBeta * c[i * n + j]);
  }
  return result;
}

class Sgemm final : public Workload {
 public:
  Sgemm()
      : Workload(
            {.name = "sgemm",
             .summary =
                 "Multiplies two square float matrices with 16x16 tiles in shared memory; compute bound, high reuse.",
             .suite = "Parboil",
             .papers = {{"scavenger", "SG", {Trait::kComputeBound}}},
             .kernels = {{"sgemm_tiled", "sgemm"}},
             .unit = "matrix rows",
             .sizes = {{"tiny", 50}, {"small", 256}, {"medium", 528}},
             .least = 1,
             .most = 16'384,
             .ptx = embedded::sgemm}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto n = static_cast<std::uint32_t>(request.elements);
    const std::vector<float> a = random_matrix(n, request.seed, 0);
    const std::vector<float> b = random_matrix(n, request.seed, 1);
    const std::vector<float> c = random_matrix(n, request.seed, 2);
    const runtime::Module module = load(device);

    const runtime::DeviceArray<float> device_a(device, a);
    const runtime::DeviceArray<float> device_b(device, b);
    const runtime::DeviceArray<float> device_c(device, c);
    const std::uint32_t blocks = blocks_for(n, kTile);
    device.launch(module.kernel("sgemm_tiled"), {blocks, blocks}, {kTile, kTile}, 0, device_a.address(),
                  device_b.address(), device_c.address(), n, kAlpha, kBeta);
    return compare_exact(reference(a, b, c, n), device_c.download(), "elements of the product");
  }
};

}  // namespace

HEDDLE_WORKLOAD(Sgemm)

}  // namespace heddle::workloads::sgemm
