// Matrix multiplication without tiles. Sums in the kernel's order: exact.
#include "workloads/common/arrays.h"
#include "workloads/common/compare.h"
#include "workloads/common/dense.h"
#include "workloads/common/embedded.h"
#include "workloads/common/polybench.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(gemm)

namespace heddle::workloads::gemm {
namespace {

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
    const dense::Matrix c = random_floats(a.size(), request.seed, 2);
    const runtime::Module module = load(device);
    const runtime::DeviceArray<float> device_a(device, a);
    const runtime::DeviceArray<float> device_b(device, b);
    const runtime::DeviceArray<float> device_c(device, c);
    polybench::launch_square(device, module.kernel("gemm"), n, device_a.address(), device_b.address(),
                             device_c.address(), kAlpha, kBeta, n);
    const dense::Matrix expected = dense::product(a, b, n, kAlpha, dense::scaled(c, kBeta));
    return compare_exact(expected, device_c.download(), "elements");
  }
};

}  // namespace

HEDDLE_WORKLOAD(Gemm)

}  // namespace heddle::workloads::gemm
