// LU decomposition of a dense matrix whose diagonal dominates, in place. The order of operations is that of the
// reference, so the check is exact.
#include "workloads/lud/reference.h"

#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/random.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(lud)

namespace heddle::workloads::lud {
namespace {

constexpr std::uint32_t kTile = lud::kTile;

class Lud final : public Workload {
 public:
  Lud()
      : Workload({.name = "lud",
                  .summary =
                      "LU decomposition in 16x16 tiles: three launches per step, shrinking grids, much shared memory.",
                  .suite = "Rodinia",
                  .papers = {{"mask", "LUD", {Trait::kL1TlbLow, Trait::kL2TlbLow}},
                             {"power", "lud", {}},
                             {"regless", "lud", {Trait::kComputeBound}},
                             {"scavenger", "LUD", {Trait::kMemoryBound}},
                             {"virtual_caching", "lud", {Trait::kTranslationHigh}}},
                  .kernels = {{"lud_diagonal", "lud_1"}, {"lud_perimeter", "lud_2"}, {"lud_internal", "lud_3"}},
                  .unit = "matrix rows (rounded up to a multiple of 16)",
                  .sizes = {{"tiny", 64}, {"small", 256}, {"medium", 640}, {"paper", 2'048}},
                  .least = 1,
                  .most = 16'384,
                  .ptx = embedded::lud}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto n = static_cast<std::uint32_t>(round_up(request.elements, kTile));
    Random random(request.seed);
    std::vector<float> matrix(std::size_t{n} * n);
    for (float& v : matrix) v = random.uniform(-1.0f, 1.0f);
    for (std::size_t i = 0; i < n; ++i) matrix[i * n + i] += static_cast<float>(n);

    const runtime::Module module = load(device);
    const runtime::DeviceArray<float> device_matrix(device, matrix);
    const runtime::Kernel diagonal = module.kernel("lud_diagonal");
    const runtime::Kernel perimeter = module.kernel("lud_perimeter");
    const runtime::Kernel internal = module.kernel("lud_internal");
    for (std::uint32_t offset = 0; offset < n; offset += kTile) {
      device.launch(diagonal, {1}, {kTile}, 0, device_matrix.address(), n, offset);
      const std::uint32_t rest = (n - offset) / kTile - 1;
      if (rest == 0) break;
      device.launch(perimeter, {rest}, {2 * kTile}, 0, device_matrix.address(), n, offset);
      device.launch(internal, {rest, rest}, {kTile, kTile}, 0, device_matrix.address(), n, offset);
    }
    lud::decompose(matrix, n);
    return compare_exact(matrix, device_matrix.download(), "matrix elements");
  }
};

}  // namespace

HEDDLE_WORKLOAD(Lud)

}  // namespace heddle::workloads::lud
