// Symmetric rank-2k update. Sums in the kernel's order: exact.
#include "workloads/common/arrays.h"
#include "workloads/common/compare.h"
#include "workloads/common/dense.h"
#include "workloads/common/embedded.h"
#include "workloads/common/polybench.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(syr2k)

namespace heddle::workloads::syr2k {
namespace {

constexpr float kAlpha = 1.25f;
constexpr float kBeta = 0.5f;

class Syr2k final : public Workload {
 public:
  Syr2k()
      : Workload({.name = "syr2k",
                  .summary = "Symmetric rank-2k update: lanes read two matrices a row apart (32 lines per access), "
                             "reused between warps.",
                  .suite = "PolyBench",
                  .papers = {{"warppool", "SYR2K", {Trait::kDivergent}}},
                  .kernels = {{"syr2k", "SYR2K"}},
                  .unit = "matrix rows",
                  .sizes = {{"tiny", 48}, {"small", 112}, {"medium", 352}, {"paper", 2'048}},
                  .least = 1,
                  .most = 8'192,
                  .ptx = embedded::syr2k}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto n = static_cast<std::uint32_t>(request.elements);
    const dense::Matrix a = random_floats(std::size_t{n} * n, request.seed, 0);
    const dense::Matrix b = random_floats(a.size(), request.seed, 1);
    const dense::Matrix c = random_floats(a.size(), request.seed, 2);
    const runtime::Module module = load(device);
    const runtime::DeviceArray<float> device_a(device, a);
    const runtime::DeviceArray<float> device_b(device, b);
    const runtime::DeviceArray<float> device_c(device, c);
    polybench::launch_square(device, module.kernel("syr2k"), n, device_a.address(), device_b.address(),
                             device_c.address(), kAlpha, kBeta, n);
    const dense::Matrix expected = dense::symmetric_update({{a, b}, {b, a}}, n, kAlpha, dense::scaled(c, kBeta));
    return compare_exact(expected, device_c.download(), "elements");
  }
};

}  // namespace

HEDDLE_WORKLOAD(Syr2k)

}  // namespace heddle::workloads::syr2k
