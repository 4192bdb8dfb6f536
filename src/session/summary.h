// The summary a person reads after a run.
#pragma once

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "results/highlights.h"
#include "results/record.h"
#include "runtime/device.h"

namespace heddle::session {

using results::grouped;
/// Turns a kernel's name into what is printed.
using KernelName = std::function<std::string(const std::string&)>;
/// Prints what the launches of devices on one machine did; one more line per launch if `kernels`.
void print_summary(const std::vector<const runtime::Device*>& devices, double seconds, bool kernels,
                   std::FILE* out = stdout, const KernelName& name = {});
/// Prints a line for each of several applications: what it did, and its share of what the machine counts apart.
void print_applications(const std::vector<const runtime::Device*>& devices,
                        const std::vector<results::ApplicationRecord>& applications, std::FILE* out = stdout);

}  // namespace heddle::session
