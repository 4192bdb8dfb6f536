// The summary a person reads after a run.
#pragma once

#include "runtime/device.h"
#include "workloads/workload.h"

namespace heddle::cli {

/// 1234567 as "1,234,567".
[[nodiscard]] std::string grouped(std::uint64_t value);
/// Prints what the launches of a workload on a device did; one more line per launch if `kernels`.
void print_summary(const runtime::Device& device, double seconds, const workloads::Workload& workload, bool kernels);

}  // namespace heddle::cli
