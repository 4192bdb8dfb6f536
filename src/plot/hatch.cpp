// Hatches are drawn as lines, not as a format's own patterns: viewers differ in those.
#include <algorithm>

#include "plot/drawing.h"

namespace heddle::plot {
namespace {

constexpr double kHatchDistance = 3;
constexpr double kHatchWidth = 0.35;

void add_hatch_line(std::vector<Line>& lines, Point from, Point to) {
  lines.push_back({from, to, kHatchWidth, kBlack, false});
}

/// Diagonals from the lower left to the upper right, or mirrored.
void add_diagonals(std::vector<Line>& lines, const Rectangle& box, bool mirrored) {
  constexpr double kStep = kHatchDistance * 1.41421356;
  for (double sum = kStep / 2; sum < box.width + box.height; sum += kStep) {
    const double right = std::min(sum, box.width);
    const double left = std::max(0.0, sum - box.height);
    const auto at = [&](double x) { return mirrored ? box.x + box.width - x : box.x + x; };
    add_hatch_line(lines, {at(left), box.y + sum - left}, {at(right), box.y + sum - right});
  }
}

void add_level(std::vector<Line>& lines, const Rectangle& box) {
  // From the foot of a bar, so that neighbours are level with each other.
  for (double y = box.y + box.height - kHatchDistance; y > box.y; y -= kHatchDistance)
    add_hatch_line(lines, {box.x, y}, {box.x + box.width, y});
}

void add_upright(std::vector<Line>& lines, const Rectangle& box) {
  // At least one, in the middle: bars can be narrower than the distance.
  const int count = std::max(1, static_cast<int>(box.width / kHatchDistance));
  for (int i = 0; i < count; ++i) {
    const double x = box.x + box.width * (i + 0.5) / count;
    add_hatch_line(lines, {x, box.y}, {x, box.y + box.height});
  }
}

}  // namespace

std::vector<Line> hatch_lines(const Rectangle& rectangle) {
  std::vector<Line> lines;
  const Hatch hatch = rectangle.hatch;
  if (hatch == Hatch::rising || hatch == Hatch::crossed) add_diagonals(lines, rectangle, false);
  if (hatch == Hatch::falling || hatch == Hatch::crossed) add_diagonals(lines, rectangle, true);
  if (hatch == Hatch::level || hatch == Hatch::grid) add_level(lines, rectangle);
  if (hatch == Hatch::upright || hatch == Hatch::grid) add_upright(lines, rectangle);
  return lines;
}

}  // namespace heddle::plot
