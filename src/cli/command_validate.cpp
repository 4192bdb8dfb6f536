// heddle validate: the kernels that were measured on a real GPU, simulated, and how far that is off.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "base/files.h"
#include "base/kernel_name.h"
#include "cli/commands.h"
#include "cli/program_runs.h"
#include "cli/run_pool.h"
#include "results/report.h"
#include "session/machine.h"
#include "study/validation.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using study::MeasuredKernel;
using study::ValidatedKernel;

struct ValidateOptions {
  ValidateOptions() { machine.gpu = "h200"; }
  std::string data;
  MachineOptions machine;
  DatabaseOptions database;
  std::string programs;
  std::vector<std::string> only;
  std::string output;
  std::string table;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
};

constexpr std::size_t kWorst = 10;

std::string data_folder(const ValidateOptions& options) {
  if (!options.data.empty()) return options.data;
  return (fs::path(session::preset_folder()).parent_path() / "validation" / fs::path(options.machine.gpu).stem())
      .string();
}

study::KernelFigures figures_of(const results::KernelRecord& kernel, const gpu::GpuParameters& gpu) {
  const auto count = [&](const char* path) { return static_cast<double>(kernel.counters.get(path).value_or(0)); };
  return {static_cast<double>(kernel.cycles), count("gpu.sm.issue_slots"), count("gpu.l2.sectors"),
          (count("gpu.dram.reads") + count("gpu.dram.writes")) * gpu.dram.burst_bytes()};
}

/// What was simulated of each program, by its name and size.
using Launches = std::map<std::pair<std::string, std::string>, std::vector<results::KernelRecord>>;

/// Whether the workload and the size are still there.
bool is_known(const study::Point& point) {
  try {
    (void)parse_applications(point.workload, point.size, point.seed);
    return true;
  } catch (const UserError&) {
    return false;
  }
}

void simulate_workloads(const std::vector<MeasuredKernel>& measured, const ValidateOptions& options,
                        Launches& launches) {
  std::vector<study::Point> points;
  std::set<std::pair<std::string, std::string>> seen;
  for (const MeasuredKernel& kernel : measured) {
    if (kernel.kind != MeasuredKernel::Kind::workload || !seen.insert({kernel.program, kernel.size}).second) continue;
    study::Point point;
    point.workload = kernel.program;
    point.size = kernel.size;
    point.gpu = options.machine.gpu;
    point.design = options.machine.design;
    point.changes = options.machine.changes;
    if (is_known(point)) points.push_back(point);
  }
  const std::string database = options.database.file();
  if (database.empty()) throw UserError("validate needs a results database: name one with --db");
  const std::vector<PlannedRun> runs = plan(points);
  const std::vector<PlannedRun> left = missing(runs, database);
  const PoolResult result = run_all(left, {"validate", database, options.jobs, false, ""});
  for (const std::string& message : result.messages) fmt::print(stderr, "{}\n", message);
  if (result.interrupted) throw UserError("stopped; the runs that have ended are kept");
  std::set<std::string> identities;
  for (const PlannedRun& run : runs) identities.insert(run.identity);
  const auto opened = results::open_results(database);
  const auto found = results::passed_runs(*opened, identities);
  for (const PlannedRun& run : runs) {
    if (const auto row = found.find(run.identity); row != found.end())
      launches[{run.request.workload, run.request.size}] = results::kernels_of(*opened, row->second);
  }
}

void simulate_programs(const std::vector<MeasuredKernel>& measured, const ValidateOptions& options,
                       Launches& launches) {
  std::set<std::string> names;
  for (const MeasuredKernel& kernel : measured) {
    if (kernel.kind == MeasuredKernel::Kind::program) names.insert(kernel.program);
  }
  if (names.empty()) return;
  if (options.programs.empty()) {
    fmt::print("{} compiled programs are left out: name their folder with --programs\n", names.size());
    return;
  }
  ProgramRuns runs =
      run_programs(options.programs, std::vector(names.begin(), names.end()), options.machine, options.jobs);
  for (const std::string& failure : runs.failures) fmt::print(stderr, "{}\n", failure);
  for (auto& [name, kernels] : runs.kernels) launches[{name, ""}] = std::move(kernels);
}

