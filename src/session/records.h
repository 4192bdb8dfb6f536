// What is kept of a run in the results database, as far as it does not depend on what was run.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "results/record.h"
#include "runtime/device.h"
#include "session/machine_options.h"
#include "sim/parameter.h"

namespace heddle::session {

/// Every parameter of a machine by path.
[[nodiscard]] std::map<std::string, std::string> effective_configuration(const sim::ParameterGroup& root);
/// What of the simulator can change an outcome: release and a hash over its sources.
[[nodiscard]] std::string simulator_version();
/// A row for each launch of a device.
[[nodiscard]] std::vector<results::KernelRecord> kernel_records(const runtime::Device& device,
                                                                const std::string& application);

}  // namespace heddle::session
