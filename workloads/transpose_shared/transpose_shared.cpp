// Matrix transposition through shared memory. Exact. A matrix of n rows has n + n/4 columns, so that
// mixing up the two extents shows.
#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/random.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(transpose_shared)

namespace heddle::workloads {
namespace {

constexpr std::uint32_t kTile = 32;
constexpr std::uint32_t kRowsPerStep = 8;

class TransposeShared final : public Workload {
 public:
  TransposeShared()
      : Workload(
            {.name = "transpose_shared",
             .summary = "Transposes a float matrix through padded tiles in shared memory: coalesced on both sides.",
             .suite = "NVIDIA developer blog",
             .papers = {{"warppool", "transpose_shared", {Trait::kCoalesced}}},
             .kernels = {{"transpose_shared", "transpose_shared"}},
             .unit = "matrix rows (columns: rows + rows/4)",
             .sizes = {{"tiny", 100}, {"small", 1'250}, {"medium", 4'000}},
             .least = 1,
             .most = 32'768,
             .ptx = embedded::transpose_shared}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto rows = static_cast<std::uint32_t>(request.elements);
    const std::uint32_t columns = rows + rows / 4;
    const std::size_t count = std::size_t{rows} * columns;
    Random random(request.seed);
    std::vector<float> in(count);
    for (float& v : in) v = random.uniform();
    std::vector<float> expected(count);
    for (std::size_t y = 0; y < rows; ++y) {
      for (std::size_t x = 0; x < columns; ++x) expected[x * rows + y] = in[y * columns + x];
    }

    const runtime::Module module = load(device);
    const runtime::DeviceArray<float> device_in(device, in);
    runtime::DeviceArray<float> device_out(device, count);
    device_out.fill(0xff);
    device.launch(module.kernel("transpose_shared"), {blocks_for(columns, kTile), blocks_for(rows, kTile)},
                  {kTile, kRowsPerStep}, 0, device_in.address(), device_out.address(), rows, columns);
    return compare_exact(expected, device_out.download(), "elements");
  }
};

}  // namespace
}  // namespace heddle::workloads

HEDDLE_WORKLOAD(heddle::workloads::TransposeShared)
