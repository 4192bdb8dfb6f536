// Whether an empty SM can take a thread block at all.
#pragma once

#include <string>

#include "core/parameters.h"
#include "exec/launch.h"

namespace heddle::core {

/// What of the block does not fit on an empty SM, and by how much; empty if it fits.
[[nodiscard]] std::string misfit(const SmParameters& sm, const exec::LaunchConfig& config);

}  // namespace heddle::core
