// Matrix multiplication with register tiles. Products are added in ascending k with fused multiply-adds: exact.
#include <cmath>

#include "workloads/common/arrays.h"
#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(matmul)

namespace heddle::workloads::matmul {
namespace {

constexpr std::uint32_t kTileM = 128;
constexpr std::uint32_t kTileN = 16;
constexpr std::uint32_t kTileK = 8;

std::vector<float> reference(const std::vector<float>& a, const std::vector<float>& b, std::size_t m, std::size_t n,
                             std::size_t k) {
  std::vector<float> c(m * n, 0.0f);
  for (std::size_t column = 0; column < n; ++column) {
    for (std::size_t i = 0; i < k; ++i) {
      const float factor = b[i * n + column];
      for (std::size_t row = 0; row < m; ++row) {
        c[row + column * m] = std::fma(a[row + i * m], factor, c[row + column * m]);
      }
    }
  }
  return c;
}

class MatMul final : public Workload {
 public:
  MatMul()
      : Workload({.name = "matmul",
                  .summary = "Matrix product with sixteen results per thread in registers and a small tile in shared "
                             "memory; column-major operand.",
                  .suite = "Parboil",
                  .papers = {{"mask", "MM", {Trait::kL1TlbHigh, Trait::kL2TlbHigh}}},
                  .kernels = {{"matmul_registers", "MM"}},
                  .unit = "matrix rows (rounded up to multiples of 128, 16 and 8)",
                  .sizes = {{"tiny", 48}, {"small", 256}, {"medium", 640}, {"paper", 1'024}},
                  .least = 1,
                  .most = 16'384,
                  .ptx = embedded::matmul}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto m = static_cast<std::uint32_t>(round_up(request.elements, kTileM));
    const auto n = static_cast<std::uint32_t>(round_up(request.elements, kTileN));
    const auto k = static_cast<std::uint32_t>(round_up(request.elements, kTileK));
    const std::vector<float> a = random_floats(std::size_t{m} * k, request.seed, 0);
    const std::vector<float> b = random_floats(std::size_t{k} * n, request.seed, 1);
    const runtime::Module module = load(device);
    const runtime::DeviceArray<float> device_a(device, a);
    const runtime::DeviceArray<float> device_b(device, b);
    const runtime::DeviceArray<float> device_c(device, std::size_t{m} * n);
    device.launch(module.kernel("matmul_registers"), {m / kTileM, n / kTileN}, {kTileN, kTileM / kTileN}, 0,
                  device_a.address(), device_b.address(), device_c.address(), m, n, k);
    return compare_exact(reference(a, b, m, n, k), device_c.download(), "elements of the product");
  }
};

}  // namespace

HEDDLE_WORKLOAD(MatMul)

}  // namespace heddle::workloads::matmul
