// Figures for papers: what is drawn is what the CSV says, in both formats, and stays readable.
#include "plot/bar_chart.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <regex>
#include <set>

#include "base/diagnostics.h"
#include "plot/csv.h"
#include "plot/scale.h"

namespace heddle::plot {
namespace {

/// Workloads and a mean, with values that all differ.
BarChart chart_with(std::size_t groups, std::size_t variants) {
  BarChart chart;
  chart.title = "a title with <brackets> & (others)";
  chart.y_title = "cycles relative to base";
  for (std::size_t g = 0; g + 1 < groups; ++g) chart.groups.push_back(fmt::format("workload{}", g));
  chart.groups.emplace_back("geomean");
  chart.apart = 1;
  chart.reference = 1;
  for (std::size_t v = 0; v < variants; ++v) {
    chart.variants.push_back(fmt::format("design{}", v));
    auto& bars = chart.bars.emplace_back();
    for (std::size_t g = 0; g < groups; ++g) {
      const double value = 0.5 + 0.01 * static_cast<double>(g) + 0.1 * static_cast<double>(v);
      bars.push_back(Bar{value, value - 0.03, value + 0.03, 3});
    }
  }
  return chart;
}

template <typename Shape>
std::vector<Shape> shapes_of(const Drawing& drawing) {
  std::vector<Shape> found;
  for (const auto& shape : drawing.shapes) {
    if (const auto* one = std::get_if<Shape>(&shape)) found.push_back(*one);
  }
  return found;
}

std::vector<Rectangle> bars_of(const Drawing& drawing) {
  std::vector<Rectangle> bars = shapes_of<Rectangle>(drawing);
  std::erase_if(bars, [](const Rectangle& bar) { return bar.tip.empty(); });  // those of the legend
  return bars;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(BarChart, has_the_values_of_the_csv_as_heights_and_as_texts) {
  const BarChart chart = chart_with(4, 3);
  const Drawing drawing = draw(chart, Style{});
  const std::vector<Rectangle> bars = bars_of(drawing);
  const auto lines = parse_csv(to_csv(chart));
  ASSERT_EQ(bars.size(), 12u);
  ASSERT_EQ(lines.size(), 13u);
  const double per_unit = bars[0].height / std::stod(lines[1][2]);
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const std::vector<std::string>& line = lines[i + 1];
    EXPECT_TRUE(bars[i].tip.starts_with(fmt::format("{}, {}: {:.6g} (", line[0], line[1], std::stod(line[2]))))
        << bars[i].tip;
    EXPECT_NEAR(bars[i].height, per_unit * std::stod(line[2]), 1e-6);
  }
}

TEST(BarChart, comes_back_from_its_csv) {
  BarChart chart = chart_with(3, 2);
  chart.groups[0] = "a, \"quoted\" name";
  chart.bars[1][0].reset();
  const BarChart again = chart_from_csv(to_csv(chart), "x.csv");
  EXPECT_EQ(again.groups, chart.groups);
  EXPECT_EQ(again.variants, chart.variants);
  EXPECT_EQ(again.apart, 1u);
  EXPECT_FALSE(again.bars[1][0]);
  EXPECT_EQ(again.bars[1][1]->value, chart.bars[1][1]->value);
  EXPECT_EQ(again.bars[0][2]->high, chart.bars[0][2]->high);
  EXPECT_EQ(to_csv(again), to_csv(chart));
}

TEST(BarChart, says_which_line_of_a_csv_is_wrong) {
  const auto complaint = [](const std::string& text) -> std::string {
    try {
      (void)chart_from_csv(text, "x.csv");
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  const std::string head = "group,variant,value,low,high,runs\n";
  EXPECT_EQ(complaint("a,b\n"), "x.csv:1: the first line must be group,variant,value,low,high,runs");
  EXPECT_EQ(complaint(head + "a,b,1,1,1,1\na,c,fast,1,1,1\n"), "x.csv:3: value is 'fast', and must be a number");
  EXPECT_EQ(complaint(head + "a,b,1\n"), "x.csv:2: 3 fields, and there must be 6");
  EXPECT_EQ(complaint(head), "x.csv: there is no bar in it");
}

TEST(BarChart, of_22_workloads_and_8_variants_keeps_bars_and_names_apart) {
  const BarChart chart = chart_with(23, 8);
  for (const double width : {kPageWidth, kColumnWidth}) {
    Style style;
    style.width = width;
    EXPECT_GE(bar_width(chart, style), 1.9) << width;
    const Drawing drawing = draw(chart, style);
    for (const Rectangle& bar : bars_of(drawing)) {
      EXPECT_GE(bar.x, 0);
      EXPECT_LE(bar.x + bar.width, width);
    }
    // Names of neighbours do not run into each other: turned ones need a line's height between them.
    std::vector<Text> names = shapes_of<Text>(drawing);
    std::erase_if(names, [](const Text& text) { return !text.text.starts_with("workload"); });
    ASSERT_EQ(names.size(), 22u);
    for (std::size_t i = 1; i < names.size(); ++i) {
      if (names[i].at.y != names[i - 1].at.y) continue;  // the next row
      const double angle = names[i].turned * 3.14159265 / 180;
      const double distance = names[i].at.x - names[i - 1].at.x;
      EXPECT_GE(names[i].turned == 0 ? distance - text_width(names[i].text, 7) : distance * std::sin(angle), 7) << i;
    }
  }
}

TEST(BarChart, tells_variants_apart_without_colours) {
  const Drawing drawing = draw(chart_with(3, 8), Style{});
  std::set<Hatch> hatches;
  std::set<std::string> looks;
  for (const Rectangle& bar : bars_of(drawing)) {
    hatches.insert(bar.hatch);
    looks.insert(fmt::format("{} {} {} {}", bar.fill.red, bar.fill.green, bar.fill.blue, static_cast<int>(bar.hatch)));
  }
  EXPECT_EQ(hatches.size(), 7u);
  EXPECT_EQ(looks.size(), 8u);
}

TEST(BarChart, puts_the_mean_apart) {
  const BarChart chart = chart_with(4, 2);
  const std::vector<Rectangle> bars = bars_of(draw(chart, Style{}));
  const double between = bars[4].x - bars[3].x - bars[3].width;
  const double before_mean = bars[6].x - bars[5].x - bars[5].width;
  EXPECT_GT(before_mean, 2 * between);
}

TEST(BarChart, marks_what_has_no_value_and_writes_what_is_cut_off) {
  BarChart chart = chart_with(3, 2);
  chart.bars[0][0].reset();
  chart.bars[1][1] = Bar{17.5, 17.5, 17.5, 1};
  chart.y_max = 2;
  const Drawing drawing = draw(chart, Style{});
  std::set<std::string> texts;
  for (const Text& text : shapes_of<Text>(drawing)) texts.insert(text.text);
  EXPECT_TRUE(texts.contains("\u00d7"));
  EXPECT_TRUE(texts.contains("17.5"));
  EXPECT_EQ(bars_of(drawing).size(), 5u);
  for (const Rectangle& bar : bars_of(drawing)) EXPECT_LE(bar.height, Style{}.height + 1e-9);
}

TEST(BarChart, draws_error_bars_from_low_to_high) {
  BarChart chart = chart_with(2, 1);
  const std::size_t with = shapes_of<Line>(draw(chart, Style{})).size();
  for (auto& bar : chart.bars[0]) bar->low = bar->high = bar->value;
  EXPECT_EQ(with, shapes_of<Line>(draw(chart, Style{})).size() + 6);  // a line and two caps for each
}

TEST(BarChart, stacks_parts_onto_each_other) {
  BarChart chart = chart_with(2, 3);
  chart.stacked = true;
  const std::vector<Rectangle> bars = bars_of(draw(chart, Style{}));
  ASSERT_EQ(bars.size(), 6u);
  EXPECT_EQ(bars[0].x, bars[1].x);
  EXPECT_NEAR(bars[1].y + bars[1].height, bars[0].y, 1e-9);
  EXPECT_NEAR(bars[2].y + bars[2].height, bars[1].y, 1e-9);
}

TEST(Svg, is_well_formed_and_has_each_bar_with_its_value) {
  const std::string svg = to_svg(draw(chart_with(4, 3), Style{}));
  EXPECT_TRUE(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"504.00pt\""));
  EXPECT_NE(svg.find("<title>a title with &lt;brackets&gt; &amp; (others)</title>"), std::string::npos);
  EXPECT_NE(svg.find("<title>workload1, design2: 0.71 (0.68 to 0.74)</title>"), std::string::npos);
  EXPECT_EQ(count_of(svg, "<rect"), 12u + 3u + 1u);  // bars, legend, paper
  // Every element that is opened is closed.
  std::vector<std::string> open;
  const std::regex tag("<(/?)([a-z]+)[^>]*?(/?)>");
  for (std::sregex_iterator at(svg.begin(), svg.end(), tag), end; at != end; ++at) {
    if ((*at)[1].length() == 0 && (*at)[3].length() == 0) open.push_back((*at)[2]);
    if ((*at)[1].length() == 0) continue;
    ASSERT_FALSE(open.empty());
    EXPECT_EQ(open.back(), (*at)[2]);
    open.pop_back();
  }
  EXPECT_TRUE(open.empty());
}

TEST(Pdf, has_a_table_that_points_to_its_objects) {
  const std::string pdf = to_pdf(draw(chart_with(4, 3), Style{}));
  EXPECT_TRUE(pdf.starts_with("%PDF-1.4\n"));
  EXPECT_TRUE(pdf.ends_with("%%EOF\n"));
  const std::size_t said = std::stoul(pdf.substr(pdf.rfind("startxref\n") + 10));
  ASSERT_EQ(pdf.substr(said, 5), "xref\n");
  std::size_t line = pdf.find("65535 f \n", said) + 9;
  for (int object = 1; object <= 7; ++object, line += 20) {
    const std::string expected = fmt::format("{} 0 obj\n", object);
    EXPECT_EQ(pdf.substr(std::stoul(pdf.substr(line, 10)), expected.size()), expected);
  }
  const std::size_t stream = pdf.find("stream\n") + 7;
  const std::size_t length = std::stoul(pdf.substr(pdf.find("/Length ") + 8));
  EXPECT_EQ(pdf.substr(stream + length, 9), "endstream");
}

TEST(Pdf, has_the_bars_of_the_drawing) {
  const Drawing drawing = draw(chart_with(4, 3), Style{});
  const std::string pdf = to_pdf(drawing);
  EXPECT_EQ(count_of(pdf, " re B\n"), 12u + 3u);
  const Rectangle bar = bars_of(drawing)[5];
  EXPECT_NE(pdf.find(fmt::format("{:.2f} {:.2f} {:.2f} {:.2f} re B", bar.x, drawing.height - bar.y - bar.height,
                                 bar.width, bar.height)),
            std::string::npos);
  EXPECT_NE(pdf.find("(geomean) Tj"), std::string::npos);
  EXPECT_NE(pdf.find("/Title (a title with <brackets> & \\(others\\))"), std::string::npos);
  for (const char c : pdf) ASSERT_TRUE(c == '\n' || (c >= ' ' && c <= '~'));
}

TEST(Hatch, stays_inside_its_rectangle) {
  for (const Hatch hatch : {Hatch::rising, Hatch::falling, Hatch::crossed, Hatch::level, Hatch::upright, Hatch::grid}) {
    const std::vector<Line> lines = hatch_lines({10, 20, 5, 30, kBlack, hatch, ""});
    EXPECT_FALSE(lines.empty());
    for (const Line& line : lines) {
      for (const Point& point : {line.from, line.to}) {
        EXPECT_GE(point.x, 10 - 1e-9);
        EXPECT_LE(point.x, 15 + 1e-9);
        EXPECT_GE(point.y, 20 - 1e-9);
        EXPECT_LE(point.y, 50 + 1e-9);
      }
    }
  }
}

TEST(Scale, is_round_and_has_every_value_on_it) {
  for (const double most : {0.003, 0.9, 1.0, 1.01, 7.0, 123.0, 98765.0}) {
    const Scale scale = scale_for(0, most);
    EXPECT_EQ(scale.low, 0);
    EXPECT_GE(scale.high, most * (1 - 1e-9));
    EXPECT_GE(scale.ticks().size(), 3u);
    EXPECT_LE(scale.ticks().size(), 7u);
  }
  EXPECT_EQ(scale_for(0, 1).text_of(0.2), "0.2");
  EXPECT_LT(scale_for(-0.4, 1).low, -0.39);
}

}  // namespace
}  // namespace heddle::plot
