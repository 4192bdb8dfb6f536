// Matrix-vector products that add to vectors. Sums in the kernel's order: exact.
#include <vector>

#include "workloads/common/arrays.h"
#include "workloads/common/compare.h"
#include "workloads/common/dense.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(mvt)

namespace heddle::workloads::mvt {
namespace {

constexpr std::uint32_t kBlock = 256;

class Mvt final : public Workload {
 public:
  Mvt()
      : Workload({.name = "mvt",
                  .summary = "Matrix and transposed matrix times vector: a row per thread (32 lines per access), then "
                             "a column per thread.",
                  .suite = "PolyBench",
                  .papers = {{"warppool", "MVT_1", {Trait::kDivergent}}},
                  .kernels = {{"mvt_rows", "MVT-1"}, {"mvt_columns", "MVT-2"}},
                  .unit = "matrix rows",
                  .sizes = {{"tiny", 300}, {"small", 1'200}, {"medium", 3'000}, {"paper", 4'096}},
                  .least = 1,
                  .most = 32'768,
                  .ptx = embedded::mvt}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto n = static_cast<std::uint32_t>(request.elements);
    const dense::Matrix a = random_floats(std::size_t{n} * n, request.seed, 0);
    const dense::Vector x1 = random_floats(n, request.seed, 1);
    const dense::Vector x2 = random_floats(n, request.seed, 2);
    const dense::Vector y1 = random_floats(n, request.seed, 3);
    const dense::Vector y2 = random_floats(n, request.seed, 4);
    const runtime::Module module = load(device);
    const runtime::DeviceArray<float> device_a(device, a);
    const runtime::DeviceArray<float> device_x1(device, x1);
    const runtime::DeviceArray<float> device_x2(device, x2);
    const runtime::DeviceArray<float> device_y1(device, y1);
    const runtime::DeviceArray<float> device_y2(device, y2);
    const Dim3 grid{blocks_for(n, kBlock)};
    device.launch(module.kernel("mvt_rows"), grid, {kBlock}, 0, device_a.address(), device_y1.address(),
                  device_x1.address(), n);
    device.launch(module.kernel("mvt_columns"), grid, {kBlock}, 0, device_a.address(), device_y2.address(),
                  device_x2.address(), n);
    return both(compare_exact(dense::rows_times(a, y1, x1), device_x1.download(), "products with rows"),
                compare_exact(dense::columns_times(a, y2, x2), device_x2.download(), "products with columns"));
  }
};

}  // namespace

HEDDLE_WORKLOAD(Mvt)

}  // namespace heddle::workloads::mvt