std::uint64_t blocks_of(const results::KernelRecord& kernel) {
  std::uint64_t product = 1;
  std::istringstream in(kernel.grid);
  for (std::string part; std::getline(in, part, 'x');) product *= std::stoull(part);
  return product;
}

/// Those that were simulated as they were measured. Programs that failed or whose launches are others now are in
/// `changed`.
std::vector<ValidatedKernel> join(const std::vector<MeasuredKernel>& measured, const Launches& launches,
                                  const gpu::GpuParameters& gpu, bool with_programs, std::set<std::string>& changed) {
  std::vector<ValidatedKernel> joined;
  for (const MeasuredKernel& kernel : measured) {
    const auto program = launches.find({kernel.program, kernel.size});
    if (program == launches.end()) {
      if (kernel.kind == MeasuredKernel::Kind::workload || with_programs) changed.insert(kernel.program);
      continue;
    }
    const bool same = kernel.launch < program->second.size() &&
                      program->second[kernel.launch].name == kernel_name(kernel.kernel) &&
                      blocks_of(program->second[kernel.launch]) == kernel.blocks;
    if (same) {
      joined.push_back({kernel, figures_of(program->second[kernel.launch], gpu)});
    } else {
      changed.insert(kernel.program);
    }
  }
  return joined;
}

results::Table summary_of(const std::vector<ValidatedKernel>& all) {
  results::Table table;
  table.columns = {"kernels of",  "kernels",     "mean error %",       "median error %",
                   "correlation", "within 15 %", "off by two or more", "instructions, here / measured"};
  const auto add = [&](const char* name, auto&& wanted) {
    std::vector<ValidatedKernel> some;
    std::copy_if(all.begin(), all.end(), std::back_inserter(some), wanted);
    const study::Accuracy a = study::accuracy(some);
    const auto digits = [](double value, double scale) { return std::round(value * scale) / scale; };
    table.rows.push_back({std::string(name), static_cast<std::int64_t>(a.kernels), digits(100 * a.mean_error, 10),
                          digits(100 * a.median_error, 10), digits(a.correlation, 1000),
                          static_cast<std::int64_t>(a.close), static_cast<std::int64_t>(a.far),
                          digits(a.instructions, 100)});
  };
  add("fitting half", [](const ValidatedKernel& k) { return study::for_fitting(k.measured.program); });
  add("test half", [](const ValidatedKernel& k) { return !study::for_fitting(k.measured.program); });
  add("both", [](const ValidatedKernel&) { return true; });
  return table;
}

results::Table table_of(std::vector<ValidatedKernel> kernels, std::size_t most) {
  // A factor of two is as far off in either direction.
  const auto distance = [](const ValidatedKernel& k) { return std::abs(std::log(k.ratio())); };
  std::sort(kernels.begin(), kernels.end(), [&](const auto& a, const auto& b) { return distance(a) > distance(b); });
  results::Table table;
  table.columns = {"program",
                   "kernel",
                   "launch",
                   "half",
                   "cycles measured",
                   "here",
                   "ratio",
                   "instructions ratio",
                   "L2 sectors ratio",
                   "DRAM bytes measured",
                   "here "};
  const auto ratio = [](double here, double there) -> results::Value {
    if (there == 0) return {};
    return std::round(100 * here / there) / 100;
  };
  for (std::size_t k = 0; k < std::min(most, kernels.size()); ++k) {
    const study::KernelFigures& there = kernels[k].measured.figures;
    const study::KernelFigures& here = kernels[k].simulated;
    table.rows.push_back({kernels[k].measured.program, kernels[k].measured.kernel,
                          static_cast<std::int64_t>(kernels[k].measured.launch),
                          std::string(study::for_fitting(kernels[k].measured.program) ? "fitting" : "test"),
                          static_cast<std::int64_t>(there.cycles), static_cast<std::int64_t>(here.cycles),
                          ratio(here.cycles, there.cycles), ratio(here.instructions, there.instructions),
                          ratio(here.l2_sectors, there.l2_sectors), static_cast<std::int64_t>(there.dram_bytes),
                          static_cast<std::int64_t>(here.dram_bytes)});
  }
  return table;
}

