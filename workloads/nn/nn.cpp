// Nearest neighbours: positions of hurricanes (latitude and longitude), the ten nearest to a target. The GPU computes
// distances, the host selects, as in Rodinia. Distances are rounded alike on both sides, so the check is exact.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/random.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(nn)

namespace heddle::workloads::nn {
namespace {

constexpr std::uint32_t kBlock = 256;
constexpr std::size_t kNearest = 10;

struct Location {
  float latitude;
  float longitude;
};

std::vector<std::uint32_t> nearest(const std::vector<float>& distances) {
  std::vector<std::uint32_t> order(distances.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto count = static_cast<std::ptrdiff_t>(std::min(kNearest, order.size()));
  std::partial_sort(order.begin(), order.begin() + count, order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return distances[a] != distances[b] ? distances[a] < distances[b] : a < b;
  });
  order.resize(static_cast<std::size_t>(count));
  return order;
}

class NearestNeighbours final : public Workload {
 public:
  NearestNeighbours()
      : Workload(
            {.name = "nn",
             .summary = "Nearest neighbours: one streaming pass computes distances, the host selects the ten nearest.",
             .suite = "Rodinia",
             .papers = {{"power", "nn", {}}, {"regless", "nn", {}}},
             .kernels = {{"nn_distances", "nn_1"}},
             .unit = "records",
             .sizes = {{"tiny", 2'000}, {"small", 15'000}, {"medium", 40'000}, {"paper", 42'764}},
             .least = 1,
             .most = std::uint64_t{1} << 30,
             .ptx = embedded::nn}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    Random random(request.seed);
    std::vector<Location> locations(request.elements);
    for (Location& location : locations) location = {random.uniform(7.0f, 64.0f), random.uniform(0.0f, 359.0f)};
    const Location target{30.0f, 90.0f};

    const runtime::Module module = load(device);
    const runtime::DeviceArray<Location> device_locations(device, locations);
    const runtime::DeviceArray<float> distances(device, locations.size());
    const auto count = static_cast<std::uint32_t>(locations.size());
    device.launch(module.kernel("nn_distances"), {blocks_for(count, kBlock)}, {kBlock}, 0, device_locations.address(),
                  distances.address(), count, target.latitude, target.longitude);

    std::vector<float> expected(locations.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const float dy = target.latitude - locations[i].latitude, dx = target.longitude - locations[i].longitude;
      expected[i] = std::sqrt(std::fma(dy, dy, dx * dx));
    }
    const std::vector<float> actual = distances.download();
    return both(compare_exact(expected, actual, "distances"),
                compare_exact(nearest(expected), nearest(actual), "nearest"));
  }
};

}  // namespace

HEDDLE_WORKLOAD(NearestNeighbours)

}  // namespace heddle::workloads::nn
