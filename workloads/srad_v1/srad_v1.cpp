// Speckle-reducing anisotropic diffusion, first version: six kernels, four rounds. What exp and log give may differ by
// some units in the last place between compilers, so their kernels are compared with a tolerance (four units; the log's
// argument is near 1 to e, so its error is taken relative to 255); everything between them is compared exactly,
// starting from what the GPU's exp gave.
#include "workloads/srad_v1/reference.h"

#include <cmath>

#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/image.h"
#include "workloads/srad_v2/reference.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(srad_v1)

namespace heddle::workloads::srad_v1 {
namespace {

constexpr std::uint32_t kBlock = srad_v1::kBlock;
constexpr int kRounds = 4;

/// Where the neighbours of each row (or column) are; the edge is its own.
struct Neighbours {
  std::vector<std::int32_t> before, after;
  explicit Neighbours(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      before.push_back(static_cast<std::int32_t>(i == 0 ? 0 : i - 1));
      after.push_back(static_cast<std::int32_t>(i + 1 == count ? i : i + 1));
    }
  }
};

class SradV1 final : public Workload {
 public:
  SradV1()
      : Workload(
            {.name = "srad_v1",
             .summary = "Speckle-reducing diffusion without tiles: neighbours by look-up, statistics by reductions.",
             .suite = "Rodinia",
             .papers = {{"regless", "srad_v1", {}}},
             .kernels = {{"srad_v1_extract", "srad_v1_1"},
                         {"srad_v1_prepare", "srad_v1_2"},
                         {"srad_v1_reduce", "srad_v1_3"},
                         {"srad_v1_coefficients", "srad_v1_4"},
                         {"srad_v1_update", "srad_v1_5"},
                         {"srad_v1_compress", "srad_v1_6"}},
             .unit = "image rows (the image is square)",
             .sizes = {{"tiny", 40}, {"small", 180}, {"medium", 400}, {"paper", 480}},
             .least = 2,
             .most = 16'384,
             .ptx = embedded::srad_v1}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto n = static_cast<std::uint32_t>(request.elements);
    const auto count = n * n;
    const std::vector<float> pixels =
        speckled_image(n, n, random_discs(12, n, n, static_cast<float>(n) / 20.0f, request.seed), 0.4f, request.seed)
            .pixels;
    const runtime::Module module = load(device);
    const runtime::DeviceArray<float> image(device, pixels);
    const Dim3 grid{blocks_for(count, kBlock)};
    device.launch(module.kernel("srad_v1_extract"), grid, {kBlock}, 0, count, image.address());
    const std::vector<float> extracted = image.download();
    const std::vector<float> speckles = diffuse(device, module, image, n);
    const std::vector<float> diffused = image.download();
    device.launch(module.kernel("srad_v1_compress"), grid, {kBlock}, 0, count, image.address());

    std::vector<float> expected(pixels.size());
    for (std::size_t i = 0; i < pixels.size(); ++i) expected[i] = std::exp(pixels[i] / 255.0f);
    Outcome outcome = compare_close(expected, extracted, 0x1p-21, 0.0, "extracted pixels");

    Image reference{n, n, transposed(extracted, n)};
    std::vector<float> expected_speckles;
    for (int round = 0; round < kRounds; ++round) {
      std::vector<float> in_order = transposed(reference.pixels, n);
      const float sum = srad_v1::tree_sum(in_order);
      for (float& v : in_order) v *= v;
      expected_speckles.push_back(srad_v1::speckle_squared(sum, srad_v1::tree_sum(in_order), count));
      srad_v2::step(reference, expected_speckles.back());
    }
    outcome = both(outcome, both(compare_exact(expected_speckles, speckles, "statistics"),
                                 compare_exact(transposed(reference.pixels, n), diffused, "diffused pixels")));
    for (std::size_t i = 0; i < pixels.size(); ++i) expected[i] = std::log(diffused[i]) * 255.0f;
    return both(outcome, compare_close(expected, image.download(), 0x1p-21, 255 * 0x1p-22, "compressed pixels"));
  }

 private:
  /// Runs the rounds; the result is the statistic of each.
  static std::vector<float> diffuse(runtime::Device& device, const runtime::Module& module,
                                    const runtime::DeviceArray<float>& image, std::uint32_t n) {
    const std::uint32_t count = n * n;
    const Dim3 grid{blocks_for(count, kBlock)};
    const Neighbours neighbours(n);
    const runtime::DeviceArray<std::int32_t> before(device, neighbours.before);
    const runtime::DeviceArray<std::int32_t> after(device, neighbours.after);
    const runtime::DeviceArray<float> sums(device, count);
    const runtime::DeviceArray<float> squares(device, count);
    const runtime::DeviceArray<float> coefficients(device, count);
    const runtime::DeviceArray<float> north(device, count);
    const runtime::DeviceArray<float> south(device, count);
    const runtime::DeviceArray<float> west(device, count);
    const runtime::DeviceArray<float> east(device, count);
    std::vector<float> speckles;
    for (int round = 0; round < kRounds; ++round) {
      device.launch(module.kernel("srad_v1_prepare"), grid, {kBlock}, 0, count, image.address(), sums.address(),
                    squares.address());
      for (std::uint64_t stride = 1; stride < count; stride *= kBlock) {
        device.launch(module.kernel("srad_v1_reduce"), {blocks_for(blocks_for(count, stride), kBlock)}, {kBlock}, 0,
                      count, static_cast<std::uint32_t>(stride), sums.address(), squares.address());
      }
      float sum = 0.0f;
      float square = 0.0f;
      device.copy_to_host(&sum, sums.address(), sizeof sum);
      device.copy_to_host(&square, squares.address(), sizeof square);
      speckles.push_back(srad_v1::speckle_squared(sum, square, count));
      device.launch(module.kernel("srad_v1_coefficients"), grid, {kBlock}, 0, n, count, before.address(),
                    after.address(), before.address(), after.address(), north.address(), south.address(),
                    west.address(), east.address(), speckles.back(), coefficients.address(), image.address());
      device.launch(module.kernel("srad_v1_update"), grid, {kBlock}, 0, srad_v2::kQuarterLambda, n, count,
                    after.address(), after.address(), north.address(), south.address(), west.address(), east.address(),
                    coefficients.address(), image.address());
    }
    return speckles;
  }

  static std::vector<float> transposed(const std::vector<float>& values, std::size_t n) {
    std::vector<float> result(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) result[i % n * n + i / n] = values[i];
    return result;
  }
};

}  // namespace

HEDDLE_WORKLOAD(SradV1)

}  // namespace heddle::workloads::srad_v1
