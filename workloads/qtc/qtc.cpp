// Quality-threshold clustering of points in a plane until no cluster of two is left. Only distances that the host
// computed are compared, ties go to the first, so memberships are equal.
#include <algorithm>
#include <cmath>

#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/random.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(qtc)

namespace heddle::workloads::qtc {
namespace {

constexpr std::uint32_t kBlock = 64;
constexpr float kThreshold = 1.0f;
constexpr std::uint32_t kPointsPerCentre = 10;

struct Problem {
  std::size_t points = 0;
  std::size_t degree = 1;          ///< longest list
  std::vector<float> distance;     ///< points x points
  std::vector<std::int32_t> near;  ///< points x degree, -1 behind the last
};

Problem make_problem(std::size_t points, std::uint64_t seed) {
  Random random(seed);
  const std::size_t centres = points / kPointsPerCentre + 1;
  const float side = 3.0f * std::sqrt(static_cast<float>(centres));
  std::vector<float> cx(centres), cy(centres), x(points), y(points);
  for (std::size_t c = 0; c < centres; ++c) {
    cx[c] = random.uniform(0.0f, side);
    cy[c] = random.uniform(0.0f, side);
  }
  for (std::size_t p = 0; p < points; ++p) {
    const std::size_t c = random.below(static_cast<std::uint32_t>(centres));
    x[p] = cx[c] + random.uniform(-0.8f, 0.8f);
    y[p] = cy[c] + random.uniform(-0.8f, 0.8f);
  }
  Problem problem{points, 1, std::vector<float>(points * points), {}};
  std::vector<std::vector<std::int32_t>> lists(points);
  for (std::size_t p = 0; p < points; ++p) {
    for (std::size_t q = 0; q < points; ++q) {
      const float d = std::hypot(x[p] - x[q], y[p] - y[q]);
      problem.distance[p * points + q] = d;
      if (p != q && d <= kThreshold) lists[p].push_back(static_cast<std::int32_t>(q));
    }
    problem.degree = std::max(problem.degree, lists[p].size());
  }
  problem.near.assign(points * problem.degree, -1);
  for (std::size_t p = 0; p < points; ++p) {
    std::copy(lists[p].begin(), lists[p].end(), problem.near.begin() + static_cast<std::ptrdiff_t>(p * problem.degree));
  }
  return problem;
}

/// The candidate cluster of a point.
std::vector<std::size_t> grow(const Problem& problem, std::size_t seed, const std::vector<std::int32_t>& cluster_of) {
  std::vector<std::size_t> cluster{seed};
  std::vector<std::pair<std::size_t, float>> open;  // point and its largest distance to the cluster
  for (std::size_t q = 0; q < problem.points; ++q) {
    const float d = problem.distance[seed * problem.points + q];
    if (q != seed && d <= kThreshold && cluster_of[q] < 0) open.emplace_back(q, d);
  }
  while (!open.empty()) {
    const auto best = std::min_element(open.begin(), open.end(), [](auto& a, auto& b) { return a.second < b.second; });
    if (best->second > kThreshold) break;
    const std::size_t chosen = best->first;
    cluster.push_back(chosen);
    open.erase(best);
    for (auto& [q, d] : open) d = std::max(d, problem.distance[chosen * problem.points + q]);
  }
  return cluster;
}

std::vector<std::int32_t> reference(const Problem& problem) {
  std::vector<std::int32_t> cluster_of(problem.points, -1);
  for (std::int32_t cluster = 0;; ++cluster) {
    std::vector<std::size_t> largest;
    for (std::size_t p = 0; p < problem.points; ++p) {
      if (cluster_of[p] >= 0) continue;
      std::vector<std::size_t> candidate = grow(problem, p, cluster_of);
      if (candidate.size() > largest.size()) largest = std::move(candidate);
    }
    if (largest.size() < 2) return cluster_of;
    for (const std::size_t p : largest) cluster_of[p] = cluster;
  }
}

class Qtc final : public Workload {
 public:
  Qtc()
      : Workload({.name = "qtc",
                  .summary = "Quality-threshold clustering: a block grows a candidate per point with repeated block "
                             "minima over global lists.",
                  .suite = "SHOC",
                  .papers = {{"mask", "QTC", {Trait::kL1TlbLow, Trait::kL2TlbHigh}}},
                  .kernels =
                      {{"qtc_grow", "QTC-1"}, {"qtc_largest", "QTC-2"}, {"qtc_assign", "QTC-3"}, {"qtc_trim", "QTC-4"}},
                  .unit = "points",
                  .sizes = {{"tiny", 24}, {"small", 160}, {"medium", 560}},
                  .least = 1,
                  .most = 16'384,
                  .ptx = embedded::qtc}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const Problem problem = make_problem(request.elements, request.seed);
    return compare_exact(reference(problem), cluster(device, problem), "memberships");
  }

 private:
  std::vector<std::int32_t> cluster(runtime::Device& device, const Problem& problem) const {
    const auto points = static_cast<std::uint32_t>(problem.points);
    const auto degree = static_cast<std::uint32_t>(problem.degree);
    const runtime::Module module = load(device);
    const runtime::DeviceArray<float> distance(device, problem.distance);
    const runtime::DeviceArray<std::int32_t> near(device, problem.near);
    const runtime::DeviceArray<float> widest(device, problem.near.size());
    std::vector<std::int32_t> cluster_of(points, -1);
    runtime::DeviceArray<std::int32_t> device_cluster_of(device, cluster_of);
    runtime::DeviceArray<std::int32_t> seeds(device, points);
    const runtime::DeviceArray<std::int32_t> sizes(device, points);
    runtime::DeviceArray<std::int32_t> member(device, points);
    member.fill(0);
    const runtime::DeviceArray<std::int32_t> best(device, 2);
    const runtime::DeviceAddress nowhere = 0;
    const Dim3 grid{blocks_for(points, kBlock)};
    for (std::int32_t cluster = 0;; ++cluster) {
      std::vector<std::int32_t> open;
      for (std::uint32_t p = 0; p < points; ++p) {
        if (cluster_of[p] < 0) open.push_back(static_cast<std::int32_t>(p));
      }
      if (open.empty()) return cluster_of;
      seeds.upload(open);
      const auto count = static_cast<std::uint32_t>(open.size());
      const auto grow = [&](std::uint32_t blocks, runtime::DeviceAddress first, runtime::DeviceAddress record) {
        device.launch(module.kernel("qtc_grow"), {blocks}, {kBlock}, 0, distance.address(), near.address(),
                      widest.address(), device_cluster_of.address(), first, sizes.address(), record, points, degree,
                      kThreshold);
      };
      grow(count, seeds.address(), nowhere);
      device.launch(module.kernel("qtc_largest"), {1}, {kBlock}, 0, sizes.address(), count, best.address());
      const std::vector<std::int32_t> found = best.download();
      if (found[1] < 2) return cluster_of;
      // Grown once more, alone, to record its points.
      grow(1, seeds.address() + static_cast<std::uint64_t>(found[0]) * sizeof(std::int32_t), member.address());
      device.launch(module.kernel("qtc_assign"), grid, {kBlock}, 0, member.address(), device_cluster_of.address(),
                    cluster, points);
      device.launch(module.kernel("qtc_trim"), grid, {kBlock}, 0, near.address(), device_cluster_of.address(), points,
                    degree);
      cluster_of = device_cluster_of.download();
    }
  }
};

}  // namespace

HEDDLE_WORKLOAD(Qtc)

}  // namespace heddle::workloads::qtc
