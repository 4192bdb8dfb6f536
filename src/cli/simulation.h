// One run of a bundled workload, or of several that share the GPU, from what was asked for to what is kept of it. Every
// command that runs workloads (run, sweep, reproduce) goes through here.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/workload_options.h"
#include "results/record.h"
#include "runtime/phases.h"
#include "session/machine_options.h"
#include "session/phase_options.h"

namespace heddle::cli {

struct RunRequest {
  std::string program;             ///< a compiled program and its arguments, in the place of workloads; empty: none
  std::vector<std::string> reads;  ///< files that this program reads
  std::string workload;            ///< or several: as parse_applications() reads it
  std::string size = "small";      ///< of applications that name none
  std::uint64_t seed = 1;          ///< likewise
  std::string input;               ///< likewise; empty: each workload's own
  MachineOptions machine;
  runtime::Phases phases;  ///< by default all of it is timed and counted
};

/// A request whose names are resolved and checked.
struct PreparedRun {
  RunRequest request;
  std::vector<Application> applications;  ///< none: a compiled program
  std::shared_ptr<const gpu::GpuParameters> gpu;
  results::RunDescription description;
};

/// How a person would name it: "bfs small seed 1", "./saxpy 1000".
[[nodiscard]] std::string name_of_input(const RunRequest& request);
/// Throws UserError that names what is wrong.
[[nodiscard]] PreparedRun prepare(const RunRequest& request);

/// Called now and then; false stops the run.
using ProgressFunction = std::function<bool(const runtime::Progress&)>;
/// What the applications of a run had: one device each, in their order, on one machine.
using Devices = std::vector<std::unique_ptr<runtime::Device>>;
/// Called when the run has ended, however it ended, while the devices are still there.
using Inspect = std::function<void(const Devices&, const results::RunOutcome&)>;

/// Called with the GPU (nullptr if nothing is timed) before the run begins; what it returns is called with the cycle
/// now and then, between quanta.
using Attach = std::function<std::function<void(std::uint64_t)>(gpu::Gpu*)>;

/// Simulates workloads. Errors of the simulated program become the outcome; mistakes in the request throw UserError.
[[nodiscard]] results::RunOutcome simulate(const PreparedRun& run, const ProgressFunction& progress,
                                           const Inspect& inspect, const Attach& attach = {});

}  // namespace heddle::cli
