// Histogram of bytes. The values are skewed (the smaller of two uniform bytes, and one byte in eight is 7), so that
// lanes of a warp collide in the shared bins as they do with real data. Counting is exact.
#include <algorithm>

#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/random.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(histogram)

namespace heddle::workloads::histogram {
namespace {

constexpr std::uint32_t kBlock = 192;
constexpr std::uint32_t kMergeBlock = 64;
constexpr std::uint32_t kMaxBlocks = 240;
constexpr std::uint32_t kBins = 256;

std::vector<std::uint8_t> skewed_bytes(std::uint32_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::uint8_t> bytes(round_up(count, 4));
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t bits = random.next();
    const auto value = std::min(static_cast<std::uint8_t>(bits), static_cast<std::uint8_t>(bits >> 8));
    bytes[i] = (bits >> 61) == 0 ? std::uint8_t{7} : value;
  }
  return bytes;
}

class Histogram final : public Workload {
 public:
  Histogram()
      : Workload({.name = "histogram",
                  .summary = "Counts bytes into 256 bins: a histogram per warp in shared memory, then the blocks' "
                             "histograms are added.",
                  .suite = "CUDA SDK",
                  .papers = {{"mask", "HISTO", {Trait::kL1TlbLow, Trait::kL2TlbHigh}}},
                  .kernels = {{"histogram_bytes", "HISTO-1"}, {"histogram_merge", "HISTO-2"}},
                  .unit = "bytes",
                  .sizes = {{"tiny", 20'001}, {"small", 8'000'000}, {"medium", 40'000'000}, {"paper", 67'108'864}},
                  .least = 1,
                  .most = std::uint64_t{1} << 31,
                  .ptx = embedded::histogram}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto count = static_cast<std::uint32_t>(request.elements);
    const std::vector<std::uint8_t> bytes = skewed_bytes(count, request.seed);
    const runtime::Module module = load(device);

    const runtime::DeviceArray<std::uint8_t> device_bytes(device, bytes);
    const std::uint32_t blocks = std::min(blocks_for(count, std::uint64_t{16} * kBlock), kMaxBlocks);
    const runtime::DeviceArray<std::uint32_t> partial(device, std::size_t{blocks} * kBins);
    const runtime::DeviceArray<std::uint32_t> device_bins(device, kBins);
    device.launch(module.kernel("histogram_bytes"), {blocks}, {kBlock}, 0, device_bytes.address(), count,
                  partial.address());
    device.launch(module.kernel("histogram_merge"), {kBins}, {kMergeBlock}, 0, partial.address(), blocks,
                  device_bins.address());

    std::vector<std::uint32_t> expected(kBins);
    for (std::uint32_t i = 0; i < count; ++i) ++expected[bytes[i]];
    return compare_exact(expected, device_bins.download(), "bins");
  }
};

}  // namespace

HEDDLE_WORKLOAD(Histogram)

}  // namespace heddle::workloads::histogram
