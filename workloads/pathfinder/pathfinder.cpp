// Pathfinder: a grid of 100 rows, as Rodinia runs it, 20 rows per launch (the last launch advances 19). Integer, so the
// check is exact.
#include "workloads/pathfinder/reference.h"

#include <utility>

#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/random.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(pathfinder)

namespace heddle::workloads::pathfinder {
namespace {

constexpr std::uint32_t kBlock = 256;
constexpr int kRows = 100;
constexpr int kRowsPerLaunch = 20;

class Pathfinder final : public Workload {
 public:
  Pathfinder()
      : Workload(
            {.name = "pathfinder",
             .summary = "Cheapest path through a 100-row grid: dynamic programming with ghost zones in shared memory.",
             .suite = "Rodinia",
             .papers = {{"pichai", "pathfinder", {}},
                        {"power", "pathfinder", {}},
                        {"regless", "pathfinder", {}},
                        {"virtual_caching", "pathfinder", {Trait::kTranslationLow}}},
             .kernels = {{"pathfinder_rows", "pathfinder"}},
             .unit = "grid columns",
             .sizes = {{"tiny", 350}, {"small", 15'000}, {"medium", 150'000}, {"paper", 2'600'000}},
             .least = 1,
             .most = 10'000'000,
             .ptx = embedded::pathfinder}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto columns = static_cast<std::uint32_t>(request.elements);
    Random random(request.seed);
    std::vector<std::int32_t> wall(std::size_t{kRows} * columns);
    for (auto& v : wall) v = static_cast<std::int32_t>(random.below(10));

    const runtime::Module module = load(device);
    const runtime::Kernel kernel = module.kernel("pathfinder_rows");
    const runtime::DeviceArray<std::int32_t> device_wall(device, wall);
    const runtime::DeviceArray<std::int32_t> first(device, std::span(wall).first(columns));
    const runtime::DeviceArray<std::int32_t> second(device, columns);
    const runtime::DeviceArray<std::int32_t>* from = &first;
    const runtime::DeviceArray<std::int32_t>* to = &second;
    for (int row = 1; row < kRows; row += kRowsPerLaunch) {
      const int steps = std::min(kRowsPerLaunch, kRows - row);
      device.launch(kernel, {blocks_for(columns, kBlock - 2 * static_cast<std::uint32_t>(steps))}, {kBlock}, 0, steps,
                    device_wall.address(), from->address(), to->address(), columns, row);
      std::swap(from, to);
    }
    return compare_exact(pathfinder::cheapest_paths(wall, columns), from->download(), "path costs");
  }
};

}  // namespace

HEDDLE_WORKLOAD(Pathfinder)

}  // namespace heddle::workloads::pathfinder
