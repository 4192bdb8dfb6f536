// Sums of absolute differences for all block shapes of a video encoder. The reference frame is the current one, shifted
// and with noise. Integers: exact.
#include <cstdlib>

#include "workloads/common/arrays.h"
#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(sad)

namespace heddle::workloads::sad {
namespace {

constexpr std::uint32_t kBlock = 128;
constexpr int kRange = 16;
constexpr std::size_t kPlaces = (2 * kRange + 1) * (2 * kRange + 1);
constexpr std::size_t kStride = 1'096;

using Frame = std::vector<std::uint16_t>;

/// A block shape: how many of them a macroblock has, and where the first and the following ones lie.
struct Shape {
  int width, height;
  std::vector<std::pair<int, int>> corners;
};

std::vector<Shape> shapes(int level) {
  std::vector<Shape> result;
  if (level == 4) {
    Shape four{4, 4, {}};
    for (int b = 0; b < 16; ++b) four.corners.emplace_back(b % 4 * 4, b / 4 * 4);
    return {four};
  }
  const int half = level / 2;
  Shape wide{level, half, {}}, tall{half, level, {}}, whole{level, level, {}};
  for (int y = 0; y < 16; y += level) {
    for (int x = 0; x < 16; x += level) {
      wide.corners.insert(wide.corners.end(), {{x, y}, {x, y + half}});
      tall.corners.insert(tall.corners.end(), {{x, y}, {x + half, y}});
      whole.corners.emplace_back(x, y);
    }
  }
  return {wide, tall, whole};
}

/// The differences of one block at one place, pixel by pixel.
std::uint16_t difference(const Frame& current, const Frame& reference, int n, int x0, int y0, const Shape& shape,
                         std::size_t place) {
  const int dx = static_cast<int>(place) % (2 * kRange + 1) - kRange;
  const int dy = static_cast<int>(place) / (2 * kRange + 1) - kRange;
  int sum = 0;
  for (int y = y0; y < y0 + shape.height; ++y) {
    for (int x = x0; x < x0 + shape.width; ++x) {
      const int there = std::clamp(y + dy, 0, n - 1) * n + std::clamp(x + dx, 0, n - 1);
      sum +=
          std::abs(int{current[static_cast<std::size_t>(y * n + x)]} - int{reference[static_cast<std::size_t>(there)]});
    }
  }
  return static_cast<std::uint16_t>(sum);
}

std::vector<std::uint16_t> reference_sads(const Frame& current, const Frame& reference, int macroblocks, int level) {
  std::vector<std::uint16_t> result;
  for (int my = 0; my < macroblocks; ++my) {
    for (int mx = 0; mx < macroblocks; ++mx) {
      for (const Shape& shape : shapes(level)) {
        for (const auto& [x, y] : shape.corners) {
          const std::size_t start = result.size();
          result.resize(start + kStride, 0);
          for (std::size_t place = 0; place < kPlaces; ++place) {
            result[start + place] =
                difference(current, reference, 16 * macroblocks, 16 * mx + x, 16 * my + y, shape, place);
          }
        }
      }
    }
  }
  return result;
}

class Sad final : public Workload {
 public:
  Sad()
      : Workload({.name = "sad",
                  .summary =
                      "Motion estimation: absolute differences of 41 blocks per macroblock at 1089 places; reads "
                      "two small frames, writes much.",
                  .suite = "Parboil",
                  .papers = {{"mask", "SAD", {Trait::kL1TlbLow, Trait::kL2TlbHigh}},
                             {"scavenger", "SAD", {Trait::kComputeBound}}},
                  .kernels = {{"sad_calc", "SAD-1"}, {"sad_larger_8", "SAD-2"}, {"sad_larger_16", "SAD-3"}},
                  .unit = "rows of macroblocks (the frame is square)",
                  .sizes = {{"tiny", 1}, {"small", 4}, {"medium", 8}, {"paper", 10}},
                  .least = 1,
                  .most = 128,
                  .ptx = embedded::sad}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto macroblocks = static_cast<std::uint32_t>(request.elements);
    const std::uint32_t n = 16 * macroblocks;
    const Frame current = random_integers<std::uint16_t>(std::size_t{n} * n, request.seed, 0, 256);
    Frame reference = random_integers<std::uint16_t>(current.size(), request.seed, 1, 8);
    for (std::size_t i = 0; i < reference.size(); ++i) {
      const std::size_t shifted = (i + 3 * std::size_t{n} + 2) % current.size();
      reference[i] = std::min<std::uint16_t>(255, static_cast<std::uint16_t>(reference[i] + current[shifted]));
    }
    const std::uint32_t blocks = macroblocks * macroblocks;
    const runtime::Module module = load(device);
    const runtime::DeviceArray<std::uint16_t> device_current(device, current);
    const runtime::DeviceArray<std::uint16_t> device_reference(device, reference);
    runtime::DeviceArray<std::uint16_t> fours(device, blocks * 16 * kStride);
    runtime::DeviceArray<std::uint16_t> eights(device, blocks * 20 * kStride);
    runtime::DeviceArray<std::uint16_t> sixteens(device, blocks * 5 * kStride);
    for (auto* array : {&fours, &eights, &sixteens}) array->fill(0);
    device.launch(module.kernel("sad_calc"), {macroblocks, macroblocks}, {kBlock}, 0, fours.address(),
                  device_current.address(), device_reference.address(), n, n);
    device.launch(module.kernel("sad_larger_8"), {blocks}, {kBlock}, 0, eights.address(), fours.address());
    device.launch(module.kernel("sad_larger_16"), {blocks}, {kBlock}, 0, sixteens.address(), eights.address());

    const int m = static_cast<int>(macroblocks);
    return both(both(compare_exact(reference_sads(current, reference, m, 4), fours.download(), "sums of 4x4"),
                     compare_exact(reference_sads(current, reference, m, 8), eights.download(), "sums up to 8x8")),
                compare_exact(reference_sads(current, reference, m, 16), sixteens.download(), "sums up to 16x16"));
  }
};

}  // namespace

HEDDLE_WORKLOAD(Sad)

}  // namespace heddle::workloads::sad
