// Pathfinder: a grid of 50 rows, 20 rows per launch (the last launch advances 9). Integer, so the check is exact.
#include "workloads/pathfinder/reference.h"

#include <utility>

#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/random.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(pathfinder)

namespace heddle::workloads {
namespace {

constexpr std::uint32_t kBlock = 256;
constexpr int kRows = 50;
constexpr int kRowsPerLaunch = 20;

class Pathfinder final : public Workload {
 public:
  std::string_view name() const override { return "pathfinder"; }
  std::string_view description() const override {
    return "Cheapest path through a 50-row grid: dynamic programming with ghost zones in shared memory.";
  }
  std::string_view size_unit() const override { return "grid columns"; }
  std::vector<SizePreset> sizes() const override { return {{"tiny", 700}, {"small", 30'000}, {"medium", 300'000}}; }
  std::pair<std::uint64_t, std::uint64_t> size_range() const override { return {1, 10'000'000}; }
  std::string_view ptx() const override { return embedded::pathfinder(); }

  Outcome run(runtime::Device& device, const Request& request) const override {
    require_size(*this, request);
    const auto columns = static_cast<std::uint32_t>(request.elements);
    Random random(request.seed);
    std::vector<std::int32_t> wall(std::size_t{kRows} * columns);
    for (auto& v : wall) v = static_cast<std::int32_t>(random.below(10));

    const runtime::Module module = device.load(ptx(), "pathfinder");
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
}  // namespace heddle::workloads

HEDDLE_WORKLOAD(heddle::workloads::Pathfinder)
