#include "results/query.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/suggestion.h"
#include "results/filter.h"
#include "results/is_count.h"

namespace heddle::results {
namespace {

constexpr const char* kSelect =
    "SELECT r.id, r.identity, r.status, r.started, r.ended, r.workload, r.size, r.elements, r.seed, r.mode, r.gpu, "
    "r.design, r.changes, r.version, r.threads, r.host, r.launches, r.cycles, r.warp_instructions, "
    "r.thread_instructions, r.host_seconds, r.detail, r.statistics, c.parameters, r.note, "
    "(SELECT group_concat(tag, ' ') FROM (SELECT tag FROM tags WHERE run = r.id ORDER BY tag)) "
    "FROM runs r JOIN configurations c ON c.hash = r.configuration ";

enum Column : int {
  kId,
  kIdentity,
  kStatus,
  kStarted,
  kEnded,
  kWorkload,
  kSize,
  kElements,
  kSeed,
  kMode,
  kGpu,
  kDesign,
  kChanges,
  kVersion,
  kThreads,
  kHost,
  kLaunches,
  kCycles,
  kWarpInstructions,
  kThreadInstructions,
  kHostSeconds,
  kDetail,
  kStatistics,
  kParameters,
  kNote,
  kTags,
};

std::string join_changes(const std::string& json) {
  std::string joined;
  for (const auto& change : nlohmann::json::parse(json))
    joined += (joined.empty() ? "" : " ") + change.get<std::string>();
  return joined;
}

RunRow read(const Statement& row) {
  RunRow run;
  run.id = row.integer(kId);
  run.identity = row.text(kIdentity);
  const auto text = [&](const char* name, int column) { run.fields[name] = row.text(column); };
  const auto integer = [&](const char* name, int column) {
    run.fields[name] = row.is_null(column) ? Value() : Value(row.integer(column));
  };
  integer("id", kId);
  run.fields["identity"] = run.identity;
  text("status", kStatus);
  text("started", kStarted);
  text("ended", kEnded);
  text("workload", kWorkload);
  text("size", kSize);
  integer("elements", kElements);
  integer("seed", kSeed);
  text("mode", kMode);
  text("gpu", kGpu);
  text("design", kDesign);
  run.fields["changes"] = join_changes(row.text(kChanges));
  text("version", kVersion);
  integer("threads", kThreads);
  text("host", kHost);
  integer("launches", kLaunches);
  integer("cycles", kCycles);
  integer("warp_instructions", kWarpInstructions);
  integer("thread_instructions", kThreadInstructions);
  run.fields["host_seconds"] = row.is_null(kHostSeconds) ? Value() : Value(row.real(kHostSeconds));
  text("detail", kDetail);
  text("note", kNote);
  text("tags", kTags);
  if (!row.is_null(kStatistics))
    run.statistics = nlohmann::json::parse(row.text(kStatistics)).get<std::map<std::string, double>>();
  run.configuration = nlohmann::json::parse(row.text(kParameters)).get<std::map<std::string, std::string>>();
  return run;
}

/// A parameter as the number that it is; others stay texts.
Value typed(const std::string& text) {
  std::int64_t integer = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), integer);
  if (error == std::errc() && end == text.data() + text.size()) return integer;
  if (const auto number = parse_number(text)) return *number;
  return text;
}

}  // namespace

std::string to_text(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *integer);
  if (const auto* real = std::get_if<double>(&value))
    return *real == static_cast<double>(static_cast<std::int64_t>(*real)) ? fmt::format("{:.0f}", *real)
                                                                          : fmt::format("{:.6g}", *real);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return "";
}

std::optional<double> to_number(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* text = std::get_if<std::string>(&value)) return parse_number(*text);
  return std::nullopt;
}

const std::vector<std::string>& field_names() {
  static const std::vector<std::string> names{"id",
                                              "identity",
                                              "status",
                                              "started",
                                              "ended",
                                              "workload",
                                              "size",
                                              "elements",
                                              "seed",
                                              "mode",
                                              "gpu",
                                              "design",
                                              "changes",
                                              "version",
                                              "threads",
                                              "host",
                                              "launches",
                                              "cycles",
                                              "seconds",
                                              "warp_instructions",
                                              "thread_instructions",
                                              "ipc",
                                              "thread_ipc",
                                              "speed",
                                              "host_seconds",
                                              "detail",
                                              "tags",
                                              "note"};
  return names;
}

