// Two matrix-vector products. Sums in the kernel's order: exact.
#include <vector>

#include "workloads/common/arrays.h"
#include "workloads/common/compare.h"
#include "workloads/common/dense.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(bicg)

namespace heddle::workloads::bicg {
namespace {

constexpr std::uint32_t kBlock = 256;

class Bicg final : public Workload {
 public:
  Bicg()
      : Workload({.name = "bicg",
                  .summary = "The two products of BiCG: one kernel with a column per thread, one with a row per thread "
                             "(32 lines per access).",
                  .suite = "PolyBench",
                  .papers = {{"warppool", "BICG_2", {Trait::kDivergent}}},
                  .kernels = {{"bicg_columns", "BICG-1"}, {"bicg_rows", "BICG-2"}},
                  .unit = "matrix rows",
                  .sizes = {{"tiny", 300}, {"small", 1'200}, {"medium", 3'000}, {"paper", 4'096}},
                  .least = 1,
                  .most = 32'768,
                  .ptx = embedded::bicg}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto n = static_cast<std::uint32_t>(request.elements);
    const dense::Matrix a = random_floats(std::size_t{n} * n, request.seed, 0);
    const dense::Vector r = random_floats(n, request.seed, 1);
    const dense::Vector p = random_floats(n, request.seed, 2);
    const dense::Vector zero(n, 0.0f);
    const runtime::Module module = load(device);
    const runtime::DeviceArray<float> device_a(device, a);
    const runtime::DeviceArray<float> device_r(device, r);
    const runtime::DeviceArray<float> device_p(device, p);
    const runtime::DeviceArray<float> s(device, zero);
    const runtime::DeviceArray<float> q(device, zero);
    const Dim3 grid{blocks_for(n, kBlock)};
    device.launch(module.kernel("bicg_columns"), grid, {kBlock}, 0, device_a.address(), device_r.address(), s.address(),
                  n);
    device.launch(module.kernel("bicg_rows"), grid, {kBlock}, 0, device_a.address(), device_p.address(), q.address(),
                  n);
    return both(compare_exact(dense::columns_times(a, r, zero), s.download(), "products with columns"),
                compare_exact(dense::rows_times(a, p, zero), q.download(), "products with rows"));
  }
};

}  // namespace

HEDDLE_WORKLOAD(Bicg)

}  // namespace heddle::workloads::bicg
