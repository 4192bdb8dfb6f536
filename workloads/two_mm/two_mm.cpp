// Two matrix products in a row. Sums in the kernel's order: exact.
#include <vector>

#include "workloads/common/arrays.h"
#include "workloads/common/compare.h"
#include "workloads/common/dense.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(two_mm)

namespace heddle::workloads {
namespace {

constexpr std::uint32_t kBlockX = 32;
constexpr std::uint32_t kBlockY = 8;

class TwoMm final : public Workload {
 public:
  TwoMm()
      : Workload({.name = "2mm",
                  .summary = "Two matrix products in a row: untiled, two loads and one store per step.",
                  .suite = "PolyBench",
                  .papers = {{"warppool", "2MM_1", {Trait::kCoalesced}}},
                  .kernels = {{"two_mm_first", "2MM-1"}, {"two_mm_second", "2MM-2"}},
                  .unit = "matrix rows",
                  .sizes = {{"tiny", 48}, {"small", 160}, {"medium", 384}, {"paper", 2'048}},
                  .least = 1,
                  .most = 8'192,
                  .ptx = embedded::two_mm}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto n = static_cast<std::uint32_t>(request.elements);
    const std::size_t count = std::size_t{n} * n;
    const dense::Matrix a = random_floats(count, request.seed, 0);
    const dense::Matrix b = random_floats(count, request.seed, 1);
    const dense::Matrix c = random_floats(count, request.seed, 2);
    const runtime::Module module = load(device);
    const runtime::DeviceArray<float> device_a(device, a);
    const runtime::DeviceArray<float> device_b(device, b);
    const runtime::DeviceArray<float> device_c(device, c);
    const runtime::DeviceArray<float> device_tmp(device, count);
    const runtime::DeviceArray<float> device_e(device, count);
    const auto multiply = [&](const char* kernel, const auto& left, const auto& right, const auto& result) {
      device.launch(module.kernel(kernel), {blocks_for(n, kBlockX), blocks_for(n, kBlockY)}, {kBlockX, kBlockY}, 0,
                    left.address(), right.address(), result.address(), n);
    };
    multiply("two_mm_first", device_a, device_b, device_tmp);
    multiply("two_mm_second", device_tmp, device_c, device_e);
    const dense::Matrix zero(count, 0.0f);
    const dense::Matrix tmp = dense::product(a, b, n, 1.0f, zero);
    const dense::Matrix e = dense::product(tmp, c, n, 1.0f, zero);
    return both(compare_exact(tmp, device_tmp.download(), "elements of the first product"),
                compare_exact(e, device_e.download(), "elements of the second product"));
  }
};

}  // namespace
}  // namespace heddle::workloads

HEDDLE_WORKLOAD(heddle::workloads::TwoMm)
