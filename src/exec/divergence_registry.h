// All ways for the lanes of a warp to diverge that are linked in.
#pragma once

#include "exec/divergence.h"
#include "exec/divergence_options.h"
#include "sim/registry.h"

namespace heddle::exec {

using DivergenceRegistry = sim::Registry<Divergence, const DivergenceOptions&>;

/// Throws UserError if there is none of that kind.
[[nodiscard]] std::unique_ptr<Divergence> make_divergence(const DivergenceOptions& options);

}  // namespace heddle::exec
