// The Python module's part in C++: run, mix, sweep, query. python/heddle/__init__.py makes it pleasant.
#include <fmt/format.h>
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "cli/mix.h"
#include "cli/run_pool.h"
#include "cli/simulation.h"
#include "cli/spare_database.h"
#include "results/is_count.h"
#include "results/query.h"
#include "results/store.h"
#include "session/checks.h"
#include "session/phase_options.h"
#include "session/program.h"
#include "session/recorder.h"
#include "session/records.h"
#include "study/sweep_file.h"

namespace py = pybind11;

namespace {

using namespace heddle;

py::object to_python(const results::Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return py::int_(*integer);
  if (const auto* real = std::get_if<double>(&value)) return py::float_(*real);
  if (const auto* text = std::get_if<std::string>(&value)) {
    if (*text == "true" || *text == "false") return py::bool_(*text == "true");
    return py::str(*text);
  }
  return py::none();
}

std::string file_of(const std::string& database) {
  session::DatabaseOptions options;
  options.path = database;
  return options.file();
}

/// Counters are whole numbers, other figures are not.
py::dict to_python(const std::map<std::string, double>& statistics) {
  py::dict made;
  for (const auto& [name, value] : statistics) {
    made[py::str(name)] = results::is_count(name) ? py::object(py::int_(static_cast<std::int64_t>(value)))
                                                  : py::object(py::float_(value));
  }
  return made;
}

py::list to_python(const std::vector<results::KernelRecord>& kernels) {
  py::list made;
  for (const results::KernelRecord& kernel : kernels) {
    py::dict one;
    one["name"] = kernel.name;
    one["application"] = kernel.application;
    one["stream"] = kernel.stream;
    one["grid"] = kernel.grid;
    one["block"] = kernel.block;
    one["cycles"] = kernel.cycles;
    one["warp_instructions"] = kernel.warp_instructions;
    one["thread_instructions"] = kernel.thread_instructions;
    one["host_seconds"] = kernel.host_seconds;
    one["statistics"] = kernel.counters.all();
    made.append(one);
  }
  return made;
}

py::list to_python(const std::vector<results::FindingRecord>& findings) {
  py::list made;
  for (const results::FindingRecord& finding : findings) {
    py::dict one;
    one["kind"] = finding.kind;
    one["kernel"] = finding.kernel;
    one["place"] = finding.place;
    one["times"] = finding.times;
    one["text"] = finding.text;
    made.append(one);
  }
  return made;
}

session::MachineOptions machine_of(const std::string& gpu, const std::string& design,
                                   const std::vector<std::string>& changes, unsigned threads, bool functional,
                                   const std::string& check) {
  session::MachineOptions machine;
  machine.gpu = gpu;
  machine.design = design;
  machine.changes = changes;
  machine.threads = threads;
  machine.functional = functional;
  machine.check = check;
  return machine;
}

py::dict run(const cli::RunRequest& request, const std::string& database) {
  const bool functional = request.machine.functional;
  const cli::PreparedRun prepared = cli::prepare(request);
  session::DatabaseOptions options;
  options.path = database;
  session::Recorder recorder(options, prepared.description);
  results::RunOutcome outcome;
  {
    py::gil_scoped_release others_may_run;
    // Ctrl-C in an interpreter: asked now and then.
    const auto progress = [](const runtime::Progress&) {
      const py::gil_scoped_acquire ask;
      return PyErr_CheckSignals() == 0;
    };
    outcome = cli::simulate(prepared, progress, {});
  }
  recorder.finish(outcome);
  if (PyErr_Occurred() != nullptr) throw py::error_already_set();
  const results::RunTotals totals = results::totals_of(outcome);
  py::dict made;
  made["run"] = recorder.run();
  made["identity"] = results::identity(prepared.description);
  made["status"] = std::string(results::to_string(outcome.status));
  made["detail"] = outcome.detail;
  made["host_seconds"] = outcome.host_seconds;
  made["cycles"] = functional ? py::object(py::none()) : py::object(py::int_(totals.cycles));
  made["warp_instructions"] = totals.warp_instructions;
  made["thread_instructions"] = totals.thread_instructions;
  made["statistics"] = to_python(outcome.statistics);
  made["kernels"] = to_python(outcome.kernels);
  py::list applications;
  for (const results::ApplicationRecord& application : outcome.applications) {
    py::dict one;
    one["name"] = application.name;
    one["status"] = std::string(results::to_string(application.status));
    one["detail"] = application.detail;
    one["cycles"] = functional ? py::object(py::none()) : py::object(py::int_(application.cycles));
    one["statistics"] = application.counters;
    applications.append(one);
  }
  made["applications"] = applications;
  made["findings"] = to_python(outcome.findings);
  return made;
}

/// The newest run of this identity in a database; nothing if there is none.
std::optional<results::RunRow> newest(const std::string& database, const std::string& identity) {
  const results::Database open(database, results::Database::Access::read);
  std::optional<results::RunRow> found;
  for (results::RunRow& row : results::all_runs(open)) {
    if (results::to_text(row.get("identity")) == identity) found = std::move(row);
  }
  return found;
}

/// A compiled program in a process of its own; the database that it writes to may be for this once. A run that is
/// checked is always made: that it has passed before says nothing about faults.
py::dict run_program(const cli::RunRequest& request, const std::string& database) {
  const std::string file = file_of(database);
  const bool checked = !request.machine.check.empty();
  static_cast<void>(session::parse_checks(request.machine.check));
  const cli::SpareDatabase spare;
  const std::string used = file.empty() || checked ? spare.path() : file;
  const cli::PlannedRun planned{request, results::identity(cli::prepare(request).description)};
  const cli::PoolResult result = cli::run_all({planned}, {"", used, 1, true, "", 0});
  const std::optional<results::RunRow> row = newest(used, planned.identity);
  const results::Database open(used, results::Database::Access::read);
  const auto findings = row ? results::findings_of(open, row->id) : std::vector<results::FindingRecord>();
  if (!result.messages.empty() && findings.empty()) throw UserError(result.messages.front());
  if (!row || (result.passed == 0 && findings.empty())) throw UserError(fmt::format("{}: stopped", request.program));
  py::dict made;
  made["run"] = file.empty() ? 0 : row->id;
  if (checked && !file.empty()) {
    results::Store(file).merge(used);
    made["run"] = newest(file, planned.identity)->id;
  }
  for (const char* field :
       {"identity", "status", "detail", "host_seconds", "cycles", "warp_instructions", "thread_instructions"})
    made[field] = to_python(row->get(field));
  made["statistics"] = to_python(row->statistics);
  made["kernels"] = to_python(results::kernels_of(open, *row));
  made["applications"] = py::list();
  made["findings"] = to_python(findings);
  return made;
}

py::dict mix(cli::MixRequest& request, const std::vector<std::string>& changes, const std::string& database) {
  request.run.machine.changes = changes;
  request.database = file_of(database);
  if (request.database.empty()) throw UserError("a mix needs a results database");
  request.quiet = true;
  if (request.alone.empty()) request.alone = request.run.machine.design;
  const cli::MixResult result = cli::run_mix(request);
  py::dict made;
  py::list applications;
  for (std::size_t a = 0; a < result.applications.size(); ++a) {
    py::dict one;
    one["name"] = std::string(result.applications[a].name);
    one["sms"] = result.split[a];
    one["ipc_alone"] = result.metrics.alone[a];
    one["ipc_shared"] = result.metrics.shared[a];
    applications.append(one);
  }
  made["applications"] = applications;
  for (const std::string& name : cli::sharing_figures()) {
    const auto figure = cli::sharing_figure(result.metrics, name);
    const std::string key = name.substr(std::string_view("mix.").size());
    made[py::str(key)] = figure ? py::object(py::float_(*figure)) : py::object(py::none());
  }
  made["statistics"] = to_python(result.shared.statistics);
  return made;
}

py::dict sweep(const std::string& text, const std::string& name, unsigned jobs, const std::string& database) {
  const study::Sweep read = study::parse_sweep(text, name);
  const std::vector<cli::PlannedRun> runs = cli::plan(read.points);
  const std::string file = file_of(database);
  if (file.empty()) throw UserError("a sweep needs a results database");
  const std::vector<cli::PlannedRun> left = cli::missing(runs, file);
  const cli::PoolResult result = cli::run_all(left, {read.name, file, jobs, false, "", runs.size() - left.size()});
  py::dict made;
  made["runs"] = runs.size();
  made["passed"] = result.passed;
  made["failed"] = result.failed;
  made["left"] = result.left;
  made["messages"] = result.messages;
  std::vector<std::string> identities;
  identities.reserve(runs.size());
  for (const cli::PlannedRun& one : runs) identities.push_back(one.identity);
  made["identities"] = identities;
  return made;
}

py::list query(const std::vector<std::string>& conditions, const std::vector<std::string>& columns,
               const std::string& database) {
  const std::vector<results::RunRow> rows = results::select_runs(*results::open_results(file_of(database)), conditions);
  std::vector<results::Expression> expressions;
  std::vector<std::string> names;
  for (const std::string& column : columns) {
    expressions.emplace_back(column);
    for (const std::string& one : expressions.back().names()) names.push_back(one);
  }
  results::check_names(names, rows);
  py::list made;
  for (const results::RunRow& row : rows) {
    py::dict one;
    if (columns.empty()) {
      for (const std::string& field : results::field_names()) one[py::str(field)] = to_python(row.get(field));
    }
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const auto single = expressions[c].single_name();
      const auto number = single ? std::nullopt : row.number(expressions[c]);
      one[py::str(columns[c])] = single   ? to_python(row.get(*single))
                                 : number ? py::object(py::float_(*number))
                                          : py::object(py::none());
    }
    made.append(one);
  }
  return made;
}

}  // namespace

