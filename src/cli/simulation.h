// One run of a bundled workload, from what was asked for to what is kept of it. Every command that runs workloads
// (run, sweep, reproduce) goes through here.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "results/record.h"
#include "runtime/phases.h"
#include "session/machine_options.h"
#include "workloads/workload.h"

namespace heddle::cli {

struct RunRequest {
  std::string workload;
  std::string size = "small";
  std::uint64_t seed = 1;
  MachineOptions machine;
  runtime::Phases phases;  ///< by default all of it is timed and counted
};

/// A request whose names are resolved and checked.
struct PreparedRun {
  RunRequest request;
  const workloads::Workload* workload = nullptr;
  workloads::Request input;
  std::shared_ptr<const gpu::GpuParameters> gpu;
  results::RunDescription description;
};

/// Throws UserError that names what is wrong.
[[nodiscard]] PreparedRun prepare(const RunRequest& request);

/// Called now and then; false stops the run.
using ProgressFunction = std::function<bool(const runtime::Progress&)>;
/// Called when the run has ended, however it ended, while the device is still there.
using Inspect = std::function<void(const runtime::Device&, const results::RunOutcome&)>;

/// Called with the device before the run begins; what it returns is called with the cycle now and then, between quanta.
using Attach = std::function<std::function<void(std::uint64_t)>(runtime::Device&)>;

/// Simulates. Errors of the simulated program become the outcome; mistakes in the request throw UserError.
[[nodiscard]] results::RunOutcome simulate(const PreparedRun& run, const ProgressFunction& progress,
                                           const Inspect& inspect, const Attach& attach = {});

}  // namespace heddle::cli
