// All ways for the lanes of a warp to diverge that are linked in.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "exec/divergence.h"
#include "sim/registry.h"
#include "sim/statistic.h"

namespace heddle::exec {

using DivergenceRegistry = sim::Registry<DivergenceUnit>;

/// Makes the unit of an SM, or of a launch that no SM runs; its statistics appear in the group.
using DivergenceFactory = std::function<std::unique_ptr<DivergenceUnit>(sim::StatisticGroup&)>;

/// Units of that name; `settings` are values for parameters of its own. Throws UserError if there is no such unit or
/// parameter.
[[nodiscard]] DivergenceFactory divergence_named(const std::string& name,
                                                 const std::vector<std::pair<std::string, std::string>>& settings = {});

}  // namespace heddle::exec
