// Probe: read bandwidth. All SMs stream over a footprint, around the L1: what fits the L2 is read once before, so that
// the figure is the L2's; a larger footprint gives DRAM's.
#include <fmt/format.h>

#include <numeric>

#include "gpu/gpu.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/random.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(probe_bandwidth)

namespace heddle::workloads::probe_bandwidth {
namespace {

constexpr std::uint32_t kBlock = 1024;
constexpr std::uint32_t kBlocks = 264;  ///< two per SM of a 132-SM GPU; more than one round on smaller ones
constexpr std::uint64_t kEnough = std::uint64_t{64} << 20;  ///< bytes on the clock, so that the start does not count

class ProbeBandwidth final : public Workload {
 public:
  ProbeBandwidth()
      : Workload(
            {.name = "probe_bandwidth",
             .summary =
                 "Measures read bandwidth: every SM streams over a footprint with 16-byte loads that bypass the L1.",
             .suite = "Heddle",
             .papers = {},
             .kernels = {{"stream_read", "probe_bandwidth"}},
             .unit = "KiB of footprint",
             .sizes = {{"tiny", 256}, {"small", 8'192}, {"medium", 262'144}},
             .least = 1,
             .most = std::uint64_t{16} << 20,
             .ptx = embedded::probe_bandwidth}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const std::uint64_t bytes = request.elements * 1024;
    const auto words = static_cast<std::uint32_t>(bytes / 16);
    // Small footprints are test sizes: a pass or two there.
    const auto passes = static_cast<std::uint32_t>(bytes >= (std::uint64_t{4} << 20) ? blocks_for(kEnough, bytes) : 2);
    Random random(request.seed);
    std::vector<std::uint32_t> values(bytes / 4);
    for (std::uint32_t& v : values) v = static_cast<std::uint32_t>(random.next());
    const std::uint32_t once = std::accumulate(values.begin(), values.end(), std::uint32_t{0});

    const runtime::Module module = load(device);
    const runtime::DeviceArray<std::uint32_t> data(device, values);
    const runtime::DeviceArray<std::uint32_t> sums(device, std::size_t{kBlock} * kBlocks);
    const auto read = [&](std::uint32_t times) {
      return device.launch(module.kernel("stream_read"), {kBlocks}, {kBlock}, 0, data.address(), words, times,
                           sums.address());
    };
    if (bytes < kEnough * 2) (void)read(1);
    const runtime::LaunchStatistics launch = read(passes);
    const std::vector<std::uint32_t> found = sums.download();
    const std::uint32_t sum = std::accumulate(found.begin(), found.end(), std::uint32_t{0});
    if (sum != once * passes)
      return {false, fmt::format("sum of all words: expected {}, found {}", once * passes, sum)};
    if (device.gpu() == nullptr) return {true, "sum of all words: equal"};
    const double per_cycle = static_cast<double>(bytes) * passes / static_cast<double>(launch.cycles);
    const double mhz = device.gpu()->parameters().core_mhz;
    return {true, fmt::format("sum of all words: equal; {:.1f} bytes per cycle, {:.0f} GB/s", per_cycle,
                              per_cycle * mhz / 1000)};
  }
};

}  // namespace

HEDDLE_WORKLOAD(ProbeBandwidth)

}  // namespace heddle::workloads::probe_bandwidth
