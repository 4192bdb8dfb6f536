// Saturating histogram of values that crowd around the middle of the bins. Integers: exact.
#include <algorithm>

#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/random.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(histo)

namespace heddle::workloads::histo {
namespace {

constexpr std::uint32_t kBlock = 256;
constexpr std::uint32_t kMainBlock = 512;
constexpr std::uint32_t kRange = 4'096;
constexpr std::uint32_t kBins = 16 * kRange;
constexpr std::uint32_t kSlices = 14;

/// The sum of eight uniform numbers: a bell around the middle that rarely reaches the ends.
std::vector<std::uint32_t> make_input(std::uint32_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::uint32_t> input(count);
  for (std::uint32_t& v : input) {
    v = 0;
    for (int i = 0; i < 8; ++i) v += random.below(kBins / 8);
  }
  return input;
}

class Histo final : public Workload {
 public:
  Histo()
      : Workload({.name = "histo",
                  .summary = "Saturating histogram over 65536 bins: range search, rearrangement, shared and global "
                             "atomics, packing.",
                  .suite = "Parboil",
                  .papers = {},
                  .kernels = {{"histo_prescan", "histo_1"},
                              {"histo_intermediates", "histo_2"},
                              {"histo_main", "histo_3"},
                              {"histo_final", "histo_4"}},
                  .unit = "elements",
                  .sizes = {{"tiny", 1'000}, {"small", 100'000}, {"medium", 700'000}, {"paper", 1'035'840}},
                  .least = 1,
                  .most = std::uint64_t{1} << 28,
                  .ptx = embedded::histo}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto count = static_cast<std::uint32_t>(request.elements);
    const std::vector<std::uint32_t> input = make_input(count, request.seed);
    const runtime::Module module = load(device);
    const runtime::DeviceArray<std::uint32_t> device_input(device, input);
    const runtime::DeviceArray<std::uint32_t> extent(device, std::vector<std::uint32_t>{0xffffffffu, 0});
    const runtime::DeviceArray<std::uint32_t> mapping(device, count);
    // The last range may reach beyond the last bin.
    const runtime::DeviceArray<std::uint32_t> bins(device, std::vector<std::uint32_t>(kBins + kRange, 0));
    const runtime::DeviceArray<std::uint32_t> saturated(device, kBins / 4);
    const std::uint32_t blocks = std::min(64u, blocks_for(count, kBlock));
    device.launch(module.kernel("histo_prescan"), {std::min(16u, blocks)}, {kBlock}, 0, device_input.address(), count,
                  extent.address());
    device.launch(module.kernel("histo_intermediates"), {blocks}, {kBlock}, 0, device_input.address(),
                  mapping.address(), count);
    const std::vector<std::uint32_t> found = extent.download();
    const std::uint32_t first = found[0] / 4 * 4;
    const std::uint32_t ranges = blocks_for(found[1] - first + 1, kRange);
    device.launch(module.kernel("histo_main"), {std::min(kSlices, blocks_for(count, kMainBlock)), ranges}, {kMainBlock},
                  0, mapping.address(), count, first, bins.address());
    device.launch(module.kernel("histo_final"), {blocks_for(kBins / 4, kBlock)}, {kBlock}, 0, bins.address(),
                  saturated.address(), kBins / 4);

    std::vector<std::uint32_t> counts(kBins, 0);
    for (const std::uint32_t v : input) ++counts[v];
    std::vector<std::uint32_t> expected(kBins / 4, 0);
    for (std::uint32_t b = 0; b < kBins; ++b) expected[b / 4] |= std::min(counts[b], 255u) << (8 * (b % 4));
    return compare_exact(expected, saturated.download(), "words of four bins");
  }
};

}  // namespace

HEDDLE_WORKLOAD(Histo)

}  // namespace heddle::workloads::histo
