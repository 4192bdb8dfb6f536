// Dyadic convolution by the fast Walsh transform: transform data and filter, multiply, transform back. The stages only
// add and subtract, in an order that is the same in steps of radix two and four, so the check is exact.
#include <bit>

#include "workloads/common/arrays.h"
#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(fwt)

namespace heddle::workloads::fwt {
namespace {

constexpr std::uint32_t kBlock = 256;
constexpr int kSharedBits = 11;  ///< a block transforms up to 2048 elements
constexpr std::uint32_t kFilter = 128;

void transform(std::vector<float>& values) {
  for (std::size_t half = values.size() / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if ((i & half) != 0) continue;
      const float a = values[i], b = values[i + half];
      values[i] = a + b;
      values[i + half] = a - b;
    }
  }
}

class Fwt final : public Workload {
 public:
  Fwt()
      : Workload({.name = "fwt",
                  .summary =
                      "Fast Walsh transform and dyadic convolution: power-of-two strides over global memory, then "
                      "shared memory.",
                  .suite = "CUDA SDK",
                  .papers = {{"mask", "FWT", {Trait::kL1TlbHigh, Trait::kL2TlbHigh}},
                             {"scavenger", "FWT", {Trait::kMemoryBound}}},
                  .kernels = {{"fwt_global", "FWT-1"}, {"fwt_shared", "FWT-2"}, {"fwt_modulate", "FWT-3"}},
                  .unit = "elements (rounded up to a power of two)",
                  .sizes = {{"tiny", 4'096}, {"small", 131'072}, {"medium", 1'048'576}, {"paper", 8'388'608}},
                  .least = 1,
                  .most = std::uint64_t{1} << 28,
                  .ptx = embedded::fwt}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto count = static_cast<std::uint32_t>(std::bit_ceil(std::max<std::uint64_t>(request.elements, 4)));
    std::vector<float> data = random_floats(count, request.seed, 0, 0.0f, 1.0f);
    std::vector<float> filter = random_floats(std::min(kFilter, count), request.seed, 1, 0.0f, 1.0f);
    filter.resize(count, 0.0f);

    const runtime::Module module = load(device);
    const runtime::DeviceArray<float> device_data(device, data);
    const runtime::DeviceArray<float> device_filter(device, filter);
    const float scale = 1.0f / static_cast<float>(count);
    transform_on(device, module, device_data.address(), count);
    transform_on(device, module, device_filter.address(), count);
    device.launch(module.kernel("fwt_modulate"), {std::min(128u, blocks_for(count, kBlock))}, {kBlock}, 0,
                  device_data.address(), device_filter.address(), scale, count);
    transform_on(device, module, device_data.address(), count);

    transform(data);
    transform(filter);
    for (std::size_t i = 0; i < count; ++i) data[i] *= scale * filter[i];
    transform(data);
    return compare_exact(data, device_data.download(), "elements of the convolution");
  }

 private:
  static void transform_on(runtime::Device& device, const runtime::Module& module, runtime::DeviceAddress data,
                           std::uint32_t count) {
    int bits = std::bit_width(count) - 1;
    const std::uint32_t threads = count / 4;
    for (; bits > kSharedBits; bits -= 2) {
      device.launch(module.kernel("fwt_global"), {blocks_for(threads, kBlock)}, {kBlock}, 0, data,
                    std::uint32_t{1} << (bits - 2), threads);
    }
    const std::uint32_t length = std::uint32_t{1} << bits;
    device.launch(module.kernel("fwt_shared"), {count >> bits}, {std::min(kBlock, std::max(length / 4, 1u))},
                  length * static_cast<std::uint32_t>(sizeof(float)), data, bits);
  }
};

}  // namespace

HEDDLE_WORKLOAD(Fwt)

}  // namespace heddle::workloads::fwt