Value RunRow::get(const std::string& name) const {
  const auto ratio = [&](const char* above, const char* below) -> Value {
    const auto a = to_number(get(above));
    const auto b = to_number(get(below));
    return a && b && *b != 0 ? Value(*a / *b) : Value();
  };
  if (name == "seconds") {
    const auto cycles = to_number(get("cycles"));
    const auto mhz = to_number(get("core_mhz"));
    return cycles && mhz && *mhz != 0 ? Value(*cycles / (*mhz * 1e6)) : Value();
  }
  if (name == "ipc") return ratio("warp_instructions", "cycles");
  if (name == "thread_ipc") return ratio("thread_instructions", "cycles");
  if (name == "speed") return ratio("warp_instructions", "host_seconds");
  if (const auto field = fields.find(name); field != fields.end()) return field->second;
  if (const auto statistic = statistics.find(name); statistic != statistics.end()) {
    return is_count(name) ? Value(static_cast<std::int64_t>(statistic->second)) : Value(statistic->second);
  }
  if (const auto parameter = configuration.find(name); parameter != configuration.end())
    return typed(parameter->second);
  return {};
}

std::optional<double> RunRow::number(const Expression& expression) const {
  return expression.value([this](const std::string& name) { return to_number(get(name)); });
}

std::vector<RunRow> all_runs(const Database& database) {
  std::vector<RunRow> rows;
  Statement select(database, std::string(kSelect) + "ORDER BY r.id");
  while (select.step()) rows.push_back(read(select));
  return rows;
}

namespace {

/// Throws UserError for a name that is no field and that no run of the database has a value of.
void check_names_in(const Database& database, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (std::find(field_names().begin(), field_names().end(), name) != field_names().end()) continue;
    Statement known(database,
                    "SELECT EXISTS (SELECT 1 FROM configurations WHERE json_extract(parameters, ?1) IS NOT NULL) OR "
                    "EXISTS (SELECT 1 FROM runs WHERE json_extract(statistics, ?1) IS NOT NULL)");
    known.bind(1, json_path(name)).step();
    if (known.integer(0) != 0) continue;
    Statement newest(database, std::string(kSelect) + "ORDER BY r.statistics IS NULL, r.id DESC LIMIT 1");
    if (newest.step()) check_names({name}, {read(newest)});
  }
}

}  // namespace

std::vector<RunRow> select_runs(const Database& database, const std::vector<std::string>& conditions) {
  std::vector<Filter> filters;
  filters.reserve(conditions.size());
  for (const std::string& text : conditions) filters.emplace_back(text);
  std::string sql(kSelect);
  std::vector<SqlCondition> asked;
  for (const Filter& filter : filters) {
    check_names_in(database, filter.names());
    if (auto condition = filter.sql()) {
      sql += (asked.empty() ? "WHERE " : "AND ") + condition->text + " ";
      asked.push_back(std::move(*condition));
    }
  }
  Statement select(database, sql + "ORDER BY r.id");
  int parameter = 0;
  for (const SqlCondition& condition : asked) {
    for (const auto& value : condition.values) {
      ++parameter;
      std::visit([&](const auto& one) { select.bind(parameter, one); }, value);
    }
  }
  std::vector<RunRow> rows;
  while (select.step()) {
    RunRow row = read(select);
    // What the database has let through may be more than the condition means.
    if (std::all_of(filters.begin(), filters.end(), [&](const Filter& filter) { return filter.matches(row); }))
      rows.push_back(std::move(row));
  }
  return rows;
}

RunRow find_run(const Database& database, const std::string& name) {
  if (const auto number = parse_number(name); number && name.size() < 16) {
    Statement select(database, std::string(kSelect) + "WHERE r.id = ?");
    select.bind(1, static_cast<std::int64_t>(*number));
    if (select.step()) return read(select);
  }
  constexpr std::size_t kLeastDigits = 4;
  if (name.size() >= kLeastDigits) {
    Statement select(database, std::string(kSelect) + "WHERE substr(r.identity, 1, ?) = ? ORDER BY r.id DESC");
    select.bind(1, static_cast<std::int64_t>(name.size())).bind(2, name);
    if (select.step()) {
      RunRow found = read(select);
      while (select.step()) {
        if (select.text(kIdentity) != found.identity)
          throw UserError(fmt::format("'{}' begins the identity of several different runs: give more digits", name));
      }
      return found;
    }
  }
  throw UserError(
      fmt::format("there is no run '{}': give a number or at least four digits of an identity "
                  "(see: heddle results --columns id,identity,workload,gpu)",
                  name));
}

std::map<std::string, RunRow> passed_runs(const Database& database, const std::set<std::string>& identities) {
  std::map<std::string, RunRow> found;
  Statement select(database,
                   std::string(kSelect) + "WHERE r.identity = ? AND r.status = 'passed' ORDER BY r.id DESC LIMIT 1");
  for (const std::string& identity : identities) {
    select.bind(1, identity);
    if (select.step()) found[identity] = read(select);
    select.reset();
  }
  return found;
}

