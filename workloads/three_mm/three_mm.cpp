// Three matrix products, the third of the results of the others. Sums in the kernel's order: exact.
#include <vector>

#include "workloads/common/arrays.h"
#include "workloads/common/compare.h"
#include "workloads/common/dense.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(three_mm)

namespace heddle::workloads {
namespace {

constexpr std::uint32_t kBlockX = 32;
constexpr std::uint32_t kBlockY = 8;

class ThreeMm final : public Workload {
 public:
  ThreeMm()
      : Workload({.name = "3mm",
                  .summary = "Three matrix products, the third of the results of the others: untiled, two loads and "
                             "one store per step.",
                  .suite = "PolyBench",
                  .papers = {{"warppool", "3MM_1", {Trait::kCoalesced}}},
                  .kernels = {{"three_mm_first", "3MM-1"}, {"three_mm_second", "3MM-2"}, {"three_mm_third", "3MM-3"}},
                  .unit = "matrix rows",
                  .sizes = {{"tiny", 40}, {"small", 136}, {"medium", 320}, {"paper", 512}},
                  .least = 1,
                  .most = 8'192,
                  .ptx = embedded::three_mm}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto n = static_cast<std::uint32_t>(request.elements);
    const std::size_t count = std::size_t{n} * n;
    const dense::Matrix a = random_floats(count, request.seed, 0);
    const dense::Matrix b = random_floats(count, request.seed, 1);
    const dense::Matrix c = random_floats(count, request.seed, 2);
    const dense::Matrix d = random_floats(count, request.seed, 3);
    const runtime::Module module = load(device);
    const runtime::DeviceArray<float> device_a(device, a);
    const runtime::DeviceArray<float> device_b(device, b);
    const runtime::DeviceArray<float> device_c(device, c);
    const runtime::DeviceArray<float> device_d(device, d);
    const runtime::DeviceArray<float> device_e(device, count);
    const runtime::DeviceArray<float> device_f(device, count);
    const runtime::DeviceArray<float> device_g(device, count);
    const auto multiply = [&](const char* kernel, const auto& left, const auto& right, const auto& result) {
      device.launch(module.kernel(kernel), {blocks_for(n, kBlockX), blocks_for(n, kBlockY)}, {kBlockX, kBlockY}, 0,
                    left.address(), right.address(), result.address(), n);
    };
    multiply("three_mm_first", device_a, device_b, device_e);
    multiply("three_mm_second", device_c, device_d, device_f);
    multiply("three_mm_third", device_e, device_f, device_g);
    const dense::Matrix zero(count, 0.0f);
    const dense::Matrix e = dense::product(a, b, n, 1.0f, zero);
    const dense::Matrix f = dense::product(c, d, n, 1.0f, zero);
    const dense::Matrix g = dense::product(e, f, n, 1.0f, zero);
    return both(both(compare_exact(e, device_e.download(), "elements of the first product"),
                     compare_exact(f, device_f.download(), "elements of the second product")),
                compare_exact(g, device_g.download(), "elements of the third product"));
  }
};

}  // namespace
}  // namespace heddle::workloads

HEDDLE_WORKLOAD(heddle::workloads::ThreeMm)
