// Random table updates. Exclusive-or commutes, so the order of updates does not matter and the check is exact.
#include <bit>

#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/random.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(gups)

namespace heddle::workloads::gups {
namespace {

constexpr std::uint32_t kBlock = 256;
constexpr std::uint32_t kUpdatesPerThread = 32;
constexpr std::uint32_t kUpdatesPerEntry = 4;  ///< as the HPC Challenge benchmark has it

class Gups final : public Workload {
 public:
  Gups()
      : Workload(
            {.name = "gups",
             .summary = "Random updates of a table (four per entry) with 64-bit atomics: every lane on its own page.",
             .suite = "HPC Challenge",
             .papers = {{"mask", "GUP", {Trait::kL1TlbHigh, Trait::kL2TlbLow}}},
             .kernels = {{"gups_update", "GUP"}},
             .unit = "table entries of 8 bytes (rounded up to a power of two)",
             .sizes = {{"tiny", 4'096}, {"small", 1'048'576}, {"medium", 8'388'608}},
             .least = 1,
             .most = std::uint64_t{1} << 30,
             .ptx = embedded::gups}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto entries = static_cast<std::uint32_t>(std::bit_ceil(request.elements));
    const std::uint32_t threads =
        blocks_for(std::uint64_t{entries} * kUpdatesPerEntry, std::uint64_t{kUpdatesPerThread});
    Random random(request.seed);
    std::vector<std::uint64_t> starts(threads);
    for (auto& v : starts) v = random.next() | 1;  // zero would stay zero
    std::vector<std::uint64_t> table(entries);
    for (std::uint32_t i = 0; i < entries; ++i) table[i] = i;

    const runtime::Module module = load(device);
    const runtime::DeviceArray<std::uint64_t> device_table(device, table);
    const runtime::DeviceArray<std::uint64_t> device_starts(device, starts);
    device.launch(module.kernel("gups_update"), {blocks_for(threads, kBlock)}, {kBlock}, 0, device_table.address(),
                  entries - 1, device_starts.address(), threads, kUpdatesPerThread);

    for (std::uint64_t value : starts) {
      for (std::uint32_t i = 0; i < kUpdatesPerThread; ++i) {
        value = value << 1 ^ (value >> 63 != 0 ? 7u : 0u);
        table[value & (entries - 1)] ^= value;
      }
    }
    return compare_exact(table, device_table.download(), "table entries");
  }
};

}  // namespace

HEDDLE_WORKLOAD(Gups)

}  // namespace heddle::workloads::gups
