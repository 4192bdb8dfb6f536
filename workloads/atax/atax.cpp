// Matrix transpose and vector multiplication. Sums in the kernel's order: exact.
#include <vector>

#include "workloads/common/arrays.h"
#include "workloads/common/compare.h"
#include "workloads/common/dense.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(atax)

namespace heddle::workloads::atax {
namespace {

constexpr std::uint32_t kBlock = 256;

class Atax final : public Workload {
 public:
  Atax()
      : Workload({.name = "atax",
                  .summary = "Transpose(A) times A times x: one kernel with a row per thread (32 lines per access), "
                             "one with a column per thread.",
                  .suite = "PolyBench",
                  .papers = {{"warppool", "ATAX_1", {Trait::kDivergent}}},
                  .kernels = {{"atax_rows", "ATAX-1"}, {"atax_columns", "ATAX-2"}},
                  .unit = "matrix rows",
                  .sizes = {{"tiny", 300}, {"small", 1'200}, {"medium", 3'000}, {"paper", 4'096}},
                  .least = 1,
                  .most = 32'768,
                  .ptx = embedded::atax}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto n = static_cast<std::uint32_t>(request.elements);
    const dense::Matrix a = random_floats(std::size_t{n} * n, request.seed, 0);
    const dense::Vector x = random_floats(n, request.seed, 1);
    const dense::Vector zero(n, 0.0f);
    const runtime::Module module = load(device);
    const runtime::DeviceArray<float> device_a(device, a);
    const runtime::DeviceArray<float> device_x(device, x);
    const runtime::DeviceArray<float> tmp(device, zero);
    const runtime::DeviceArray<float> y(device, zero);
    const Dim3 grid{blocks_for(n, kBlock)};
    device.launch(module.kernel("atax_rows"), grid, {kBlock}, 0, device_a.address(), device_x.address(), tmp.address(),
                  n);
    device.launch(module.kernel("atax_columns"), grid, {kBlock}, 0, device_a.address(), tmp.address(), y.address(), n);
    const dense::Vector products = dense::rows_times(a, x, zero);
    return both(compare_exact(products, tmp.download(), "products with rows"),
                compare_exact(dense::columns_times(a, products, zero), y.download(), "products with columns"));
  }
};

}  // namespace

HEDDLE_WORKLOAD(Atax)

}  // namespace heddle::workloads::atax
