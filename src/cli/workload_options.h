// Naming workloads and sizes on the command line.
#pragma once

#include <cstdint>
#include <string>

#include "workloads/workload.h"

namespace heddle::cli {

/// The workload of that name. Throws UserError that lists those there are.
[[nodiscard]] const workloads::Workload& find_workload(const std::string& name);
/// A named size or a number. Throws UserError that says what is allowed.
[[nodiscard]] std::uint64_t resolve_size(const workloads::Workload& workload, const std::string& text);

}  // namespace heddle::cli
