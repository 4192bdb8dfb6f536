#include "plot/bar_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plot/frame.h"

namespace heddle::plot {
namespace {

constexpr Colour kSeparatorColour{0x88, 0x88, 0x88};

constexpr double kNarrowest = 2.0;       ///< bars below this are told apart with pain
constexpr double kNarrowestStack = 6.0;  ///< of a stack
constexpr unsigned kMostRows = 6;
constexpr double kGroupGap = 1.0;  ///< between groups, in bars
constexpr double kApartGap = 1.5;  ///< more before the means

std::string tip_of(const std::string& group, const std::string& variant, const Bar& bar) {
  std::string tip = fmt::format("{}, {}: {:.6g}", group, variant, bar.value);
  if (bar.low != bar.high) tip += fmt::format(" ({:.6g} to {:.6g})", bar.low, bar.high);
  return tip;
}

class Painter {
 public:
  Painter(const BarChart& chart, const Style& style) : chart_(chart), style_(style) {
    find_scale();
    find_margins();
    find_rows();
    find_labels();
  }

  [[nodiscard]] double unit() const { return unit_; }

  [[nodiscard]] Drawing paint() {
    made_.width = style_.width;
    made_.title = chart_.title;
    double top = kEdge;
    if (chart_.variants.size() > 1 || !chart_.legend_title.empty())
      top = paint_legend(made_, chart_.legend_title, chart_.variants, left_, top, style_.font, true);
    const double first = top;
    for (std::size_t row = 0; row < starts_.size(); ++row) {
      if (row != 0) top += style_.font / 2;
      const std::size_t end = row + 1 < starts_.size() ? starts_[row + 1] : chart_.groups.size();
      top = paint_row(starts_[row], end, top + headroom_);
    }
    paint_axis_title(made_, y_title_, (first + top - label_height_) / 2, style_.font);
    made_.height = top + kEdge;
    return std::move(made_);
  }

 private:
  [[nodiscard]] std::size_t across() const { return chart_.stacked ? 1 : chart_.variants.size(); }
  [[nodiscard]] double area() const { return style_.width - left_ - kEdge; }

  void find_scale() {
    double least = 0;
    double greatest = chart_.reference.value_or(0);
    for (std::size_t g = 0; g < chart_.groups.size(); ++g) {
      double sum = 0;
      for (const auto& variant : chart_.bars) {
        if (!variant[g]) continue;
        sum += variant[g]->value;
        greatest = std::max(greatest, chart_.stacked ? sum : variant[g]->high);
        least = std::min(least, variant[g]->low);
      }
    }
    scale_ = scale_for(least, chart_.y_max.value_or(greatest));
    if (chart_.y_max) scale_.high = *chart_.y_max;
    if (!chart_.y_max || chart_.stacked) return;
    for (const auto& variant : chart_.bars) {
      for (const auto& bar : variant) {
        if (bar && bar->value > scale_.high)
          headroom_ = std::max(headroom_, text_width(cut_text(*bar), style_.font - 1) + 2);
      }
    }
  }

  [[nodiscard]] static std::string cut_text(const Bar& bar) { return fmt::format("{:.3g}", bar.value); }

  void find_margins() {
    y_title_ = in_lines(chart_.y_title, style_.font, std::max(style_.height, 60.0));
    left_ = axis_place(scale_, y_title_.size(), style_.font);
  }

  /// Divides the groups into rows; the means are in the last.
  void find_rows() {
    const auto width_of = [&](unsigned rows) {
      const double groups = std::ceil(static_cast<double>(chart_.groups.size()) / rows);
      const double gaps = kGroupGap + (chart_.apart == 0 ? 0 : kApartGap);
      return area() / (groups * (static_cast<double>(across()) + kGroupGap) + gaps);
    };
    unsigned rows = std::max(1u, style_.rows);
    const double wanted = chart_.stacked ? kNarrowestStack : kNarrowest;
    if (style_.rows == 0) {
      while (rows < kMostRows && rows < chart_.groups.size() && width_of(rows) < wanted) ++rows;
    }
    rows = std::min(rows, static_cast<unsigned>(std::max<std::size_t>(1, chart_.groups.size())));
    unit_ = width_of(rows);
    const auto each = static_cast<std::size_t>(std::ceil(static_cast<double>(chart_.groups.size()) / rows));
    for (std::size_t start = 0; start < std::max<std::size_t>(1, chart_.groups.size()); start += each)
      starts_.push_back(start);
  }

  void find_labels() {
    const double room = unit_ * (static_cast<double>(across()) + kGroupGap);
    double longest = 0;
    for (const std::string& group : chart_.groups) longest = std::max(longest, text_width(group, style_.font));
    if (longest <= room - 2) {
      label_height_ = style_.font + 3;
      return;
    }
    constexpr double kSlope = 0.70710678;
    turned_ = room * kSlope >= style_.font + 1 ? 45 : 90;
    label_height_ = turned_ == 90 ? longest + 4 : (longest + style_.font) * kSlope + 4;
    if (turned_ != 90) left_ = std::max(left_, kEdge + text_width(chart_.groups[0], style_.font) * kSlope - room / 2);
  }

