// Matrix multiplication without tiles. Sums in the kernel's order: exact.
#include <vector>

#include "workloads/common/arrays.h"
#include "workloads/common/compare.h"
#include "workloads/common/dense.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(gemm)

namespace heddle::workloads {
namespace {

constexpr std::uint32_t kBlockX = 32;
constexpr std::uint32_t kBlockY = 8;
constexpr float kAlpha = 1.5f;
constexpr float kBeta = 0.75f;

class Gemm final : public Workload {
 public:
  Gemm()
      : Workload({.name = "gemm",
                  .summary = "Matrix multiplication straight from global memory; two loads and one store per step, "
                             "shared by the warps of a block.",
                  .suite = "PolyBench",
                  .papers = {{"warppool", "GEMM", {Trait::kCoalesced}}},
                  .kernels = {{"gemm", "GEMM"}},
                  .unit = "matrix rows",
                  .sizes = {{"tiny", 56}, {"small", 192}, {"medium", 448}, {"paper", 512}},
                  .least = 1,
                  .most = 8'192,
                  .ptx = embedded::gemm}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto n = static_cast<std::uint32_t>(request.elements);
    const dense::Matrix a = random_floats(std::size_t{n} * n, request.seed, 0);
    const dense::Matrix b = random_floats(a.size(), request.seed, 1);
    dense::Matrix c = random_floats(a.size(), request.seed, 2);
    const runtime::Module module = load(device);
    const runtime::DeviceArray<float> device_a(device, a);
    const runtime::DeviceArray<float> device_b(device, b);
    const runtime::DeviceArray<float> device_c(device, c);
    device.launch(module.kernel("gemm"), {blocks_for(n, kBlockX), blocks_for(n, kBlockY)}, {kBlockX, kBlockY}, 0,
                  device_a.address(), device_b.address(), device_c.address(), kAlpha, kBeta, n);
    for (float& v : c) v *= kBeta;
    return compare_exact(dense::product(a, b, n, kAlpha, c), device_c.download(), "elements");
  }
};

}  // namespace
}  // namespace heddle::workloads

HEDDLE_WORKLOAD(heddle::workloads::Gemm)
