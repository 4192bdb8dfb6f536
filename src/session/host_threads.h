// How many host threads a run gets that asks for none.
#pragma once

#include "gpu/parameters.h"
#include "session/machine_options.h"

namespace heddle::session {

/// Those that the options name; else HEDDLE_THREADS; else as many as help: one for every four SMs, not more than there
/// are processors for this process. One without timing, and where programs are checked. Throws UserError if
/// HEDDLE_THREADS is no number of threads.
[[nodiscard]] unsigned host_threads(const MachineOptions& options, const gpu::GpuParameters* gpu);

/// Processors that this process may keep busy: those that it may run on, or less where a control group allows it so
/// much time only. `group_folder`: where the control group's files are.
[[nodiscard]] unsigned usable_processors(const std::string& group_folder = "/sys/fs/cgroup");

}  // namespace heddle::session