PYBIND11_MODULE(_heddle, m) {
  m.doc() = "Heddle: runs, sweeps and results.";
  py::register_exception<UserError>(m, "HeddleError", PyExc_ValueError);
  py::class_<session::PhaseOptions>(m, "Phases")
      .def(py::init<>())
      .def_readwrite("start_kernel", &session::PhaseOptions::first_launch)
      .def_readwrite("skip", &session::PhaseOptions::skip)
      .def_readwrite("warmup", &session::PhaseOptions::warmup)
      .def_readwrite("window", &session::PhaseOptions::window)
      .def_readwrite("kernels", &session::PhaseOptions::kernels);
  m.def(
      "run",
      [](const std::string& workload, const std::string& size, std::uint64_t seed, const std::string& gpu,
         const std::string& design, const std::vector<std::string>& changes, unsigned threads, bool functional,
         const session::PhaseOptions& phases, const std::string& database, const std::string& check) {
        cli::RunRequest request;
        request.workload = workload;
        request.size = size;
        request.seed = seed;
        request.machine = machine_of(gpu, design, changes, threads, functional, check);
        request.phases = phases.phases();
        return run(request, database);
      },
      py::arg("workload"), py::arg("size"), py::arg("seed"), py::arg("gpu"), py::arg("design"), py::arg("changes"),
      py::arg("threads"), py::arg("functional"), py::arg("phases"), py::arg("database"), py::arg("check"));
  m.def(
      "run_program",
      [](const std::string& program, const std::string& gpu, const std::string& design,
         const std::vector<std::string>& changes, unsigned threads, bool functional,
         const session::PhaseOptions& phases, const std::string& database, const std::string& check,
         const std::vector<std::string>& reads) {
        cli::RunRequest request;
        request.program = program;
        request.reads = reads;
        request.machine = machine_of(gpu, design, changes, threads, functional, check);
        request.phases = phases.phases();
        return run_program(request, database);
      },
      py::arg("program"), py::arg("gpu"), py::arg("design"), py::arg("changes"), py::arg("threads"),
      py::arg("functional"), py::arg("phases"), py::arg("database"), py::arg("check"), py::arg("reads"));
  m.def("join_words", [](const std::vector<std::string>& words) { return session::join_words(words); });
  m.def(
      "mix",
      [](const std::string& workload, const std::string& size, std::uint64_t seed, const std::string& gpu,
         const std::string& design, const std::vector<std::string>& changes, const std::string& sharing, double target,
         const std::string& split, const std::string& alone, unsigned jobs, const std::string& database) {
        cli::MixRequest request;
        request.run.workload = workload;
        request.run.size = size;
        request.run.seed = seed;
        request.run.machine.gpu = gpu;
        request.run.machine.design = design;
        request.sharing = sharing;
        request.target = target;
        request.split = split;
        request.alone = alone;
        request.jobs = jobs;
        return mix(request, changes, database);
      },
      py::arg("workload"), py::arg("size"), py::arg("seed"), py::arg("gpu"), py::arg("design"), py::arg("changes"),
      py::arg("sharing"), py::arg("target"), py::arg("split"), py::arg("alone"), py::arg("jobs"), py::arg("database"));
  m.def("sweep", &sweep, py::arg("text"), py::arg("name"), py::arg("jobs"), py::arg("database"));
  m.def("query", &query, py::arg("conditions"), py::arg("columns"), py::arg("database"));
  m.def("version", &session::simulator_version);
}
