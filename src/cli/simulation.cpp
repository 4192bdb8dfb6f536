#include "cli/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <set>
#include <span>

#include "cli/captured_program.h"
#include "cli/exec_program.h"
#include "cli/first_runs.h"
#include "gpu/gpu.h"
#include "runtime/machine.h"
#include "session/checks.h"
#include "session/host_threads.h"
#include "session/outcome.h"
#include "session/program.h"
#include "session/records.h"

namespace heddle::cli {
namespace {

using results::Status;

/// What the GPU runs.
std::string code_of(const Application& application) {
  const CapturedProgram* program = as_program(application.workload);
  return program != nullptr ? program->identity() : std::string(application.workload->ptx());
}

/// What is kept of the inputs: one as it is; of several, each with its size, and its seed where that is its own.
void describe_inputs(const PreparedRun& run, results::RunDescription& d) {
  d.seed = run.request.seed;
  if (run.applications.size() == 1) {
    const Application& only = run.applications[0];
    d.workload = only.name;
    d.size = only.size;
    d.elements = only.input.elements;
    d.seed = only.input.seed;
    d.program = code_of(only);
    if (only.input.input != only.workload->input("")) d.configuration["input"] = only.input.input;
    return;
  }
  for (const Application& application : run.applications) {
    const char* separator = d.workload.empty() ? "" : "+";
    d.workload += fmt::format("{}{}", separator, application.workload->name());
    d.size += fmt::format("{}{}", separator, application.size);
    const bool other_input = application.input.input != application.workload->input("");
    if (application.input.seed != d.seed || other_input) d.size += fmt::format(":{}", application.input.seed);
    d.elements += application.input.elements;
    if (other_input) d.size += fmt::format(":{}", application.input.input);
    d.program += fmt::format("{} {} {} {}\n{}\n", application.name, application.input.elements, application.input.seed,
                             application.input.input, code_of(application));
  }
}

/// Runs one application to its end, however that comes.
void run_application(const Application& application, runtime::Device& device, results::ApplicationRecord& record) {
  record.name = application.name;
  try {
    const workloads::Outcome result = application.workload->run(device, application.input);
    record.status = result.passed ? Status::passed : Status::wrong;
    record.detail = result.detail;
  } catch (const runtime::Interrupted& stop) {
    record.status = Status::interrupted;
    record.detail = stop.what();
  } catch (const runtime::LaunchError& error) {
    record.status = Status::error;
    record.detail = error.what();
  }
  for (const runtime::LaunchStatistics& launch : device.launches())
    record.cycles = std::max(record.cycles, launch.ended_at);
}

/// Side by side; mistakes in the use of the simulator are thrown when all have ended.
void run_together(const PreparedRun& run, const Devices& devices, FirstRuns& first_runs,
                  std::vector<results::ApplicationRecord>& records) {
  std::vector<std::exception_ptr> failures(devices.size());
  std::vector<std::function<void()>> programs;
  for (std::size_t a = 0; a < devices.size(); ++a) {
    programs.emplace_back([&, a] {
      try {
        first_runs.run(
            a, *devices[a], [&] { run_application(run.applications[a], *devices[a], records[a]); },
            [&] { (void)run.applications[a].workload->run(*devices[a], run.applications[a].input); });
      } catch (...) {
        failures[a] = std::current_exception();
        devices[a]->machine().fail(failures[a]);  // the others would wait for it
      }
    });
  }
  devices[0]->machine().run_together(programs);
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

/// What all of them together came to: passed only if each has. A failure that stopped all of them is said once.
void sum_up(const std::vector<results::ApplicationRecord>& records, results::RunOutcome& outcome) {
  const auto rank = [](const results::ApplicationRecord& record) {
    constexpr std::array kFromBest{Status::passed, Status::wrong, Status::interrupted, Status::error};
    return std::find(kFromBest.begin(), kFromBest.end(), record.status) - kFromBest.begin();
  };
  const auto worst = std::max_element(records.begin(), records.end(),
                                      [&](const auto& one, const auto& other) { return rank(one) < rank(other); });
  outcome.status = worst->status;
  const bool same = std::all_of(records.begin(), records.end(),
                                [&](const auto& record) { return record.detail == records[0].detail; });
  if (same) {
    outcome.detail = records[0].detail;
    return;
  }
  for (const results::ApplicationRecord& record : records)
    outcome.detail += fmt::format("{}{}: {}", outcome.detail.empty() ? "" : "; ", record.name, record.detail);
}

/// A program in which checks found something has not passed.
void judge_checks(const runtime::Device& device, results::RunOutcome& outcome) {
  const runtime::CheckReport report = device.check_report();
  add_findings(device, outcome);
  if (report.total == 0 || outcome.status != Status::passed) return;
  outcome.status = Status::wrong;
  outcome.detail = summary_of(report);
}

/// What the file of a program is, read once.
results::RunDescription prepare_program(const RunRequest& request, const gpu::GpuParameters* gpu) {
  const std::vector<std::string> words = split_words(request.program);
  if (words.empty()) throw UserError("programs: one is empty");
  const std::string file = find_program(words.front());
  static std::set<std::string> checked;
  if (!checked.contains(file)) check_program(file);
  checked.insert(file);
  return describe_program(file, std::filesystem::absolute(file).lexically_normal().string(),
                          std::span(words).subspan(1), request.reads, request.machine, request.phases, gpu);
}

}  // namespace

std::string name_of_input(const RunRequest& request) {
  if (!request.program.empty()) return request.program;
  std::string name = fmt::format("{} {} seed {}", request.workload, request.size, request.seed);
  if (!request.input.empty()) name += " input " + request.input;
  return name;
}

PreparedRun prepare(const RunRequest& request) {
  PreparedRun run;
  run.request = request;
  if (!request.program.empty()) {
    run.gpu = load_machine(request.machine);
    run.description = prepare_program(request, run.gpu.get());
    return run;
  }
  static_cast<void>(parse_checks(request.machine.check));
  run.applications = parse_applications(request.workload, request.size, request.seed, request.input);
  run.gpu = load_machine(request.machine);
  results::RunDescription& d = run.description;
  describe_inputs(run, d);
  if (request.phases.given() && run.applications.size() > 1)
    throw UserError("--start-kernel, --skip, --warmup, --window and --kernels are for one application alone");
  describe_machine(request.machine, request.phases, run.gpu.get(), d);
  return run;
}

results::RunOutcome simulate(const PreparedRun& run, const ProgressFunction& progress, const Inspect& inspect,
                             const Attach& attach) {
  runtime::MachineOptions options;
  options.gpu = run.gpu;
  const exec::CheckKinds checks = parse_checks(run.request.machine.check);
  options.threads = checks.any() ? 1 : host_threads(run.request.machine, run.gpu.get());
  options.profile = run.request.machine.profile;
  options.phases = run.request.phases;
  options.limits = run.request.machine.limits;
  options.applications = static_cast<unsigned>(run.applications.size());
  std::unique_ptr<sim::Sampler> sampler;
  std::function<void(std::uint64_t)> follow;
  std::unique_ptr<FirstRuns> first_runs;
  options.progress = [&](const runtime::Progress& now) {
    if (sampler) sampler->offer(now.cycles);
    if (follow) follow(now.cycles);
    return first_runs->go_on(now.cycles) && (!progress || progress(now));
  };
  const auto begin = std::chrono::steady_clock::now();
  const auto machine = std::make_shared<runtime::Machine>(options);
  Devices devices;
  for (const Application& application : run.applications) {
    runtime::Device::Options device;
    device.checks = checks;
    device.keep_going = as_program(application.workload) != nullptr;  // a program may have kernels that it never runs
    devices.push_back(std::make_unique<runtime::Device>(machine, device));
  }
  gpu::Gpu* gpu = machine->gpu();
  first_runs = std::make_unique<FirstRuns>(*machine, devices.size());
  if (gpu != nullptr) sampler = make_sampler(*gpu);
  if (attach) follow = attach(gpu);
  std::vector<results::ApplicationRecord> records(devices.size());
  if (devices.size() == 1) {
    first_runs->run(
        0, *devices[0], [&] { run_application(run.applications[0], *devices[0], records[0]); }, [] {});
  } else {
    run_together(run, devices, *first_runs, records);
  }
  results::RunOutcome outcome;
  outcome.host_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (std::size_t a = 0; a < devices.size(); ++a) {
    std::vector<results::KernelRecord> kernels = kernel_records(*devices[a], run.applications[a].name);
    kernels.resize(std::min(kernels.size(), first_runs->launches(a)));
    std::move(kernels.begin(), kernels.end(), std::back_inserter(outcome.kernels));
  }
  if (sampler) add_counters(*machine, *sampler, outcome);
  if (sampler && records.size() > 1) {
    const auto counted = sim::totals(gpu->statistics());
    for (std::size_t a = 0; a < records.size(); ++a) count_apart(counted, a, records[a]);
  }
  first_runs->finish(records, outcome.statistics);
  sum_up(records, outcome);
  for (const auto& device : devices) judge_checks(*device, outcome);
  if (records.size() > 1) outcome.applications = std::move(records);
  if (inspect) inspect(devices, outcome);
  return outcome;
}

}  // namespace heddle::cli
