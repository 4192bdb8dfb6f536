// Asking the database: runs as rows of figures.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "results/database.h"
#include "results/expression.h"
#include "results/record.h"

namespace heddle::results {

/// A figure of a run: nothing where it has none.
using Value = std::variant<std::monostate, std::int64_t, double, std::string>;
[[nodiscard]] std::string to_text(const Value& value);
[[nodiscard]] std::optional<double> to_number(const Value& value);

/// One run with all its figures.
struct RunRow {
  std::int64_t id = 0;
  std::string identity;
  std::map<std::string, Value> fields;               ///< id, status, workload, cycles, ...: see field_names()
  std::map<std::string, double> statistics;          ///< by counter path, "gpu.sm.l1_hits"
  std::map<std::string, std::string> configuration;  ///< by parameter path, "sm.l1.kib"

  /// A field, a statistic, a parameter, or a short name: seconds (simulated), ipc, thread_ipc, speed.
  [[nodiscard]] Value get(const std::string& name) const;
  [[nodiscard]] std::optional<double> number(const Expression& expression) const;
};

/// The names that are fields of a run, in the order of a table.
[[nodiscard]] const std::vector<std::string>& field_names();

/// Every run, oldest first.
[[nodiscard]] std::vector<RunRow> all_runs(const Database& database);
/// The runs that fit every condition, oldest first. Throws UserError for a name that no run knows.
[[nodiscard]] std::vector<RunRow> select_runs(const Database& database, const std::vector<std::string>& conditions);
/// The run of that number or whose identity begins so; the newest of several with the same identity. Throws UserError.
[[nodiscard]] RunRow find_run(const Database& database, const std::string& name);
/// The newest passed run of each of these identities.
[[nodiscard]] std::map<std::string, RunRow> passed_runs(const Database& database,
                                                        const std::set<std::string>& identities);
/// The launches of a run.
[[nodiscard]] std::vector<KernelRecord> kernels_of(const Database& database, const RunRow& run);
/// What the launches of one application of a run add up to.
struct ApplicationRow {
  std::string name;
  std::int64_t launches = 0;
  std::int64_t cycles = 0;  ///< 0: not timed
  std::int64_t warp_instructions = 0;
  std::map<std::string, double> statistics;  ///< those that are known of the application alone
};
[[nodiscard]] std::vector<ApplicationRow> applications_of(const Database& database, std::int64_t run);
/// The time series of a run.
[[nodiscard]] std::vector<SeriesRecord> series_of(const Database& database, std::int64_t run);
/// The profile of a run, and what checks found in it; empty if there is none.
[[nodiscard]] std::vector<LineRecord> lines_of(const Database& database, std::int64_t run);
[[nodiscard]] std::vector<FindingRecord> findings_of(const Database& database, std::int64_t run);

/// Throws UserError unless each name is a field, or a statistic or parameter of at least one of the rows.
void check_names(const std::vector<std::string>& names, const std::vector<RunRow>& rows);

}  // namespace heddle::results
