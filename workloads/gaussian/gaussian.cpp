// Gaussian elimination without pivoting of a dense system whose diagonal dominates, two launches per column; the host
// substitutes back. The GPU's operations are those of the reference, so the check is exact.
#include "workloads/gaussian/reference.h"

#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/random.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(gaussian)

namespace heddle::workloads::gaussian {
namespace {

constexpr std::uint32_t kRowBlock = 512;
constexpr std::uint32_t kTile = 4;

gaussian::System make_system(std::uint32_t n, std::uint64_t seed) {
  Random random(seed);
  gaussian::System system{n, std::vector<float>(std::size_t{n} * n), std::vector<float>(n)};
  for (float& v : system.matrix) v = random.uniform(-1.0f, 1.0f);
  for (std::size_t i = 0; i < n; ++i) system.matrix[i * n + i] = static_cast<float>(n) + random.uniform();
  for (float& v : system.right_side) v = random.uniform(-1.0f, 1.0f);
  return system;
}

class Gaussian final : public Workload {
 public:
  Gaussian()
      : Workload({.name = "gaussian",
                  .summary =
                      "Gaussian elimination: two launches per column, accesses a matrix row apart, small working set.",
                  .suite = "Rodinia",
                  .papers = {{"power", "gaussian", {}}, {"regless", "gaussian", {}}},
                  .kernels = {{"gaussian_factors", "gaussian_1"}, {"gaussian_update", "gaussian_2"}},
                  .unit = "matrix rows",
                  .sizes = {{"tiny", 24}, {"small", 112}, {"medium", 240}, {"paper", 1'024}},
                  .least = 1,
                  .most = 16'384,
                  .ptx = embedded::gaussian}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto n = static_cast<std::uint32_t>(request.elements);
    gaussian::System expected = make_system(n, request.seed);
    gaussian::System actual = expected;

    const runtime::Module module = load(device);
    const runtime::DeviceArray<float> matrix(device, actual.matrix);
    const runtime::DeviceArray<float> right_side(device, actual.right_side);
    runtime::DeviceArray<float> factors(device, actual.matrix.size());
    factors.fill(0);
    const runtime::Kernel find_factors = module.kernel("gaussian_factors");
    const runtime::Kernel update = module.kernel("gaussian_update");
    // The grids do not shrink with the rest of the matrix: threads outside leave at once, as in Rodinia.
    const std::uint32_t blocks = blocks_for(n, kTile);
    std::uint32_t column = 0;
    do {  // a system of one row is launched as well, and nothing is done to it
      device.launch(find_factors, {blocks_for(n, kRowBlock)}, {kRowBlock}, 0, factors.address(), matrix.address(), n,
                    column);
      device.launch(update, {blocks, blocks}, {kTile, kTile}, 0, factors.address(), matrix.address(),
                    right_side.address(), n, column);
    } while (++column + 1 < n);
    actual.matrix = matrix.download();
    actual.right_side = right_side.download();

    gaussian::eliminate(expected);
    return both(compare_exact(expected.matrix, actual.matrix, "matrix elements"),
                compare_exact(gaussian::substitute_back(expected), gaussian::substitute_back(actual), "unknowns"));
  }
};

}  // namespace

HEDDLE_WORKLOAD(Gaussian)

}  // namespace heddle::workloads::gaussian
