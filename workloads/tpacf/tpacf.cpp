// Two-point angular correlation. Cosines are computed in the kernel's order, so the counts are equal.
#include <array>
#include <cmath>
#include <numbers>

#include "workloads/common/arrays.h"
#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(tpacf)

namespace heddle::workloads::tpacf {
namespace {

constexpr std::uint32_t kBlock = 256;
constexpr std::uint32_t kBins = 20;
constexpr std::uint32_t kSets = 11;  ///< the data and ten random sets

struct Points {
  std::vector<float> x, y, z;
};

Points make_points(std::size_t count, std::uint64_t seed) {
  Points points;
  Random random(seed);
  for (std::size_t i = 0; i < count; ++i) {
    const float height = random.uniform(-1.0f, 1.0f);
    const float angle = random.uniform(0.0f, 2.0f * std::numbers::pi_v<float>);
    const float radius = std::sqrt(1.0f - height * height);
    points.x.push_back(radius * std::cos(angle));
    points.y.push_back(radius * std::sin(angle));
    points.z.push_back(height);
  }
  return points;
}

/// Cosines of angles from 0 to 180 degrees, in steps that grow.
std::array<float, kBins + 1> limits() {
  std::array<float, kBins + 1> result{};
  for (std::size_t i = 0; i <= kBins; ++i) {
    const double part = static_cast<double>(i) / kBins;
    result[i] = static_cast<float>(std::cos(std::numbers::pi * part * part));
  }
  return result;
}

void count_pairs(const Points& points, std::size_t first, std::size_t second, std::size_t count,
                 const std::array<float, kBins + 1>& limit, std::uint32_t* histogram) {
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = first == second ? i + 1 : 0; j < count; ++j) {
      const std::size_t a = first + i, b = second + j;
      const float cosine =
          std::fma(points.x[a], points.x[b], std::fma(points.y[a], points.y[b], points.z[a] * points.z[b]));
      std::size_t bin = 0;
      while (bin + 1 < kBins && cosine < limit[bin + 1]) ++bin;
      ++histogram[bin];
    }
  }
}

class Tpacf final : public Workload {
 public:
  Tpacf()
      : Workload({.name = "tpacf",
                  .summary = "Histograms of the angles between all pairs of points: binary search per pair, a "
                             "histogram per warp in shared memory.",
                  .suite = "Parboil",
                  .papers = {{"scavenger", "TP", {Trait::kComputeBound}}},
                  .kernels = {{"tpacf_histograms", "TP"}},
                  .unit = "points per set (11 sets)",
                  .sizes = {{"tiny", 20}, {"small", 150}, {"medium", 400}, {"paper", 487}},
                  .least = 1,
                  .most = 65'536,
                  .ptx = embedded::tpacf}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto count = static_cast<std::uint32_t>(request.elements);
    const Points points = make_points(std::size_t{kSets} * count, request.seed);
    const std::array<float, kBins + 1> limit = limits();
    constexpr std::uint32_t kBlocks = 2 * kSets - 1;
    const runtime::Module module = load(device);
    device.copy_to_device(module.symbol("tpacf_limits").address, limit.data(), sizeof limit);
    const runtime::DeviceArray<float> x(device, points.x);
    const runtime::DeviceArray<float> y(device, points.y);
    const runtime::DeviceArray<float> z(device, points.z);
    const runtime::DeviceArray<std::uint32_t> histograms(device, kBlocks * kBins);
    device.launch(module.kernel("tpacf_histograms"), {kBlocks}, {kBlock}, 0, histograms.address(), x.address(),
                  y.address(), z.address(), count, kSets);
    std::vector<std::uint32_t> expected(std::size_t{kBlocks} * kBins, 0);
    for (std::uint32_t b = 0; b < kBlocks; ++b) {
      const std::size_t first = b < kSets ? std::size_t{b} * count : 0;
      const std::size_t second = b < kSets ? first : std::size_t{b - kSets + 1} * count;
      count_pairs(points, first, second, count, limit, &expected[std::size_t{b} * kBins]);
    }
    return compare_exact(expected, histograms.download(), "bins");
  }
};

}  // namespace

HEDDLE_WORKLOAD(Tpacf)

}  // namespace heddle::workloads::tpacf
