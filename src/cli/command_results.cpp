// heddle results: asking the results database.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "results/difference.h"
#include "results/query.h"
#include "results/table.h"
#include "session/recorder.h"

namespace heddle::cli {
namespace {

struct ResultsOptions {
  DatabaseOptions database;
  std::vector<std::string> filters;
  std::vector<std::string> columns;
  std::string sort;
  std::size_t limit = 0;
  bool csv = false;
  bool json = false;
  std::string a;
  std::string b;
  std::size_t most = 20;
  std::vector<std::string> files;
};

std::string chosen_file(const DatabaseOptions& options) {
  std::string file = options.file();
  if (file.empty()) throw UserError("there is no results database: name one with --db");
  return file;
}

/// Opens for reading. Runs whose process is gone are marked first, where the file can be written.
std::unique_ptr<results::Database> open_results(const DatabaseOptions& options) {
  const std::string file = chosen_file(options);
  auto database = std::make_unique<results::Database>(file, results::Database::Access::read);
  results::check_schema(*database);
  try {
    results::Store(file).mark_killed();
  } catch (const results::DatabaseError&) {
    // Only readable: what is there is shown as it is.
  }
  return database;
}

int list(const ResultsOptions& options) {
  const auto database = open_results(options.database);
  std::vector<results::Filter> filters;
  for (const std::string& text : options.filters) filters.emplace_back(text);
  std::vector<results::RunRow> rows = results::all_runs(*database);
  for (const results::Filter& filter : filters) results::check_names(filter.names(), rows);
  std::erase_if(rows, [&](const results::RunRow& row) {
    return !std::all_of(filters.begin(), filters.end(), [&](const results::Filter& f) { return f.matches(row); });
  });
  if (!options.sort.empty()) results::sort_rows(rows, options.sort);
  if (options.limit != 0 && rows.size() > options.limit) rows.resize(options.limit);
  std::vector<std::string> columns = options.columns;
  if (columns.empty())
    columns = {"id", "status", "workload", "size", "seed", "gpu", "design", "changes", "cycles", "ipc", "host_seconds"};
  const results::Table table = results::table_of(rows, columns);
  if (options.csv) {
    fmt::print("{}", results::to_csv(table));
  } else if (options.json) {
    fmt::print("{}", results::to_json(table));
  } else {
    fmt::print("{}", results::to_columns(table));
  }
  return kSuccess;
}

}  // namespace

void add_results(CLI::App& app, Action& action) {
  auto options = std::make_shared<ResultsOptions>();
  CLI::App* command = app.add_subcommand("results", "Ask the results database");
  add_database_options(*command, options->database, false);
  command->add_option("filter", options->filters,
                      "Conditions such as workload=bfs, design=power-*, 'cycles>1000', 'gpu.sm.l1_hits<10'");
  command->add_option("--columns", options->columns, "Fields, statistics, parameters, or expressions over them")
      ->delimiter(',');
  command->add_option("--sort", options->sort, "Sort by this column; -NAME: the largest first");
  command->add_option("--limit", options->limit, "Show at most so many runs");
  auto* csv = command->add_flag("--csv", options->csv, "Print as CSV");
  command->add_flag("--json", options->json, "Print as JSON")->excludes(csv);
  command->callback([options, &action] {
    if (!action) action = [options] { return list(*options); };
  });

  CLI::App* diff = command->add_subcommand("diff", "Explain what changed between two runs");
  add_database_options(*diff, options->database, false);
  diff->add_option("A", options->a, "A run: its number, or the beginning of its identity")->required();
  diff->add_option("B", options->b, "Another")->required();
  diff->add_option("--most", options->most, "Show at most so many statistics")->capture_default_str();
  diff->callback([options, &action] {
    action = [options] {
      const auto database = open_results(options->database);
      const results::RunRow a = results::find_run(*database, options->a);
      const results::RunRow b = results::find_run(*database, options->b);
      fmt::print("{}", results::to_text(results::difference(a, b), a, b, options->most));
      return kSuccess;
    };
  });

  CLI::App* merge = command->add_subcommand("merge", "Copy the runs of other databases that are not here yet");
  add_database_options(*merge, options->database, false);
  merge->add_option("FILE", options->files, "Databases to copy from")->required();
  merge->callback([options, &action] {
    action = [options] {
      results::Store store(chosen_file(options->database));
      for (const std::string& file : options->files) fmt::print("{}: {} runs copied\n", file, store.merge(file));
      return kSuccess;
    };
  });
}

}  // namespace heddle::cli
