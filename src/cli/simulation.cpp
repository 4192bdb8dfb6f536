#include "cli/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <iterator>

#include "cli/first_runs.h"
#include "gpu/gpu.h"
#include "runtime/machine.h"
#include "session/energy.h"
#include "session/records.h"
#include "sim/sampler.h"

namespace heddle::cli {
namespace {

/// What is kept over time: where issue slots went, and what moved.
bool is_followed(const std::string& path) {
  static const std::vector<std::string> parts{"sm.instructions", ".slot_",        ".l1_reads",       ".l1_hits",
                                              ".data_bus_busy",  ".mmu.lookups",  ".mmu.misses",     ".walker.walks",
                                              ".walker.active",  ".scavenger.sm", ".sm.application_"};
  return std::any_of(parts.begin(), parts.end(),
                     [&](const std::string& part) { return path.find(part) != std::string::npos; });
}

constexpr std::size_t kMostSamples = 128;

using results::Status;

/// What is kept of the inputs: one as it is; of several, each with its size, and its seed where that is its own.
void describe_inputs(const PreparedRun& run, results::RunDescription& d) {
  d.seed = run.request.seed;
  if (run.applications.size() == 1) {
    const Application& only = run.applications[0];
    d.workload = only.name;
    d.size = only.size;
    d.elements = only.input.elements;
    d.seed = only.input.seed;
    d.program = only.workload->ptx();
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
                             application.input.input, application.workload->ptx());
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

}  // namespace

runtime::Amount parse_amount(const char* option, const std::string& text) {
  runtime::Amount amount;
  if (text.empty()) return amount;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), amount.value);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (error != std::errc() || (!unit.empty() && unit != "instructions" && unit != "cycles") || amount.value == 0) {
    throw UserError(fmt::format("{} {}: must be a number from 1, followed by 'cycles' if it is not warp instructions",
                                option, text));
  }
  amount.unit = unit == "cycles" ? runtime::Amount::Unit::cycles : runtime::Amount::Unit::instructions;
  return amount;
}

PreparedRun prepare(const RunRequest& request) {
  PreparedRun run;
  run.request = request;
  run.applications = parse_applications(request.workload, request.size, request.seed, request.input);
  run.gpu = load_machine(request.machine);
  results::RunDescription& d = run.description;
  describe_inputs(run, d);
  d.mode = request.machine.functional ? "functional" : "timed";
  d.gpu = request.machine.functional ? "" : request.machine.gpu;
  d.design = request.machine.design;
  d.changes = request.machine.changes;
  if (request.phases.given()) {
    if (request.machine.functional)
      throw UserError("--start-kernel, --skip, --warmup and --window need a timed run; leave out --functional");
    if (run.applications.size() > 1)
      throw UserError("--start-kernel, --skip, --warmup and --window are for one application alone");
    d.phases = runtime::text(request.phases);
    d.changes.push_back(fmt::format("phases: {}", d.phases));
  }
  if (run.gpu) {
    for (auto& [path, value] : effective_configuration(*run.gpu)) d.configuration.emplace(path, value);
  }
  d.version = simulator_version();
  d.threads = request.machine.threads;
  return run;
}

results::RunOutcome simulate(const PreparedRun& run, const ProgressFunction& progress, const Inspect& inspect,
                             const Attach& attach) {
  runtime::MachineOptions options;
  options.gpu = run.gpu;
  options.threads = run.request.machine.threads;
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
  for (std::size_t a = 0; a < run.applications.size(); ++a)
    devices.push_back(std::make_unique<runtime::Device>(machine, runtime::Device::Options{}));
  gpu::Gpu* gpu = machine->gpu();
  first_runs = std::make_unique<FirstRuns>(*machine, devices.size());
  if (gpu != nullptr) sampler = std::make_unique<sim::Sampler>(gpu->statistics(), is_followed, kMostSamples);
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
  if (sampler) {
    sampler->finish(gpu->now());
    const auto counters = options.phases.given() ? machine->phases().counted(*gpu) : sim::totals(gpu->statistics());
    for (const auto& [path, total] : counters) outcome.statistics[path] = static_cast<double>(total);
    add_energy(*run.gpu, outcome.statistics);
    for (const sim::Sampler::Series& series : sampler->series())
      outcome.series.push_back({series.path, sampler->ends(), series.growth});
  }
  if (sampler && records.size() > 1) {
    const auto counted = sim::totals(gpu->statistics());
    for (std::size_t a = 0; a < records.size(); ++a) count_apart(counted, a, records[a]);
  }
  first_runs->finish(records, outcome.statistics);
  sum_up(records, outcome);
  if (records.size() > 1) outcome.applications = std::move(records);
  if (inspect) inspect(devices, outcome);
  return outcome;
}

}  // namespace heddle::cli