  [[nodiscard]] double y_of(double value, double bottom) const {
    const double inside = std::clamp(value, scale_.low, scale_.high);
    return bottom - (inside - scale_.low) / (scale_.high - scale_.low) * style_.height;
  }

  double paint_row(std::size_t begin, std::size_t end, double top) {
    const double bottom = top + style_.height;
    const double right = style_.width - kEdge;
    paint_scale(made_, scale_, left_, right, top, bottom, style_.font);
    const std::size_t means = chart_.groups.size() - chart_.apart;
    double x = left_ + unit_ * kGroupGap / 2;
    for (std::size_t g = begin; g < end; ++g) {
      if (g == means && g != begin) {
        x += unit_ * kApartGap;
        const double at = x - unit_ * (kApartGap + kGroupGap) / 2;
        made_.shapes.push_back(Line{{at, top}, {at, bottom}, 0.5, kSeparatorColour, true});
      }
      x += unit_ * kGroupGap / 2;
      const double width = unit_ * static_cast<double>(across());
      if (chart_.stacked) {
        paint_stack(g, x, bottom);
      } else {
        paint_group(g, x, bottom);
      }
      paint_label(chart_.groups[g], x + width / 2, bottom, g >= means);
      x += width + unit_ * kGroupGap / 2;
    }
    if (chart_.reference) {
      const double y = y_of(*chart_.reference, bottom);
      made_.shapes.push_back(Line{{left_, y}, {right, y}, 0.6, kBlack, true});
    }
    made_.shapes.push_back(Line{{left_, top}, {left_, bottom}, 0.6, kBlack, false});
    made_.shapes.push_back(Line{{left_, y_of(0, bottom)}, {right, y_of(0, bottom)}, 0.6, kBlack, false});
    return bottom + label_height_;
  }

  void paint_bar(std::size_t v, std::size_t g, double x, double from, double to) {
    const Bar& bar = *chart_.bars[v][g];
    made_.shapes.push_back(Rectangle{x, std::min(from, to), unit_, std::abs(to - from), colour_of(v), hatch_of(v),
                                     tip_of(chart_.groups[g], chart_.variants[v], bar)});
  }

  void paint_group(std::size_t g, double x, double bottom) {
    for (std::size_t v = 0; v < chart_.variants.size(); ++v, x += unit_) {
      const auto& bar = chart_.bars[v][g];
      if (!bar) {  // not run: a cross where the bar would stand
        made_.shapes.push_back(
            Text{{x + unit_ / 2, y_of(0, bottom) - 1}, "\u00d7", style_.font, Anchor::middle, 0, false});
        continue;
      }
      paint_bar(v, g, x, y_of(0, bottom), y_of(bar->value, bottom));
      const double middle = x + unit_ / 2;
      if (bar->value > scale_.high) {
        made_.shapes.push_back(Text{{middle + style_.font * 0.3, bottom - style_.height - 2},
                                    cut_text(*bar),
                                    style_.font - 1,
                                    Anchor::start,
                                    90,
                                    false});
        continue;
      }
      if (bar->low == bar->high) continue;
      const double low = y_of(bar->low, bottom);
      const double high = y_of(bar->high, bottom);
      const double cap = std::min(unit_ * 0.3, 3.0);
      made_.shapes.push_back(Line{{middle, low}, {middle, high}, 0.6, kBlack, false});
      made_.shapes.push_back(Line{{middle - cap, low}, {middle + cap, low}, 0.6, kBlack, false});
      made_.shapes.push_back(Line{{middle - cap, high}, {middle + cap, high}, 0.6, kBlack, false});
    }
  }

  void paint_stack(std::size_t g, double x, double bottom) {
    double sum = 0;
    for (std::size_t v = 0; v < chart_.variants.size(); ++v) {
      if (!chart_.bars[v][g]) continue;
      const double from = y_of(sum, bottom);
      sum += chart_.bars[v][g]->value;
      paint_bar(v, g, x, from, y_of(sum, bottom));
    }
  }

  void paint_label(const std::string& label, double middle, double bottom, bool bold) {
    const double size = style_.font;
    if (turned_ == 0) {
      made_.shapes.push_back(Text{{middle, bottom + size + 1}, label, size, Anchor::middle, 0, bold});
    } else if (turned_ == 90) {
      made_.shapes.push_back(Text{{middle + size * 0.35, bottom + 3}, label, size, Anchor::end, turned_, bold});
    } else {
      made_.shapes.push_back(
          Text{{middle + size * 0.35, bottom + size * 0.7 + 2}, label, size, Anchor::end, turned_, bold});
    }
  }

  const BarChart& chart_;
  const Style& style_;
  Drawing made_;
  Scale scale_;
  std::vector<std::string> y_title_;
  double left_ = 0;          ///< where the axis stands
  double unit_ = 0;          ///< width of a bar
  double headroom_ = 0;      ///< for the values of bars that are cut off
  double label_height_ = 0;  ///< of the groups' names
  double turned_ = 0;
  std::vector<std::size_t> starts_;  ///< the first group of each row
};

}  // namespace

Drawing draw(const BarChart& chart, const Style& style) { return Painter(chart, style).paint(); }

double bar_width(const BarChart& chart, const Style& style) { return Painter(chart, style).unit(); }

}  // namespace heddle::plot
