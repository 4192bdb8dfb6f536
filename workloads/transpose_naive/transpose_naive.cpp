// Matrix transposition through global memory. Exact. A matrix of n rows has n + n/4 columns, so that
// mixing up the two extents shows.
#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/random.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(transpose_naive)

namespace heddle::workloads {
namespace {

constexpr std::uint32_t kTile = 32;
constexpr std::uint32_t kRowsPerStep = 8;

class TransposeNaive final : public Workload {
 public:
  TransposeNaive()
      : Workload({.name = "transpose_naive",
                  .summary =
                      "Transposes a float matrix with loads down the columns, one line per lane, and coalesced stores.",
                  .suite = "NVIDIA developer blog",
                  .papers = {{"warppool", "transpose_naive", {Trait::kDivergent}}},
                  .kernels = {{"transpose_naive", "transpose_naive"}},
                  .unit = "matrix rows (columns: rows + rows/4)",
                  .sizes = {{"tiny", 100}, {"small", 1'250}, {"medium", 4'000}},
                  .least = 1,
                  .most = 32'768,
                  .ptx = embedded::transpose_naive}) {}

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
    device.launch(module.kernel("transpose_naive"), {blocks_for(rows, kTile), blocks_for(columns, kTile)},
                  {kTile, kRowsPerStep}, 0, device_in.address(), device_out.address(), rows, columns);
    return compare_exact(expected, device_out.download(), "elements");
  }
};

}  // namespace
}  // namespace heddle::workloads

HEDDLE_WORKLOAD(heddle::workloads::TransposeNaive)
