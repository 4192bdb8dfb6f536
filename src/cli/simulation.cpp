#include "cli/simulation.h"

#include <fmt/format.h>

#include <chrono>

#include "cli/workload_options.h"
#include "gpu/gpu.h"
#include "runtime/machine.h"
#include "session/records.h"
#include "sim/sampler.h"

namespace heddle::cli {
namespace {

/// What is kept over time: where issue slots went, and what moved.
bool is_followed(const std::string& path) {
  static const std::vector<std::string> parts{"sm.instructions", ".slot_",         ".l1_reads",
                                              ".l1_hits",        ".data_bus_busy", ".mmu.lookups",
                                              ".mmu.misses",     ".walker.walks",  ".walker.active"};
  return std::any_of(parts.begin(), parts.end(),
                     [&](const std::string& part) { return path.find(part) != std::string::npos; });
}

constexpr std::size_t kMostSamples = 128;

}  // namespace

PreparedRun prepare(const RunRequest& request) {
  PreparedRun run;
  run.request = request;
  run.workload = &find_workload(request.workload);
  run.input.elements = resolve_size(*run.workload, request.size);
  run.input.seed = request.seed;
  run.gpu = load_machine(request.machine);
  results::RunDescription& d = run.description;
  d.workload = request.workload;
  d.size = request.size;
  d.elements = run.input.elements;
  d.seed = request.seed;
  d.mode = request.machine.functional ? "functional" : "timed";
  d.program = run.workload->ptx();
  d.gpu = request.machine.functional ? "" : request.machine.gpu;
  d.design = request.machine.design;
  d.changes = request.machine.changes;
  if (request.phases.given()) {
    if (request.machine.functional)
      throw UserError("--start-kernel, --skip, --warmup and --window need a timed run; leave out --functional");
    d.changes.push_back(fmt::format("phases: {}", runtime::text(request.phases)));
  }
  if (run.gpu) d.configuration = effective_configuration(*run.gpu);
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
  std::unique_ptr<sim::Sampler> sampler;
  std::function<void(std::uint64_t)> follow;
  options.progress = [&](const runtime::Progress& now) {
    if (sampler) sampler->offer(now.cycles);
    if (follow) follow(now.cycles);
    return !progress || progress(now);
  };
  const auto begin = std::chrono::steady_clock::now();
  runtime::Device device(std::make_shared<runtime::Machine>(options), runtime::Device::Options{});
  if (device.gpu() != nullptr)
    sampler = std::make_unique<sim::Sampler>(device.gpu()->statistics(), is_followed, kMostSamples);
  if (attach) follow = attach(device);
  results::RunOutcome outcome;
  try {
    const workloads::Outcome result = run.workload->run(device, run.input);
    outcome.status = result.passed ? results::Status::passed : results::Status::wrong;
    outcome.detail = result.detail;
  } catch (const runtime::Interrupted& stop) {
    outcome.status = results::Status::interrupted;
    outcome.detail = stop.what();
  } catch (const runtime::LaunchError& error) {
    outcome.status = results::Status::error;
    outcome.detail = error.what();
  }
  outcome.host_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  outcome.kernels = kernel_records(device, run.request.workload);
  if (sampler) {
    sampler->finish(device.gpu()->now());
    const auto counters = options.phases.given() ? device.machine().phases().counted(*device.gpu())
                                                 : sim::totals(device.gpu()->statistics());
    for (const auto& [path, total] : counters) outcome.statistics[path] = static_cast<double>(total);
    for (const sim::Sampler::Series& series : sampler->series())
      outcome.series.push_back({series.path, sampler->ends(), series.growth});
  }
  if (inspect) inspect(device, outcome);
  return outcome;
}

}  // namespace heddle::cli
