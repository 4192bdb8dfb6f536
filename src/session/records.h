// What is kept of a run in the results database, as far as it does not depend on what was run.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "results/record.h"
#include "runtime/device.h"
#include "runtime/phases.h"
#include "session/machine_options.h"
#include "sim/parameter.h"

namespace heddle::session {

/// Every parameter of a machine by path.
[[nodiscard]] std::map<std::string, std::string> effective_configuration(const sim::ParameterGroup& root);
/// What of the simulator can change an outcome: release and a hash over its sources.
[[nodiscard]] std::string simulator_version();
/// Says in the description of a run on what machine it is, and what of it is timed. Throws UserError if phases are
/// given and nothing is timed. `gpu` is nullptr then.
void describe_machine(const MachineOptions& machine, const runtime::Phases& phases, const gpu::GpuParameters* gpu,
                      results::RunDescription& run);
/// A row for each launch of a device.
[[nodiscard]] std::vector<results::KernelRecord> kernel_records(const runtime::Device& device,
                                                                const std::string& application);

}  // namespace heddle::session
