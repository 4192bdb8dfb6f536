#include "results/record.h"

namespace heddle::results {

RunTotals totals_of(const RunOutcome& outcome) {
  RunTotals all;
  for (const KernelRecord& kernel : outcome.kernels) {
    ++all.launches;
    all.cycles += static_cast<std::int64_t>(kernel.cycles);
    all.warp_instructions += static_cast<std::int64_t>(kernel.warp_instructions);
    all.thread_instructions += static_cast<std::int64_t>(kernel.thread_instructions);
  }
  const auto take = [&](const char* counter, std::int64_t& figure) {
    if (const auto found = outcome.statistics.find(counter); found != outcome.statistics.end())
      figure = static_cast<std::int64_t>(found->second);
  };
  // Kernels that ran side by side share cycles: where the machine counted its own, those are the run's.
  take("gpu.cycles", all.cycles);
  if (outcome.status == Status::passed || outcome.status == Status::wrong) return all;
  take("gpu.sm.instructions", all.warp_instructions);
  take("gpu.sm.thread_instructions", all.thread_instructions);
  return all;
}

}  // namespace heddle::results
