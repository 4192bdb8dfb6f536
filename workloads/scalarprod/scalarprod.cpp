// Scalar products. The reference adds in the kernel's order (1024 partial sums, then a tree), so the check is exact.
#include <cmath>

#include "workloads/common/arrays.h"
#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(scalarprod)

namespace heddle::workloads::scalarprod {
namespace {

constexpr std::uint32_t kBlock = 256;
constexpr std::uint32_t kMostBlocks = 128;
constexpr std::uint32_t kElements = 4'096;
constexpr std::uint32_t kAccumulators = 1'024;

float product(const float* a, const float* b) {
  std::vector<float> sums(kAccumulators, 0.0f);
  for (std::uint32_t i = 0; i < kElements; ++i) {
    sums[i % kAccumulators] = std::fma(a[i], b[i], sums[i % kAccumulators]);
  }
  for (std::uint32_t stride = kAccumulators / 2; stride > 0; stride /= 2) {
    for (std::uint32_t s = 0; s < stride; ++s) sums[s] += sums[stride + s];
  }
  return sums[0];
}

class ScalarProd final : public Workload {
 public:
  ScalarProd()
      : Workload({.name = "scalarprod",
                  .summary = "Scalar products of pairs of vectors of 4096 elements: streams, then tree sums in shared "
                             "memory.",
                  .suite = "CUDA SDK",
                  .papers = {{"mask", "SCP", {Trait::kL1TlbLow, Trait::kL2TlbHigh}}},
                  .kernels = {{"scalar_products", "SCP"}},
                  .unit = "pairs of vectors",
                  .sizes = {{"tiny", 8}, {"small", 96}, {"medium", 224}, {"paper", 256}},
                  .least = 1,
                  .most = 262'144,
                  .ptx = embedded::scalarprod}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto vectors = static_cast<std::uint32_t>(request.elements);
    const std::vector<float> a = random_floats(std::size_t{vectors} * kElements, request.seed, 0, 0.0f, 1.0f);
    const std::vector<float> b = random_floats(std::size_t{vectors} * kElements, request.seed, 1, 0.0f, 1.0f);
    const runtime::Module module = load(device);
    const runtime::DeviceArray<float> results(device, vectors);
    const runtime::DeviceArray<float> device_a(device, a);
    const runtime::DeviceArray<float> device_b(device, b);
    device.launch(module.kernel("scalar_products"), {std::min(kMostBlocks, vectors)}, {kBlock}, 0, results.address(),
                  device_a.address(), device_b.address(), vectors, kElements);
    std::vector<float> expected(vectors);
    for (std::size_t i = 0; i < vectors; ++i) expected[i] = product(&a[i * kElements], &b[i * kElements]);
    return compare_exact(expected, results.download(), "products");
  }
};

}  // namespace

HEDDLE_WORKLOAD(ScalarProd)

}  // namespace heddle::workloads::scalarprod
