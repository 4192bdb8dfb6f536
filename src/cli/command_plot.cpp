// heddle plot: a figure for a paper, as SVG, PDF and CSV.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>

#include "base/files.h"
#include "cli/commands.h"
#include "cli/experiments.h"
#include "cli/figure.h"
#include "cli/variants.h"
#include "plot/fonts.h"

namespace heddle::cli {
namespace {

struct PlotOptions {
  std::vector<std::string> filters;
  std::string sweep;
  std::string experiment;
  std::string data;
  std::string size;
  FigureOptions figure;
  std::string show = "relative";
  std::string errors = "deviation";
  std::vector<std::string> order;
  std::vector<std::string> leave_out;
  std::vector<std::string> names;
  std::string width = "two";
  plot::Style style;
  std::string y_title;
  double y_max = 0;
  std::string fonts = "found";
  std::string output = "figure";
  DatabaseOptions database;
};

constexpr double kThinBar = 1.2;  ///< points; thinner ones are hard to tell apart in print

double width_of(const std::string& text) {
  if (text == "one") return plot::kColumnWidth;
  if (text == "two") return plot::kPageWidth;
  double points = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), points);
  constexpr double kLeast = 100;
  constexpr double kMost = 5000;
  if (error != std::errc() || end != text.data() + text.size() || points < kLeast || points > kMost)
    throw UserError(
        fmt::format("--width {}: it must be one or two (columns), or {} to {} points", text, kLeast, kMost));
  return points;
}

std::string plot_database(const PlotOptions& options) {
  std::string file = options.database.file();
  if (file.empty()) throw UserError("there is no results database: name one with --db");
  return file;
}

plot::BarChart chart_of_runs(const PlotOptions& options, const std::vector<results::RunRow>& rows) {
  FigureOptions wanted = options.figure;
  if (options.show == "speedup") wanted.show = Show::speedup;
  if (options.show == "absolute") wanted.show = Show::absolute;
  if (options.errors == "range") wanted.errors = Errors::range;
  if (options.errors == "none") wanted.errors = Errors::none;
  Figure figure = figure_of_runs(rows, wanted);
  if (figure.hidden != 0)
    fmt::print(stderr,
               "note: {} runs are not shown, because newer ones have the same group, variant and seed; --by or "
               "conditions tell them apart\n",
               figure.hidden);
  figure.shorten();
  return figure.chart;
}

plot::BarChart chart_of_filters(const PlotOptions& options) {
  const auto database = results::open_results(plot_database(options));
  std::vector<std::string> filters = options.filters;
  filters.emplace_back("status=passed");
  const std::vector<results::RunRow> rows = results::select_runs(*database, filters);
  if (rows.empty()) throw UserError("no run that has passed fits these conditions (see: heddle results)");
  return chart_of_runs(options, rows);
}

plot::BarChart chart_of_sweep(const PlotOptions& options) {
  return chart_of_runs(options, sweep_runs(options.sweep, *results::open_results(plot_database(options))).rows);
}

plot::BarChart chart_of_figure(const PlotOptions& options) {
  std::vector<study::Experiment> experiments = find_experiments(options.experiment);
  if (experiments.size() != 1)
    throw UserError(fmt::format("--experiment {}: one figure is drawn at a time, and there are {}: {}/{}, ...",
                                options.experiment, experiments.size(), experiments[0].paper, experiments[0].figure));
  if (!options.size.empty()) experiments[0].take_size(options.size);
  const PlannedExperiment planned = plan_experiment(experiments[0]);
  const study::ExperimentResult result = evaluate_experiment(planned, plot_database(options));
  const bool any = std::any_of(result.cells.begin(), result.cells.end(), [](const auto& row) {
    return std::any_of(row.begin(), row.end(), [](const auto& cell) { return cell.has_value(); });
  });
  if (!any)
    throw UserError(fmt::format("no run of this experiment is in the database: heddle reproduce {}{}",
                                options.experiment, options.size.empty() ? "" : " --size " + options.size));
  return chart_of_experiment(planned.experiment, result);
}

plot::BarChart chosen_chart(const PlotOptions& options) {
  if (!options.sweep.empty()) return chart_of_sweep(options);
  if (!options.experiment.empty()) return chart_of_figure(options);
  if (!options.data.empty()) return plot::chart_from_csv(read_file(options.data), options.data);
  return chart_of_filters(options);
}

/// What the PDF is to carry along; nothing: it names fonts that every reader has.
std::shared_ptr<const plot::Fonts> chosen_fonts(const PlotOptions& options) {
  if (options.fonts == "standard") return nullptr;
  auto fonts = plot::find_fonts();
  if (fonts != nullptr) return fonts;
  const std::string why = fmt::format(
      "neither Liberation Sans nor DejaVu Sans is in {}: install fonts-liberation, or name a folder with $HEDDLE_FONTS",
      fmt::join(plot::font_folders(), ", "));
  if (options.fonts == "embed") throw UserError("--fonts embed: " + why);
  fmt::print(stderr, "note: the PDF's fonts are not embedded, which publishers may refuse; {}\n", why);
  return nullptr;
}