std::vector<KernelRecord> kernels_of(const Database& database, const RunRow& run) {
  std::vector<KernelRecord> kernels;
  Statement select(database,
                   "SELECT name, application, stream, grid, block, cycles, warp_instructions, thread_instructions, "
                   "host_seconds, counters FROM kernels WHERE run = ? ORDER BY number");
  select.bind(1, run.id);
  while (select.step()) {
    KernelRecord kernel;
    kernel.name = select.text(0);
    kernel.application = select.text(1);
    kernel.stream = static_cast<std::uint64_t>(select.integer(2));
    kernel.grid = select.text(3);
    kernel.block = select.text(4);
    kernel.cycles = static_cast<std::uint64_t>(select.integer(5));
    kernel.warp_instructions = static_cast<std::uint64_t>(select.integer(6));
    kernel.thread_instructions = static_cast<std::uint64_t>(select.integer(7));
    kernel.host_seconds = select.real(8);
    const auto values = nlohmann::json::parse(select.text(9));
    std::size_t next = 0;
    std::map<std::string, std::uint64_t> counters;
    for (const auto& [name, total] : run.statistics) {
      if (next == values.size()) break;
      if (const nlohmann::json& value = values[next++]; !value.is_null()) counters[name] = value;
    }
    kernel.counters = counters;
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

std::vector<ApplicationRow> applications_of(const Database& database, std::int64_t run) {
  std::vector<ApplicationRow> applications;
  Statement select(database,
                   "SELECT application, launches, cycles, warp_instructions, statistics FROM applications "
                   "WHERE run = ? ORDER BY application");
  select.bind(1, run);
  while (select.step()) {
    applications.push_back({select.text(0), select.integer(1), select.integer(2), select.integer(3),
                            nlohmann::json::parse(select.text(4)).get<std::map<std::string, double>>()});
  }
  return applications;
}

std::vector<SeriesRecord> series_of(const Database& database, std::int64_t run) {
  std::vector<SeriesRecord> series;
  Statement select(database, "SELECT counter, ends, growth FROM series WHERE run = ? ORDER BY counter");
  select.bind(1, run);
  while (select.step()) {
    series.push_back({select.text(0), nlohmann::json::parse(select.text(1)).get<std::vector<std::uint64_t>>(),
                      nlohmann::json::parse(select.text(2)).get<std::vector<std::uint64_t>>()});
  }
  return series;
}

std::vector<LineRecord> lines_of(const Database& database, std::int64_t run) {
  std::vector<LineRecord> lines;
  Statement select(database, "SELECT kernel, file, line, text, counts FROM lines WHERE run = ? ORDER BY number");
  select.bind(1, run);
  while (select.step()) {
    lines.push_back({select.text(0), select.text(1), static_cast<std::uint32_t>(select.integer(2)), select.text(3),
                     nlohmann::json::parse(select.text(4)).get<std::map<std::string, std::uint64_t>>()});
  }
  return lines;
}

std::vector<FindingRecord> findings_of(const Database& database, std::int64_t run) {
  std::vector<FindingRecord> findings;
  Statement select(database, "SELECT kind, kernel, place, text, times FROM findings WHERE run = ? ORDER BY number");
  select.bind(1, run);
  while (select.step()) {
    findings.push_back({select.text(0), select.text(1), select.text(2), select.text(3),
                        static_cast<std::uint64_t>(select.integer(4))});
  }
  return findings;
}

void check_names(const std::vector<std::string>& names, const std::vector<RunRow>& rows) {
  for (const std::string& name : names) {
    if (std::find(field_names().begin(), field_names().end(), name) != field_names().end()) continue;
    const bool known = std::any_of(rows.begin(), rows.end(), [&](const RunRow& row) {
      return row.statistics.contains(name) || row.configuration.contains(name);
    });
    if (known || rows.empty()) continue;
    std::vector<std::string> all = field_names();
    for (const auto& [statistic, total] : rows[0].statistics) all.push_back(statistic);
    for (const auto& [parameter, value] : rows[0].configuration) all.push_back(parameter);
    const std::string meant = nearest(name, all);
    throw UserError(fmt::format(
        "no run has a figure '{}'{}: it must be a statistic (see: heddle stats; instance numbers left out), a "
        "parameter (see: heddle params) or one of {}",
        name, meant.empty() ? "" : fmt::format(" (did you mean '{}'?)", meant), fmt::join(field_names(), ", ")));
  }
}

}  // namespace heddle::results
