// Reduction. The integer sum is exact in any order. The float sum is compared with a sum in double: adding along a path
// of d additions errs by at most d * 2^-24 * sum|x| to first order, and d is known from the launch.
#include <cmath>

#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/random.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(reduction)

namespace heddle::workloads::reduction {
namespace {

constexpr std::uint32_t kBlock = 256;
constexpr std::uint32_t kMaxBlocks = 512;

class Reduction final : public Workload {
 public:
  Reduction()
      : Workload(
            {.name = "reduction",
             .summary =
                 "Sums a float array (shared-memory tree, two launches) and an integer array (shuffles and atomics).",
             .suite = "SHOC",
             .papers = {{"mask", "RED", {Trait::kL1TlbHigh, Trait::kL2TlbHigh}}},
             .kernels = {{"reduce_float", "RED-1"}, {"reduce_unsigned", "RED-2"}},
             .unit = "elements",
             .sizes = {{"tiny", 10'000}, {"small", 4'000'000}, {"medium", 32'000'000}},
             .least = 1,
             .most = std::uint64_t{1} << 30,
             .ptx = embedded::reduction}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto count = static_cast<std::uint32_t>(request.elements);
    const runtime::Module module = load(device);
    const std::uint32_t blocks = std::min(blocks_for(count, std::uint64_t{4} * kBlock), kMaxBlocks);
    return both(run_unsigned(device, module, count, blocks, request.seed),
                run_float(device, module, count, blocks, request.seed));
  }

 private:
  static Outcome run_unsigned(runtime::Device& device, const runtime::Module& module, std::uint32_t count,
                              std::uint32_t blocks, std::uint64_t seed) {
    Random random(seed, 0);
    std::vector<std::uint32_t> in(count);
    std::uint32_t sum = 0;
    for (auto& v : in) sum += v = static_cast<std::uint32_t>(random.next());
    const runtime::DeviceArray<std::uint32_t> device_in(device, in);
    runtime::DeviceArray<std::uint32_t> device_out(device, 1);
    device_out.fill(0);
    device.launch(module.kernel("reduce_unsigned"), {blocks}, {kBlock}, 0, device_in.address(), device_out.address(),
                  count);
    return compare_exact({sum}, device_out.download(), "integer sum");
  }

  static Outcome run_float(runtime::Device& device, const runtime::Module& module, std::uint32_t count,
                           std::uint32_t blocks, std::uint64_t seed) {
    Random random(seed, 1);
    std::vector<float> in(count);
    double sum = 0;
    double magnitude = 0;
    for (auto& v : in) {
      v = random.uniform(-1.0f, 2.0f);
      sum += v;
      magnitude += std::abs(v);
    }
    const runtime::DeviceArray<float> device_in(device, in);
    const runtime::DeviceArray<float> partial(device, blocks);
    const runtime::DeviceArray<float> device_out(device, 1);
    const std::uint32_t shared_bytes = kBlock * sizeof(float);
    const runtime::Kernel kernel = module.kernel("reduce_float");
    device.launch(kernel, {blocks}, {kBlock}, shared_bytes, device_in.address(), partial.address(), count);
    device.launch(kernel, {1}, {kBlock}, shared_bytes, partial.address(), device_out.address(), blocks);

    const auto additions = [](std::uint32_t values, std::uint32_t threads) { return blocks_for(values, threads) + 8; };
    const double depth = additions(count, blocks * kBlock) + additions(blocks, kBlock);
    return compare_close({static_cast<float>(sum)}, device_out.download(), 0x1p-24, depth * 0x1p-24 * magnitude,
                         "float sum");
  }
};

}  // namespace

HEDDLE_WORKLOAD(Reduction)

}  // namespace heddle::workloads::reduction
