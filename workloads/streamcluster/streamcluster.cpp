// Streamcluster: points of 256 dimensions around hidden centres, 12 candidates of a local search, one launch each. The
// host decides with sums in a fixed order, and the kernel's operations are those of the reference: the check is exact.
#include "workloads/streamcluster/reference.h"

#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/points.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(streamcluster)

namespace heddle::workloads::streamcluster {
namespace {

constexpr std::uint32_t kBlock = 512;
constexpr std::uint32_t kDimensions = 256;
constexpr std::uint32_t kHiddenCentres = 10;
constexpr int kCandidates = 12;

streamcluster::Problem make_problem(std::uint32_t points, std::uint64_t seed) {
  streamcluster::Problem problem;
  problem.points = points;
  problem.dimensions = kDimensions;
  problem.coordinates = clustered_points(points, kDimensions, kHiddenCentres, 0.05f, seed);
  Random random(seed, 8);
  problem.weights.resize(points);
  for (float& weight : problem.weights) weight = random.uniform(0.5f, 1.5f);
  problem.opening_cost = static_cast<float>(points) * 0.8f;
  return problem;
}

class Streamcluster final : public Workload {
 public:
  Streamcluster()
      : Workload(
            {.name = "streamcluster",
             .summary = "Online clustering, 256 dimensions: every launch streams all points against one candidate.",
             .suite = "Rodinia",
             .papers = {{"mask", "SC", {Trait::kL1TlbHigh, Trait::kL2TlbHigh}},
                        {"pichai", "streamcluster", {}},
                        {"regless", "streamcluster", {}},
                        {"warppool", "sc", {Trait::kCoalesced}}},
             .kernels = {{"streamcluster_gain", "sc_1"}},
             .unit = "points",
             .sizes = {{"tiny", 64}, {"small", 2'048}, {"medium", 16'384}, {"paper", 1'050'000}},
             .least = 2,
             .most = 8'000'000,
             .ptx = embedded::streamcluster}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const streamcluster::Problem problem = make_problem(static_cast<std::uint32_t>(request.elements), request.seed);
    const streamcluster::State expected = streamcluster::search(
        problem, kCandidates, request.seed,
        [&](const auto& state, std::uint32_t candidate) { return streamcluster::gains(problem, state, candidate); });
    const streamcluster::State actual = search_on(device, problem, request.seed);
    return both(compare_exact(centres(expected), centres(actual), "assignments"),
                compare_exact(costs(expected), costs(actual), "costs"));
  }

 private:
  streamcluster::State search_on(runtime::Device& device, const streamcluster::Problem& problem,
                                 std::uint64_t seed) const {
    const runtime::Module module = load(device);
    const runtime::Kernel gain = module.kernel("streamcluster_gain");
    const runtime::DeviceArray<float> coordinates(device, problem.coordinates);
    runtime::DeviceArray<ClusterPoint> table(device, problem.points);
    runtime::DeviceArray<std::int32_t> centre_number(device, problem.points);
    runtime::DeviceArray<std::uint8_t> would_switch(device, problem.points);
    return streamcluster::search(problem, kCandidates, seed, [&](const auto& state, std::uint32_t candidate) {
      table.upload(state.table);
      centre_number.upload(state.centre_number);
      would_switch.fill(0);
      const auto row = static_cast<std::size_t>(state.centres) + 1;
      runtime::DeviceArray<float> savings(device, problem.points * row);
      savings.fill(0);
      device.launch(gain, {blocks_for(problem.points, kBlock)}, {kBlock}, 0, problem.points, kDimensions, candidate,
                    table.address(), state.centres, coordinates.address(), savings.address(), centre_number.address(),
                    would_switch.address());
      return streamcluster::Gains{savings.download(), would_switch.download()};
    });
  }

  static std::vector<std::int64_t> centres(const streamcluster::State& state) {
    std::vector<std::int64_t> result;
    for (const ClusterPoint& point : state.table) result.push_back(point.centre);
    return result;
  }
  static std::vector<float> costs(const streamcluster::State& state) {
    std::vector<float> result;
    for (const ClusterPoint& point : state.table) result.push_back(point.cost);
    return result;
  }
};

}  // namespace

HEDDLE_WORKLOAD(Streamcluster)

}  // namespace heddle::workloads::streamcluster
