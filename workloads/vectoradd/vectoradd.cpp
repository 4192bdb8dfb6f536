// Vector addition: the smallest streaming workload. One addition per element rounds the same way everywhere, so the
// check is exact.
#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/random.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(vectoradd)

namespace heddle::workloads::vectoradd {
namespace {

constexpr std::uint32_t kBlock = 256;

std::vector<float> random_vector(std::uint32_t count, std::uint64_t seed, std::uint64_t stream) {
  Random random(seed, stream);
  std::vector<float> values(count);
  for (float& v : values) v = random.uniform(-100.0f, 100.0f);
  return values;
}

class VectorAdd final : public Workload {
 public:
  VectorAdd()
      : Workload({.name = "vectoradd",
                  .summary = "Adds two float vectors; streams three arrays once, fully coalesced.",
                  .suite = "CUDA SDK",
                  .papers = {},
                  .kernels = {{"vector_add", "vectoradd"}},
                  .unit = "elements",
                  .sizes = {{"tiny", 5'000}, {"small", 3'000'000}, {"medium", 24'000'000}},
                  .least = 1,
                  .most = std::uint64_t{1} << 30,
                  .ptx = embedded::vectoradd}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto count = static_cast<std::uint32_t>(request.elements);
    const std::vector<float> a = random_vector(count, request.seed, 0);
    const std::vector<float> b = random_vector(count, request.seed, 1);
    const runtime::Module module = load(device);

    const runtime::DeviceArray<float> device_a(device, a);
    const runtime::DeviceArray<float> device_b(device, b);
    const runtime::DeviceArray<float> device_c(device, count);
    device.launch(module.kernel("vector_add"), {blocks_for(count, kBlock)}, {kBlock}, 0, device_a.address(),
                  device_b.address(), device_c.address(), count);

    std::vector<float> expected(count);
    for (std::uint32_t i = 0; i < count; ++i) expected[i] = a[i] + b[i];
    return compare_exact(expected, device_c.download(), "sums");
  }
};

}  // namespace

HEDDLE_WORKLOAD(VectorAdd)

}  // namespace heddle::workloads::vectoradd
