// The summary a person reads after a run.
#pragma once

#include <cstdio>
#include <functional>
#include <string>

#include "runtime/device.h"

namespace heddle::session {

/// 1234567 as "1,234,567".
[[nodiscard]] std::string grouped(std::uint64_t value);
/// Turns a kernel's name into what is printed.
using KernelName = std::function<std::string(const std::string&)>;
/// Prints what the launches of a device did; one more line per launch if `kernels`.
void print_summary(const runtime::Device& device, double seconds, bool kernels, std::FILE* out = stdout,
                   const KernelName& name = {});

}  // namespace heddle::session
