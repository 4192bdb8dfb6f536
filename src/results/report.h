// Reports: one HTML file with everything in it. A report is a list of sections; how they look is web/report.js.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/query.h"
#include "results/table.h"

namespace heddle::results {

/// Bars in groups, or stacked; a value that is missing leaves a gap. The page offers the chart as a figure for papers.
struct BarSection {
  std::string title;
  std::string note;
  std::string y_title;
  std::vector<std::string> groups;
  struct Series {
    std::string name;
    std::vector<std::optional<double>> values;
    std::vector<double> errors;  ///< up and down, of each value; empty: none
  };
  std::vector<Series> series;
  bool stacked = false;
  std::optional<double> y_max;
  std::size_t apart = 0;    ///< so many groups at the end are means
  std::string legend = {};  ///< what the series are values of; empty: nothing
};

struct LineSection {
  std::string title;
  std::string note;
  std::string x_title;
  std::string y_title;
  std::vector<double> x;
  std::vector<BarSection::Series> series;
  bool stacked = false;
  std::optional<double> y_max;
};

/// Points on two logarithmic axes, with the line of equal values.
struct ScatterSection {
  std::string title;
  std::string note;
  std::string x_title;
  std::string y_title;
  struct Point {
    double x = 0;
    double y = 0;
    std::string name;
  };
  struct Series {
    std::string name;
    std::vector<Point> points;
  };
  std::vector<Series> series;
};

struct TableSection {
  std::string title;
  std::string note;
  Table table;
  bool folded = false;  ///< opened by a click
};

struct TextSection {
  std::string title;
  std::string note;
  std::string text;
};

class Report {
 public:
  explicit Report(std::string title, std::string subtitle = "");
  void add(const BarSection& section);
  void add(const LineSection& section);
  void add(const ScatterSection& section);
  void add(const TableSection& section);
  void add(const TextSection& section);
  /// The whole page.
  [[nodiscard]] std::string html() const;

 private:
  std::string title_;
  std::string subtitle_;
  std::vector<std::string> sections_;  ///< as JSON
};

/// What a page about one run shows: issue slots, kernels, time series, statistics, configuration, how to repeat it.
[[nodiscard]] Report run_report(const Database& database, const RunRow& run);
/// Several runs side by side, relative to the first.
[[nodiscard]] Report comparison_report(const std::vector<RunRow>& runs);

// Parts that other reports use as well.
[[nodiscard]] BarSection slot_section(const std::vector<RunRow>& runs, const std::vector<std::string>& names);
[[nodiscard]] TableSection configuration_section(const RunRow& run);
/// The command line that repeats a run.
[[nodiscard]] std::string command_of(const RunRow& run);

}  // namespace heddle::results
