// Symmetric rank-k update. Sums in the kernel's order: exact.
#include "workloads/common/arrays.h"
#include "workloads/common/compare.h"
#include "workloads/common/dense.h"
#include "workloads/common/embedded.h"
#include "workloads/common/polybench.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(syrk)

namespace heddle::workloads::syrk {
namespace {

constexpr float kAlpha = 1.25f;
constexpr float kBeta = 0.5f;

class Syrk final : public Workload {
 public:
  Syrk()
      : Workload({.name = "syrk",
                  .summary = "Symmetric rank-k update: lanes read a matrix a row apart (32 lines per access), reused "
                             "between warps.",
                  .suite = "PolyBench",
                  .papers = {{"warppool", "SYRK", {Trait::kDivergent}}},
                  .kernels = {{"syrk", "SYRK"}},
                  .unit = "matrix rows",
                  .sizes = {{"tiny", 56}, {"small", 128}, {"medium", 448}, {"paper", 1'024}},
                  .least = 1,
                  .most = 8'192,
                  .ptx = embedded::syrk}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto n = static_cast<std::uint32_t>(request.elements);
    const dense::Matrix a = random_floats(std::size_t{n} * n, request.seed, 0);
    const dense::Matrix c = random_floats(a.size(), request.seed, 1);
    const runtime::Module module = load(device);
    const runtime::DeviceArray<float> device_a(device, a);
    const runtime::DeviceArray<float> device_c(device, c);
    polybench::launch_square(device, module.kernel("syrk"), n, device_a.address(), device_c.address(), kAlpha, kBeta,
                             n);
    const dense::Matrix expected = dense::symmetric_update({{a, a}}, n, kAlpha, dense::scaled(c, kBeta));
    return compare_exact(expected, device_c.download(), "elements");
  }
};

}  // namespace

HEDDLE_WORKLOAD(Syrk)

}  // namespace heddle::workloads::syrk
