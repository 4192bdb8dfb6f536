// What a machine counted, for the record of a run.
#pragma once

#include <memory>

#include "results/record.h"
#include "runtime/machine.h"
#include "sim/sampler.h"

namespace heddle::session {

/// Follows the counters that are kept over time: where issue slots went, and what moved.
[[nodiscard]] std::unique_ptr<sim::Sampler> make_sampler(gpu::Gpu& gpu);
/// Adds the totals of a timed run, or those of its window, its energy, and what was followed.
void add_counters(runtime::Machine& machine, sim::Sampler& sampler, results::RunOutcome& outcome);

}  // namespace heddle::session
