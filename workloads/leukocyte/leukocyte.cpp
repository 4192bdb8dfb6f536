// White blood cells: detection in one image (two kernels), then the flow field around each cell found (a third). Cells
// are local maxima of the detector, at least one; they are taken from the CPU's result, so that the third kernel has
// the same input whatever the first two did. All stages are compared exactly.
#include "workloads/leukocyte/reference.h"

#include <numeric>

#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/image.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(leukocyte)

namespace heddle::workloads::leukocyte {
namespace {

constexpr std::uint32_t kRowBlock = 128;
constexpr std::uint32_t kPixelBlock = 176;
constexpr std::size_t kMostCells = 36;
constexpr float kCutoff = 0.0005f;

using leukocyte::Values;

struct Gradients {
  Values x, y;
};

Gradients gradients(const Image& image) {
  const auto side = static_cast<int>(image.rows);
  Gradients result{Values(image.pixels.size()), Values(image.pixels.size())};
  const auto at = [&](int y, int x) {
    return image.at(static_cast<std::uint32_t>(std::clamp(y, 0, side - 1)),
                    static_cast<std::uint32_t>(std::clamp(x, 0, side - 1)));
  };
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      result.x[static_cast<std::size_t>(y * side + x)] = 0.5f * (at(y, x + 1) - at(y, x - 1));
      result.y[static_cast<std::size_t>(y * side + x)] = 0.5f * (at(y + 1, x) - at(y - 1, x));
    }
  }
  return result;
}

/// Places that are their neighbourhood's maximum, the best first.
std::vector<std::size_t> find_cells(const Values& gicov, const Values& dilated) {
  std::vector<std::size_t> cells;
  for (std::size_t i = 0; i < gicov.size(); ++i) {
    if (gicov[i] > 0.0f && gicov[i] == dilated[i]) cells.push_back(i);
  }
  std::stable_sort(cells.begin(), cells.end(), [&](std::size_t a, std::size_t b) { return gicov[a] > gicov[b]; });
  if (cells.empty()) cells.push_back(gicov.size() / 2);
  cells.resize(std::min(cells.size(), kMostCells));
  return cells;
}

/// The strength of the gradient around each cell, scaled to [0, 1].
Values cut_out(const Gradients& g, const std::vector<std::size_t>& cells, int side, int inner) {
  Values result;
  for (const std::size_t cell : cells) {
    const int row = kMargin + static_cast<int>(cell) / inner, column = kMargin + static_cast<int>(cell) % inner;
    for (int y = row - kFieldRows / 2; y <= row + kFieldRows / 2; ++y) {
      for (int x = column - kFieldColumns / 2; x <= column + kFieldColumns / 2; ++x) {
        const auto at = static_cast<std::size_t>(std::clamp(y, 0, side - 1) * side + std::clamp(x, 0, side - 1));
        result.push_back(std::min(1.0f, (std::abs(g.x[at]) + std::abs(g.y[at])) / 64.0f));
      }
    }
  }
  return result;
}

class Leukocyte final : public Workload {
 public:
  Leukocyte()
      : Workload({.name = "leukocyte",
                  .summary = "White blood cells: circles of gradients around each pixel, dilation, and flow fields "
                             "solved in shared memory.",
                  .suite = "Rodinia",
                  .papers = {{"regless", "leukocyte", {}}, {"scavenger", "LK", {Trait::kComputeBound}}},
                  .kernels = {{"leukocyte_gicov", "leukocyte_1"},
                              {"leukocyte_dilate", "leukocyte_2"},
                              {"leukocyte_imgvf", "leukocyte_3"}},
                  .unit = "image rows (the image is square)",
                  .sizes = {{"tiny", 46}, {"small", 72}, {"medium", 140}, {"paper", 640}},
                  .least = 2 * kMargin + 1,
                  .most = 8'192,
                  .ptx = embedded::leukocyte}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto side = static_cast<std::uint32_t>(request.elements);
    const Image image = speckled_image(
        side, side, random_discs(1 + side * side / 6'000, side, side, 9.0f, request.seed), 0.1f, request.seed);
    const Gradients g = gradients(image);
    const leukocyte::Tables tables = leukocyte::make_tables();
    const int signed_side = static_cast<int>(side);
    const Values gicov = leukocyte::gicov(tables, g.x, g.y, signed_side);
    const int inner = signed_side - 2 * kMargin;
    const Values dilated = leukocyte::dilate(tables, gicov, inner);
    const std::vector<std::size_t> cells = find_cells(gicov, dilated);
    const int rounds = std::clamp(signed_side / 24, 2, 500);

    const runtime::Module module = load(device);
    const Outcome detected = detect(device, module, tables, g, side, gicov, dilated);
    return both(detected, track(device, module, cut_out(g, cells, signed_side, inner), cells.size(), rounds));
  }

 private:
  static Outcome detect(runtime::Device& device, const runtime::Module& module, const leukocyte::Tables& tables,
                        const Gradients& g, std::uint32_t side, const Values& gicov, const Values& dilated) {
    const auto upload = [&](std::string_view name, const auto& table) {
      device.copy_to_device(module.symbol(name).address, table.data(), table.size() * sizeof(table[0]));
    };
    upload("leukocyte_sine", tables.sine);
    upload("leukocyte_cosine", tables.cosine);
    upload("leukocyte_offset_x", tables.offset_x);
    upload("leukocyte_offset_y", tables.offset_y);
    upload("leukocyte_disc", tables.disc);
    const runtime::DeviceArray<float> gradient_x(device, g.x);
    const runtime::DeviceArray<float> gradient_y(device, g.y);
    const runtime::DeviceArray<float> device_gicov(device, gicov.size());
    const runtime::DeviceArray<float> device_dilated(device, gicov.size());
    const std::uint32_t inner = side - 2 * kMargin;
    device.launch(module.kernel("leukocyte_gicov"), {blocks_for(inner, kRowBlock), inner}, {kRowBlock}, 0, side, inner,
                  gradient_x.address(), gradient_y.address(), device_gicov.address());
    device.launch(module.kernel("leukocyte_dilate"), {blocks_for(gicov.size(), kPixelBlock)}, {kPixelBlock}, 0, inner,
                  inner, device_gicov.address(), device_dilated.address());
    return both(compare_exact(gicov, device_gicov.download(), "detector values"),
                compare_exact(dilated, device_dilated.download(), "dilated values"));
  }

  static Outcome track(runtime::Device& device, const runtime::Module& module, const Values& cells, std::size_t count,
                       int rounds) {
    const runtime::DeviceArray<float> device_cells(device, cells);
    const runtime::DeviceArray<float> fields(device, cells.size());
    const runtime::DeviceArray<std::int32_t> rounds_made(device, count);
    device.launch(module.kernel("leukocyte_imgvf"), {static_cast<std::uint32_t>(count)}, {kFlowThreads}, 0,
                  device_cells.address(), fields.address(), rounds, kCutoff, rounds_made.address());
    Values expected;
    std::vector<std::int32_t> expected_rounds;
    for (std::size_t cell = 0; cell < count; ++cell) {
      const auto [field, made] =
          leukocyte::flow_field(cells.data() + cell * kFieldRows * kFieldColumns, rounds, kCutoff);
      expected.insert(expected.end(), field.begin(), field.end());
      expected_rounds.push_back(made);
    }
    return both(compare_exact(expected, fields.download(), "flow values"),
                compare_exact(expected_rounds, rounds_made.download(), "numbers of rounds"));
  }
};

}  // namespace

HEDDLE_WORKLOAD(Leukocyte)

}  // namespace heddle::workloads::leukocyte
