// Figures over time.
#include "plot/line_chart.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace heddle::plot {
namespace {

LineChart two_lines() {
  LineChart chart;
  chart.x_title = "core cycles";
  chart.y_title = "share";
  chart.x = {100, 200, 400};
  chart.names = {"issued", "waiting"};
  chart.values = {{0.25, 0.5, 0.75}, {0.75, 0.5, 0.25}};
  return chart;
}

std::vector<Path> paths_of(const Drawing& drawing) {
  std::vector<Path> found;
  for (const auto& shape : drawing.shapes) {
    if (const auto* one = std::get_if<Path>(&shape)) found.push_back(*one);
  }
  return found;
}

TEST(LineChart, has_a_step_for_each_interval_as_long_and_as_high_as_it_is) {
  const std::vector<Path> paths = paths_of(draw(two_lines(), Style{}));
  ASSERT_EQ(paths.size(), 2u);
  const std::vector<Point>& points = paths[0].points;
  ASSERT_EQ(points.size(), 6u);
  EXPECT_FALSE(paths[0].filled);
  EXPECT_NEAR(points[5].x - points[4].x, 2 * (points[1].x - points[0].x), 1e-9);  // 200 cycles against 100
  EXPECT_EQ(points[0].y, points[1].y);
  EXPECT_NEAR(points[1].y - points[2].y, points[3].y - points[4].y, 1e-9);
  EXPECT_LT(points[4].y, points[0].y);  // y goes down
}

TEST(LineChart, stacks_areas_without_a_gap) {
  LineChart chart = two_lines();
  chart.stacked = true;
  chart.y_max = 1;
  const std::vector<Path> paths = paths_of(draw(chart, Style{}));
  ASSERT_EQ(paths.size(), 2u);
  EXPECT_TRUE(paths[0].filled);
  const auto highest = [](const Path& path) {
    return std::min_element(path.points.begin(), path.points.end(), [](auto a, auto b) { return a.y < b.y; })->y;
  };
  const auto lowest = [](const Path& path) {
    return std::max_element(path.points.begin(), path.points.end(), [](auto a, auto b) { return a.y < b.y; })->y;
  };
  EXPECT_NEAR(lowest(paths[0]) - highest(paths[1]), Style{}.height, 1e-9);  // both fill the whole
  EXPECT_NEAR(paths[1].points[0].y, paths[0].points.back().y, 1e-9);        // one begins where the other ends
}

TEST(LineChart, is_drawn_in_both_formats) {
  const Drawing drawing = draw(two_lines(), Style{});
  EXPECT_NE(to_svg(drawing).find("<polyline points="), std::string::npos);
  EXPECT_NE(to_pdf(drawing).find("(core cycles) Tj"), std::string::npos);
}

}  // namespace
}  // namespace heddle::plot