/// The files to write: one if the name says of which kind, else all three.
void write_figure(const PlotOptions& options, const plot::BarChart& chart) {
  const plot::Drawing drawing = plot::draw(chart, options.style);
  const std::string svg = plot::to_svg(drawing);
  const bool with_pdf = !options.output.ends_with(".svg") && !options.output.ends_with(".csv");
  const std::string pdf = with_pdf ? plot::to_pdf(drawing, chosen_fonts(options).get()) : "";
  const std::string csv = plot::to_csv(chart);
  const std::vector<std::pair<std::string, const std::string*>> kinds{{".svg", &svg}, {".pdf", &pdf}, {".csv", &csv}};
  const bool one =
      std::any_of(kinds.begin(), kinds.end(), [&](const auto& kind) { return options.output.ends_with(kind.first); });
  std::string written;
  for (const auto& [ending, text] : kinds) {
    if (one && !options.output.ends_with(ending)) continue;
    const std::string file = one ? options.output : options.output + ending;
    write_file("--output", file, *text);
    written += (written.empty() ? "" : ", ") + file;
  }
  fmt::print("{}: {} groups by {} variants, {:.0f} by {:.0f} points\n", written, chart.groups.size(),
             chart.variants.size(), drawing.width, drawing.height);
}

int plot_figure(const PlotOptions& given) {
  PlotOptions options = given;
  options.style.width = width_of(options.width);
  plot::BarChart chart = chosen_chart(options);
  if (!options.y_title.empty()) chart.y_title = options.y_title;
  if (options.y_max > 0) chart.y_max = options.y_max;
  if (!options.order.empty()) put_in_order(chart, options.order);
  if (!options.leave_out.empty()) leave_out(chart, options.leave_out);
  rename(chart, options.names);
  if (chart.title.empty()) chart.title = chart.y_title;
  const double bar = plot::bar_width(chart, options.style);
  if (bar < kThinBar)
    fmt::print(stderr, "note: bars are only {:.1f} points wide: --width two or more --rows makes them wider\n", bar);
  write_figure(options, chart);
  return kSuccess;
}

void add_source_options(CLI::App& command, PlotOptions& options) {
  auto* filters = command.add_option("filter", options.filters, "Conditions on runs, as 'heddle results' takes them");
  auto* sweep = command.add_option("--sweep", options.sweep, "The runs of this sweep file")->excludes(filters);
  auto* experiment = command.add_option("--experiment", options.experiment, "A figure of a paper: PAPER/FIGURE")
                         ->excludes(filters)
                         ->excludes(sweep);
  command.add_option("--size", options.size, "Size of every workload instead of the experiment's")->needs(experiment);
  auto* data = command.add_option("--data", options.data, "Draw again what --output wrote as CSV")
                   ->excludes(filters)
                   ->excludes(sweep)
                   ->excludes(experiment);
  // An experiment and a CSV file say themselves what is shown relative to what.
  const auto of_runs = [&](CLI::Option* option) { return option->excludes(experiment)->excludes(data); };
  of_runs(command.add_option("--metric", options.figure.metric, "What bars show: a figure or an expression"))
      ->capture_default_str();
  of_runs(
      command.add_option("--show", options.show, "relative (to the baseline), speedup (baseline over each), absolute"))
      ->check(CLI::IsMember({"relative", "speedup", "absolute"}))
      ->capture_default_str();
  of_runs(command.add_option("--baseline", options.figure.baseline,
                             "The variant that others are relative to; default: the first"));
  of_runs(
      command.add_option("--by", options.figure.by, "Fields or parameters that make a variant; default: what varies"))
      ->delimiter(',');
  of_runs(command.add_option("--across", options.figure.across, "Field or parameter that makes a group of bars"))
      ->capture_default_str();
  of_runs(command.add_option("--errors", options.errors, "Error bars over seeds: deviation, range, none"))
      ->check(CLI::IsMember({"deviation", "range", "none"}))
      ->capture_default_str();
  add_database_options(command, options.database, false);
}

}  // namespace

void add_plot(CLI::App& app, Action& action) {
  auto options = std::make_shared<PlotOptions>();
  CLI::App* command = app.add_subcommand("plot", "Draw a figure for a paper, as SVG, PDF and CSV");
  add_source_options(*command, *options);
  command->add_option("--order", options->order, "Variants or groups that come first, in this order")->delimiter(',');
  command->add_option("--leave-out", options->leave_out, "Variants or groups that are not drawn")->delimiter(',');
  command->add_option("--names", options->names, "Other names for variants or groups: OLD=NEW,...")->delimiter(',');
  command->add_option("--width", options->width, "one or two columns of paper, or a number of points")
      ->capture_default_str();
  command->add_option("--height", options->style.height, "Points of the area with bars, in each row")
      ->check(CLI::Range(30, 2000))
      ->capture_default_str();
  command->add_option("--rows", options->style.rows, "Rows that the groups are divided into; default: as bars need it")
      ->check(CLI::Range(1, 20));
  command->add_option("--font", options->style.font, "Size of texts in points")
      ->check(CLI::Range(4, 30))
      ->capture_default_str();
  command
      ->add_option(
          "--fonts", options->fonts,
          "Fonts of the PDF: found (embedded if there are any), embed (refused if not), standard (not embedded)")
      ->check(CLI::IsMember({"found", "embed", "standard"}))
      ->capture_default_str();
  command->add_option("--y-title", options->y_title, "Title of the axis");
  command->add_option("--y-max", options->y_max, "Cut bars off here; their values are written above")
      ->check(CLI::PositiveNumber);
  command->add_option("-o,--output", options->output, "NAME for NAME.svg, NAME.pdf and NAME.csv, or one of them")
      ->capture_default_str();
  command->callback([options, &action] { action = [options] { return plot_figure(*options); }; });
}

}  // namespace heddle::cli
