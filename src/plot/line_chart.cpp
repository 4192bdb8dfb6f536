#include "plot/line_chart.h"

#include <fmt/format.h>

#include <algorithm>

#include "plot/frame.h"

namespace heddle::plot {
namespace {

class LinePainter {
 public:
  LinePainter(const LineChart& chart, const Style& style) : chart_(chart), style_(style) {
    std::vector<double> sums(chart.x.size(), 0);
    double greatest = 0;
    for (const auto& values : chart.values) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        sums[i] = (chart.stacked ? sums[i] : 0) + values[i].value_or(0);
        greatest = std::max(greatest, sums[i]);
      }
    }
    y_ = scale_for(0, chart.y_max.value_or(greatest));
    if (chart.y_max) y_.high = *chart.y_max;
    x_ = scale_for(0, chart.x.empty() ? 1 : chart.x.back());
    title_ = in_lines(chart.y_title, style.font, std::max(style.height, 60.0));
    left_ = axis_place(y_, title_.size(), style.font);
    right_ = style.width - kEdge - 10;  // half of the last number stands out
    made_.width = style.width;
    made_.title = chart.title;
  }

  [[nodiscard]] Drawing paint() {
    top_ = kEdge;
    if (chart_.names.size() > 1) top_ = paint_legend(made_, "", chart_.names, left_, top_, style_.font, false);
    top_ += style_.font / 2;
    bottom_ = top_ + style_.height;
    paint_scale(made_, y_, left_, right_, top_, bottom_, style_.font);
    std::vector<double> below(chart_.x.size(), 0);
    for (std::size_t s = 0; s < chart_.values.size(); ++s) {
      if (chart_.stacked) {
        paint_area(s, below);
      } else {
        paint_steps(s);
      }
    }
    made_.shapes.emplace_back(Line{{left_, top_}, {left_, bottom_}, 0.6, kBlack, false});
    made_.shapes.emplace_back(Line{{left_, bottom_}, {right_, bottom_}, 0.6, kBlack, false});
    for (const double tick : x_.ticks()) {
      if (tick > x_end() * (1 + 1e-9)) continue;
      made_.shapes.emplace_back(
          Text{{x_of(tick), bottom_ + style_.font + 2}, x_.text_of(tick), style_.font, Anchor::middle, 0, false});
    }
    const double below_ticks = bottom_ + 2 * style_.font + 5;
    made_.shapes.emplace_back(
        Text{{(left_ + right_) / 2, below_ticks}, chart_.x_title, style_.font, Anchor::middle, 0, false});
    paint_axis_title(made_, title_, (top_ + bottom_) / 2, style_.font);
    made_.height = below_ticks + 2 + kEdge;
    return std::move(made_);
  }

 private:
  [[nodiscard]] double x_end() const { return chart_.x.empty() ? 1 : chart_.x.back(); }
  [[nodiscard]] double x_of(double x) const { return left_ + x / x_end() * (right_ - left_); }
  [[nodiscard]] double y_of(double y) const {
    return bottom_ - (std::min(y, y_.high) - y_.low) / (y_.high - y_.low) * (bottom_ - top_);
  }
  [[nodiscard]] double begin_of(std::size_t i) const { return i == 0 ? 0 : chart_.x[i - 1]; }

  void paint_steps(std::size_t s) {
    const auto& values = chart_.values[s];
    Path path{{}, colour_of(s), 1, false};
    for (std::size_t i = 0; i < values.size(); ++i) {
      path.points.push_back({x_of(begin_of(i)), y_of(values[i].value_or(0))});
      path.points.push_back({x_of(chart_.x[i]), y_of(values[i].value_or(0))});
    }
    made_.shapes.emplace_back(std::move(path));
  }

  void paint_area(std::size_t s, std::vector<double>& below) {
    const auto& values = chart_.values[s];
    Path path{{}, colour_of(s), 0, true};
    for (std::size_t i = values.size(); i-- > 0;) {
      path.points.push_back({x_of(chart_.x[i]), y_of(below[i])});
      path.points.push_back({x_of(begin_of(i)), y_of(below[i])});
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      below[i] += values[i].value_or(0);
      path.points.push_back({x_of(begin_of(i)), y_of(below[i])});
      path.points.push_back({x_of(chart_.x[i]), y_of(below[i])});
    }
    made_.shapes.emplace_back(std::move(path));
  }

  const LineChart& chart_;
  const Style& style_;
  Drawing made_;
  Scale x_;
  Scale y_;
  std::vector<std::string> title_;
  double left_ = 0;
  double right_ = 0;
  double top_ = 0;
  double bottom_ = 0;
};

}  // namespace

Drawing draw(const LineChart& chart, const Style& style) { return LinePainter(chart, style).paint(); }

}  // namespace heddle::plot
