// Probe: the latency of a load. A ring of pointers, one per 128-byte line, followed by one thread; first through the L1
// (ld.ca), then around it (ld.cg). The footprint decides which level answers.
#include <fmt/format.h>

#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(probe_chase)

namespace heddle::workloads::probe_chase {
namespace {

constexpr std::uint32_t kWordsPerLine = 16;
constexpr std::uint32_t kSteps = 2048;      ///< loads on the clock
constexpr std::uint32_t kWarmSteps = 4096;  ///< before that, at most: enough to go round any L1
constexpr std::uint32_t kBlock = 256;

class ProbeChase final : public Workload {
 public:
  ProbeChase()
      : Workload(
            {.name = "probe_chase",
             .summary = "Measures load latency: one thread follows pointers 128 bytes apart, with and without the L1.",
             .suite = "Heddle",
             .papers = {},
             .kernels = {{"touch", "probe_chase_1"}, {"chase_ca", "probe_chase_2"}, {"chase_cg", "probe_chase_3"}},
             .unit = "KiB of footprint",
             .sizes = {{"tiny", 16}, {"small", 1'024}, {"medium", 141'718}},
             .least = 1,
             .most = std::uint64_t{16} << 20,
             .ptx = embedded::probe_chase}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto lines = static_cast<std::uint32_t>(request.elements * 1024 / 128);
    const runtime::Module module = load(device);
    const runtime::DeviceArray<std::uint64_t> ring(device, std::size_t{lines} * kWordsPerLine);
    const runtime::DeviceArray<std::uint64_t> result(device, 2);
    const runtime::DeviceArray<std::uint32_t> unused(device, 1);
    const auto address_of = [&](std::uint64_t line) { return ring.address() + line % lines * 128; };
    {
      std::vector<std::uint64_t> links(std::size_t{lines} * kWordsPerLine, 0);
      for (std::uint32_t i = 0; i < lines; ++i) links[std::size_t{i} * kWordsPerLine] = address_of(i + 1);
      device.copy_to_device(ring.address(), links.data(), links.size() * sizeof(std::uint64_t));
    }
    device.launch(module.kernel("touch"), {blocks_for(lines, kBlock)}, {kBlock}, 0, ring.address(), lines,
                  unused.address());

    const auto warm = static_cast<std::uint32_t>(std::min<std::uint64_t>(kWarmSteps, round_up(lines, 8)));
    // The second chase goes on where the first one ended: on a footprint above the L2, not over what that one fetched.
    std::uint64_t at = request.seed % lines;
    std::string text;
    for (const char* kernel : {"chase_ca", "chase_cg"}) {
      device.launch(module.kernel(kernel), {1}, {1}, 0, address_of(at), warm, kSteps, result.address());
      at += warm + kSteps;
      const std::vector<std::uint64_t> found = result.download();
      if (found[0] != address_of(at)) {
        return {false, fmt::format("{}: ended {} bytes into the ring, expected {}", kernel, found[0] - ring.address(),
                                   address_of(at) - ring.address())};
      }
      if (device.gpu() != nullptr)
        text += fmt::format("; {} {:.1f} cycles per load", kernel, static_cast<double>(found[1]) / kSteps);
    }
    return {true, fmt::format("both chases end where they should{}", text)};
  }
};

}  // namespace

HEDDLE_WORKLOAD(ProbeChase)

}  // namespace heddle::workloads::probe_chase
