// The summary a person reads after a run.
#pragma once

#include <cstdio>

#include "runtime/device.h"

namespace heddle::session {

/// 1234567 as "1,234,567".
[[nodiscard]] std::string grouped(std::uint64_t value);
/// Prints what the launches of a device did; one more line per launch if `kernels`.
void print_summary(const runtime::Device& device, double seconds, bool kernels, std::FILE* out = stdout);

}  // namespace heddle::session
