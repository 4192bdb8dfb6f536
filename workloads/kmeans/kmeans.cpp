// k-means clustering: 34 features, 5 clusters, at most 4 rounds (fewer when no point changes its cluster). Points are
// drawn around five hidden centres; the first points are the first centres, as in Rodinia. Same operations in the same
// order on both sides, so memberships and centres are compared exactly.
#include "workloads/kmeans/reference.h"

#include <functional>

#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/random.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(kmeans)

namespace heddle::workloads::kmeans {
namespace {

constexpr std::uint32_t kBlock = 256;
constexpr std::uint32_t kFeatures = 34;
constexpr std::uint32_t kClusters = 5;
constexpr int kRounds = 4;

kmeans::Problem make_problem(std::uint32_t points, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> hidden(std::size_t{kClusters} * kFeatures);
  for (float& v : hidden) v = random.uniform(-10.0f, 10.0f);
  kmeans::Problem problem{points, kFeatures, kClusters, {}};
  problem.values.resize(std::size_t{points} * kFeatures);
  for (std::size_t i = 0; i < points; ++i) {
    const std::size_t c = random.below(kClusters);
    for (std::size_t f = 0; f < kFeatures; ++f) {
      problem.values[i * kFeatures + f] = hidden[c * kFeatures + f] + random.uniform(-8.0f, 8.0f);
    }
  }
  return problem;
}

struct Clustering {
  std::vector<std::int32_t> membership;
  std::vector<float> centres;
};

using Assign = std::function<std::vector<std::int32_t>(const std::vector<float>& centres)>;

Clustering cluster(const kmeans::Problem& problem, const Assign& assign) {
  Clustering result;
  result.centres.assign(problem.values.begin(), problem.values.begin() + kClusters * kFeatures);
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::int32_t> membership = assign(result.centres);
    const bool settled = membership == result.membership;
    result.membership = std::move(membership);
    if (settled) break;
    result.centres = kmeans::update_centres(problem, result.membership, result.centres);
  }
  return result;
}

class Kmeans final : public Workload {
 public:
  Kmeans()
      : Workload({.name = "kmeans",
                  .summary = "k-means clustering, 34 features and 5 clusters; streams the points each round, centres "
                             "in constant memory.",
                  .suite = "Rodinia",
                  .papers = {{"pichai", "kmeans", {}},
                             {"regless", "kmeans", {}},
                             {"scavenger", "KM", {Trait::kMemoryBound}},
                             {"virtual_caching", "kmeans", {Trait::kTranslationLow}},
                             {"warppool", "kmeans_2", {}}},
                  .kernels = {{"kmeans_invert_mapping", "kmeans_1"},
                              {"kmeans_assign", "kmeans_2"},
                              {"kmeans_assign_points", "kmeans_2 by points"}},
                  .unit = "points",
                  .sizes = {{"tiny", 600}, {"small", 12'000}, {"medium", 100'000}, {"paper", 4'000'000}},
                  .inputs = {{"feature-major", "first changed to all values of a feature together, as in Rodinia"},
                             {"point-major", "left as all values of a point together"}},
                  .least = kClusters,
                  .most = std::uint64_t{1} << 26,
                  .ptx = embedded::kmeans}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto points = static_cast<std::uint32_t>(request.elements);
    const kmeans::Problem problem = make_problem(points, request.seed);
    const Clustering expected =
        cluster(problem, [&](const std::vector<float>& centres) { return kmeans::assign(problem, centres); });
    const Clustering actual = cluster_on(device, problem, request.input == "point-major");
    return both(compare_exact(expected.membership, actual.membership, "memberships"),
                compare_exact(expected.centres, actual.centres, "centre coordinates"));
  }

 private:
  Clustering cluster_on(runtime::Device& device, const kmeans::Problem& problem, bool by_points) const {
    const runtime::Module module = load(device);
    const runtime::Module::Symbol centres_symbol = module.symbol("kmeans_centres");
    const Dim3 grid{blocks_for(problem.points, kBlock)};
    const runtime::DeviceArray<float> point_major(device, problem.values);
    const runtime::DeviceArray<float> feature_major(device, by_points ? 1 : problem.values.size());
    if (!by_points) {
      device.launch(module.kernel("kmeans_invert_mapping"), grid, {kBlock}, 0, point_major.address(),
                    feature_major.address(), problem.points, kFeatures);
    }
    const runtime::Kernel assign = module.kernel(by_points ? "kmeans_assign_points" : "kmeans_assign");
    const runtime::DeviceAddress values = by_points ? point_major.address() : feature_major.address();
    const runtime::DeviceArray<std::int32_t> membership(device, problem.points);
    return cluster(problem, [&](const std::vector<float>& centres) {
      device.copy_to_device(centres_symbol.address, centres.data(), centres.size() * sizeof(float));
      device.launch(assign, grid, {kBlock}, 0, values, problem.points, kFeatures, kClusters, membership.address());
      return membership.download();
    });
  }
};

}  // namespace

HEDDLE_WORKLOAD(Kmeans)

}  // namespace heddle::workloads::kmeans
