// Probe: the latency of instructions. One thread, chains of 128 dependent instructions of one kind.
#include <fmt/format.h>

#include <cmath>

#include "workloads/common/embedded.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(probe_latency)

namespace heddle::workloads::probe_latency {
namespace {

constexpr std::uint32_t kLinks = 128;

class ProbeLatency final : public Workload {
 public:
  ProbeLatency()
      : Workload({.name = "probe_latency",
                  .summary = "Measures instruction latency: chains of dependent multiply-adds, additions, exponentials "
                             "and shared loads.",
                  .suite = "Heddle",
                  .papers = {},
                  .kernels = {{"chain_fma", "probe_latency_1"},
                              {"chain_add", "probe_latency_2"},
                              {"chain_ex2", "probe_latency_3"},
                              {"chain_shared", "probe_latency_4"}},
                  .unit = "repetitions",
                  .sizes = {{"tiny", 1}, {"small", 8}, {"medium", 64}},
                  .least = 1,
                  .most = 1 << 20,
                  .ptx = embedded::probe_latency}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const runtime::Module module = load(device);
    const runtime::DeviceArray<std::uint32_t> value(device, 1);
    const runtime::DeviceArray<std::int64_t> cycles(device, 1);
    const auto start = static_cast<float>(request.seed % 7);
    float fma = start;
    for (std::uint32_t i = 0; i < 2 * kLinks; ++i) fma = std::fma(fma, 0.5f, 1.0f);
    const auto first = static_cast<std::uint32_t>(request.seed);
    std::string text;
    for (std::uint64_t repetition = 0; repetition < request.elements; ++repetition) {
      text.clear();
      const auto finish = [&](const char* what, std::uint32_t found, std::uint32_t expected) {
        if (device.gpu() != nullptr)
          text += fmt::format("; {} {:.2f} cycles", what, static_cast<double>(cycles.download()[0]) / kLinks);
        return found == expected ? std::string()
                                 : fmt::format("{}: expected {:#x}, found {:#x}", what, expected, found);
      };
      std::string wrong;
      device.launch(module.kernel("chain_fma"), {1}, {1}, 0, start, 0.5f, 1.0f, value.address(), cycles.address());
      std::uint32_t bits = 0;
      std::memcpy(&bits, &fma, sizeof bits);
      wrong += finish("fma", value.download()[0], bits);
      device.launch(module.kernel("chain_add"), {1}, {1}, 0, first, std::uint32_t{3}, value.address(),
                    cycles.address());
      wrong += finish("add", value.download()[0], first + 3 * 2 * kLinks);
      // Negative infinity goes to 0, then 1, 2, 4, 16, 65536 and infinity, where it stays.
      device.launch(module.kernel("chain_ex2"), {1}, {1}, 0, -INFINITY, value.address(), cycles.address());
      wrong += finish("ex2", value.download()[0], 0x7f800000);
      device.launch(module.kernel("chain_shared"), {1}, {1}, 0, value.address(), cycles.address());
      wrong += finish("ld.shared and add", value.download()[0], 2 * kLinks % 256 * 4);
      if (!wrong.empty()) return {false, wrong};
    }
    return {true, "the chains end where they should" + text};
  }
};

}  // namespace

HEDDLE_WORKLOAD(ProbeLatency)

}  // namespace heddle::workloads::probe_latency
