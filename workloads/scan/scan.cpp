// Prefix sum over any number of elements: as many levels of block sums as needed. Integer, so the check is exact.
#include <numeric>

#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/random.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(scan)

namespace heddle::workloads::scan {
namespace {

constexpr std::uint32_t kBlock = 256;
constexpr std::uint32_t kElementsPerBlock = 2 * kBlock;

class Scan final : public Workload {
 public:
  Scan()
      : Workload(
            {.name = "scan",
             .summary =
                 "Exclusive prefix sum: block scans in shared memory, a scan of the block sums, and a uniform add.",
             .suite = "SHOC",
             .papers = {{"mask", "SCAN", {Trait::kL1TlbHigh, Trait::kL2TlbHigh}}},
             .kernels = {{"scan_blocks", "SCAN-1"}, {"add_block_offsets", "SCAN-2"}},
             .unit = "elements",
             .sizes = {{"tiny", 5'000}, {"small", 500'000}, {"medium", 4'000'000}},
             .least = 1,
             .most = std::uint64_t{1} << 30,
             .ptx = embedded::scan}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto count = static_cast<std::uint32_t>(request.elements);
    Random random(request.seed);
    std::vector<std::uint32_t> in(count);
    for (auto& v : in) v = random.below(1000);
    std::vector<std::uint32_t> expected(count);
    std::exclusive_scan(in.begin(), in.end(), expected.begin(), 0u);

    const runtime::Module module = load(device);
    const runtime::DeviceArray<std::uint32_t> device_in(device, in);
    const runtime::DeviceArray<std::uint32_t> device_out(device, count);
    scan(device, module, device_in.address(), device_out.address(), count);
    return compare_exact(expected, device_out.download(), "prefix sums");
  }

 private:
  static void scan(runtime::Device& device, const runtime::Module& module, runtime::DeviceAddress in,
                   runtime::DeviceAddress out, std::uint32_t count) {
    const std::uint32_t blocks = blocks_for(count, kElementsPerBlock);
    const runtime::DeviceArray<std::uint32_t> sums(device, blocks);
    device.launch(module.kernel("scan_blocks"), {blocks}, {kBlock}, 0, in, out, sums.address(), count);
    if (blocks == 1) return;
    const runtime::DeviceArray<std::uint32_t> offsets(device, blocks);
    scan(device, module, sums.address(), offsets.address(), blocks);
    device.launch(module.kernel("add_block_offsets"), {blocks}, {kBlock}, 0, out, offsets.address(), count);
  }
};

}  // namespace

HEDDLE_WORKLOAD(Scan)

}  // namespace heddle::workloads::scan
