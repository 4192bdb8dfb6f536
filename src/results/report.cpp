#include "results/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "plot/csv.h"
#include "plot/fonts.h"
#include "plot/line_chart.h"
#include "results/page.h"

namespace heddle::results {
namespace {

using nlohmann::json;

json to_json(const std::optional<double>& value) { return value ? json(*value) : json(); }

json to_json(const std::vector<BarSection::Series>& all) {
  auto made = json::array();
  for (const BarSection::Series& series : all) {
    auto values = json::array();
    for (const auto& value : series.values) values.push_back(to_json(value));
    made.push_back({{"name", series.name}, {"values", std::move(values)}, {"errors", series.errors}});
  }
  return made;
}

json to_json(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return {};
}

std::string dump(const json& value) {
  std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  // Inside a script element, "</" would end it and "<!--" begin a comment.
  std::string safe;
  for (const char c : text) safe += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return safe;
}

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '<') {
      safe += "&lt;";
    } else if (c == '&') {
      safe += "&amp;";
    } else {
      safe += c;
    }
  }
  return safe;
}

plot::BarChart chart_of(const BarSection& section) {
  plot::BarChart chart;
  chart.title = section.title;
  chart.y_title = section.y_title;
  chart.legend_title = section.legend;
  chart.groups = section.groups;
  chart.apart = section.apart;
  chart.stacked = section.stacked;
  chart.y_max = section.y_max;
  for (const BarSection::Series& series : section.series) {
    chart.variants.push_back(series.name);
    auto& bars = chart.bars.emplace_back();
    for (std::size_t g = 0; g < section.groups.size(); ++g) {
      const auto& value = series.values[g];
      const double error = series.errors.empty() ? 0 : series.errors[g];
      bars.push_back(value ? std::optional(plot::Bar{*value, *value - error, *value + error, 1}) : std::nullopt);
    }
  }
  return chart;
}

/// For figures, with the fonts that there are.
std::string pdf_of(const plot::Drawing& drawing) {
  static const std::shared_ptr<const plot::Fonts> fonts = plot::find_fonts();
  return plot::to_pdf(drawing, fonts.get());
}

/// The chart for papers, as `heddle plot` draws it; nothing where there is nothing to draw.
json figure_of(const BarSection& section) {
  const bool any = std::any_of(section.series.begin(), section.series.end(), [](const BarSection::Series& series) {
    return std::any_of(series.values.begin(), series.values.end(), [](const auto& value) { return value.has_value(); });
  });
  if (!any) return {};
  const plot::BarChart chart = chart_of(section);
  const plot::Drawing drawing = plot::draw(chart, plot::Style{});
  return {{"svg", plot::to_svg(drawing)}, {"pdf", pdf_of(drawing)}, {"csv", plot::to_csv(chart)}};
}

json figure_of(const LineSection& section) {
  if (section.x.empty() || section.series.empty()) return {};
  plot::LineChart chart;
  chart.title = section.title;
  chart.x_title = section.x_title;
  chart.y_title = section.y_title;
  chart.x = section.x;
  chart.stacked = section.stacked;
  chart.y_max = section.y_max;
  std::vector<std::string> head{section.x_title};
  for (const BarSection::Series& series : section.series) {
    chart.names.push_back(series.name);
    chart.values.push_back(series.values);
    head.push_back(series.name);
  }
  std::string csv = plot::csv_line(head);
  for (std::size_t i = 0; i < section.x.size(); ++i) {
    std::vector<std::string> line{fmt::format("{}", section.x[i])};
    for (const BarSection::Series& series : section.series)
      line.push_back(series.values[i] ? fmt::format("{}", *series.values[i]) : "");
    csv += plot::csv_line(line);
  }
  const plot::Drawing drawing = plot::draw(chart, plot::Style{});
  return {{"svg", plot::to_svg(drawing)}, {"pdf", pdf_of(drawing)}, {"csv", csv}};
}

}  // namespace

Report::Report(std::string title, std::string subtitle) : title_(std::move(title)), subtitle_(std::move(subtitle)) {}

void Report::add(const BarSection& section) {
  json made{{"kind", section.stacked ? "stack" : "bars"},
            {"title", section.title},
            {"note", section.note},
            {"y_title", section.y_title},
            {"groups", section.groups},
            {"legend", section.legend},
            {"series", to_json(section.series)},
            {"figure", figure_of(section)}};
  if (section.y_max) made["y_max"] = *section.y_max;
  sections_.push_back(dump(made));
}

void Report::add(const LineSection& section) {
  json made{{"kind", "lines"},
            {"title", section.title},
            {"note", section.note},
            {"x_title", section.x_title},
            {"y_title", section.y_title},
            {"x", section.x},
            {"series", to_json(section.series)},
            {"stacked", section.stacked},
            {"figure", figure_of(section)}};
  if (section.y_max) made["y_max"] = *section.y_max;
  sections_.push_back(dump(made));
}

void Report::add(const ScatterSection& section) {
  auto all = json::array();
  for (const ScatterSection::Series& series : section.series) {
    auto points = json::array();
    for (const ScatterSection::Point& point : series.points)
      points.push_back({{"x", point.x}, {"y", point.y}, {"name", point.name}});
    all.push_back({{"name", series.name}, {"points", std::move(points)}});
  }
  sections_.push_back(dump({{"kind", "scatter"},
                            {"title", section.title},
                            {"note", section.note},
                            {"x_title", section.x_title},
                            {"y_title", section.y_title},
                            {"series", std::move(all)}}));
}

void Report::add(const TableSection& section) {
  auto rows = json::array();
  for (const auto& row : section.table.rows) {
    auto values = json::array();
    for (const Value& value : row) values.push_back(to_json(value));
    rows.push_back(std::move(values));
  }
  sections_.push_back(dump({{"kind", "table"},
                            {"title", section.title},
                            {"note", section.note},
                            {"columns", section.table.columns},
                            {"rows", std::move(rows)},
                            {"folded", section.folded}}));
}

void Report::add(const TextSection& section) {
  sections_.push_back(
      dump({{"kind", "text"}, {"title", section.title}, {"note", section.note}, {"text", section.text}}));
}

std::string Report::html() const {
  std::string page = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  page += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  page += fmt::format("<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n", escaped(title_), page_style());
  page += "<script type=\"application/json\" id=\"report\">\n";
  page += fmt::format("{{\"title\": {}, \"subtitle\": {}, \"sections\": [\n", dump(title_), dump(subtitle_));
  for (std::size_t i = 0; i < sections_.size(); ++i) page += (i == 0 ? "" : ",\n") + sections_[i];
  page += "\n]}\n</script>\n<script>\n";
  page += page_charts();
  page += "</script>\n<script>\n";
  page += page_script();
  page += "</script>\n</body>\n</html>\n";
  return page;
}

}  // namespace heddle::results