results::ScatterSection scatter_of(const std::vector<ValidatedKernel>& kernels) {
  results::ScatterSection scatter{"Cycles, measured and simulated",
                                  "One point per kernel launch, on logarithmic axes; on the line, both are equal.",
                                  "cycles measured",
                                  "cycles simulated",
                                  {{"fitting half", {}}, {"test half", {}}}};
  for (const ValidatedKernel& kernel : kernels) {
    const std::size_t half = study::for_fitting(kernel.measured.program) ? 0 : 1;
    scatter.series[half].points.push_back({kernel.measured.figures.cycles, kernel.simulated.cycles,
                                           fmt::format("{} {}", kernel.measured.program, kernel.measured.kernel)});
  }
  return scatter;
}

void write_report(const ValidateOptions& options, const std::string& folder,
                  const std::vector<ValidatedKernel>& kernels) {
  results::Report report(fmt::format("{} against hardware", options.machine.gpu),
                         fmt::format("{} kernel launches of {}", kernels.size(), folder));
  report.add(results::TableSection{"Error", "Of cycles, relative to those measured.", summary_of(kernels), false});
  report.add(scatter_of(kernels));
  report.add(results::TableSection{"The worst", "With the counters that say why.", table_of(kernels, kWorst), false});
  report.add(results::TableSection{"All kernels", "", table_of(kernels, kernels.size()), true});
  write_file("--output", options.output, report.html());
}

int validate(const ValidateOptions& options) {
  const std::string folder = data_folder(options);
  std::vector<MeasuredKernel> measured = study::read_measurements(folder);
  if (!options.only.empty()) {
    std::erase_if(measured, [&](const MeasuredKernel& kernel) {
      return std::find(options.only.begin(), options.only.end(), kernel.program) == options.only.end();
    });
    if (measured.empty()) throw UserError(fmt::format("--only: no kernel of these programs is in {}", folder));
  }
  const auto gpu = load_machine(options.machine);
  Launches launches;
  simulate_workloads(measured, options, launches);
  simulate_programs(measured, options, launches);
  std::set<std::string> changed;
  const std::vector<ValidatedKernel> kernels = join(measured, launches, *gpu, !options.programs.empty(), changed);
  if (!changed.empty())
    fmt::print("left out, because they failed or what they launch is not what was measured: {}\n",
               fmt::join(changed, ", "));
  if (kernels.empty()) throw UserError("no kernel that was measured could be simulated");
  fmt::print("{}\n", results::to_columns(summary_of(kernels)));
  fmt::print("the worst\n{}", results::to_columns(table_of(kernels, kWorst)));
  if (!options.output.empty()) write_report(options, folder, kernels);
  if (!options.table.empty()) write_file("--csv", options.table, results::to_csv(table_of(kernels, kernels.size())));
  return changed.empty() ? kSuccess : kFailure;
}

}  // namespace

void add_validate(CLI::App& app, Action& action) {
  auto options = std::make_shared<ValidateOptions>();
  CLI::App* command =
      app.add_subcommand("validate", "Simulate the kernels that were measured on a real GPU, and compare");
  command->add_option("data", options->data, "Folder with measurements; default: validation/GPU of the project");
  add_gpu_options(*command, options->machine);
  add_database_options(*command, options->database, false);
  command->add_option("--programs", options->programs, "Folder with the compiled programs that were measured");
  command->add_option("--only", options->only, "Only the kernels of these workloads or programs")->delimiter(',');
  command->add_option("--jobs", options->jobs, "Runs at a time")->capture_default_str()->check(CLI::Range(1, 1024));
  command->add_option("-o,--output", options->output, "Write a report with a scatter plot to this HTML file");
  command->add_option("--csv", options->table, "Write every kernel to this file");
  command->callback([options, &action] { action = [options] { return validate(*options); }; });
}

}  // namespace heddle::cli
