// heddle results: asking the results database.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>

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
  std::vector<std::string> runs;
  std::string text;
  bool list = false;
};

std::string chosen_file(const DatabaseOptions& options) {
  std::string file = options.file();
  if (file.empty()) throw UserError("there is no results database: name one with --db");
  return file;
}

/// Opens for reading. Runs whose process is gone are marked first, where the file can be written.
std::unique_ptr<results::Database> open_to_read(const DatabaseOptions& options) {
  const std::string file = chosen_file(options);
  auto database = results::open_results(file);
  if (database->lacks_log())
    fmt::print(stderr, "note: {} may only be read, and its log cannot be: the newest runs may be missing\n", file);
  try {
    results::Store(file).mark_killed();
  } catch (const results::DatabaseError&) {
    // Only readable: what is there is shown as it is.
  }
  return database;
}

/// The numbers of runs that are named one by one, or by conditions as in 'heddle results'.
std::vector<std::int64_t> chosen_runs(const results::Database& database, const std::vector<std::string>& names) {
  std::vector<std::int64_t> found;
  std::vector<std::string> conditions;
  for (const std::string& name : names) {
    if (name.find_first_of("=<>") != std::string::npos) {
      conditions.push_back(name);
    } else {
      found.push_back(results::find_run(database, name).id);
    }
  }
  if (!conditions.empty()) {
    for (const results::RunRow& row : results::select_runs(database, conditions)) found.push_back(row.id);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::string runs_text(std::size_t count) { return fmt::format("{} run{}", count, count == 1 ? "" : "s"); }

int list(const ResultsOptions& options) {
  const auto database = open_to_read(options.database);
  std::vector<results::RunRow> rows = results::select_runs(*database, options.filters);
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

int tag(const ResultsOptions& options, bool remove) {
  const std::string file = chosen_file(options.database);
  const std::vector<std::int64_t> runs = chosen_runs(*results::open_results(file), options.runs);
  results::Store store(file);
  for (const std::int64_t run : runs) {
    if (remove) {
      store.untag(run, options.text);
    } else {
      store.tag(run, options.text);
    }
  }
  fmt::print("{} {} '{}'\n", runs_text(runs.size()), remove ? "without" : "tagged", options.text);
  return kSuccess;
}

int note(const ResultsOptions& options) {
  const std::string file = chosen_file(options.database);
  const std::int64_t run = results::find_run(*results::open_results(file), options.a).id;
  results::Store(file).note(run, options.text);
  fmt::print("run {}: {}\n", run, options.text.empty() ? "no note" : options.text);
  return kSuccess;
}

int erase(const ResultsOptions& options) {
  const auto database = open_to_read(options.database);
  const std::vector<std::int64_t> runs = chosen_runs(*database, options.runs);
  if (options.list) {
    std::vector<results::RunRow> rows;
    rows.reserve(runs.size());
    for (const std::int64_t run : runs) rows.push_back(results::find_run(*database, fmt::format("{}", run)));
    fmt::print("{}", results::to_columns(results::table_of(rows, {"id", "status", "workload", "size", "seed", "gpu",
                                                                  "design", "changes", "cycles", "tags", "note"})));
    return kSuccess;
  }
  results::Store(chosen_file(options.database)).erase(runs);
  fmt::print("{} deleted\n", runs_text(runs.size()));
  return kSuccess;
}

void add_changes(CLI::App& command, const std::shared_ptr<ResultsOptions>& options, Action& action) {
  constexpr const char* kWhich = "Runs: numbers, beginnings of identities, or conditions";
  for (const bool remove : {false, true}) {
    CLI::App* tags =
        command.add_subcommand(remove ? "untag" : "tag", remove ? "Take a tag from runs" : "Give runs a tag");
    add_database_options(*tags, options->database, false);
    tags->add_option("NAME", options->text, "The tag: letters, digits and _ - . :")->required();
    tags->add_option("RUN", options->runs, kWhich)->required();
    tags->callback([options, remove, &action] { action = [options, remove] { return tag(*options, remove); }; });
  }
  CLI::App* notes = command.add_subcommand("note", "Give a run a note; an empty one takes it away");
  add_database_options(*notes, options->database, false);
  notes->add_option("RUN", options->a, "A run: its number, or the beginning of its identity")->required();
  notes->add_option("TEXT", options->text, "The note")->required();
  notes->callback([options, &action] { action = [options] { return note(*options); }; });
  CLI::App* gone = command.add_subcommand("delete", "Delete runs with all that is kept of them");
  add_database_options(*gone, options->database, false);
  gone->add_option("RUN", options->runs, kWhich)->required();
  gone->add_flag("--list", options->list, "Only list what would be deleted");
  gone->callback([options, &action] { action = [options] { return erase(*options); }; });
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
      const auto database = open_to_read(options->database);
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
  add_changes(*command, options, action);
}

}  // namespace heddle::cli
