#include "exec/divergence_registry.h"
#include "sim/statistic.h"

namespace heddle::exec {

std::unique_ptr<Divergence> make_divergence(const DivergenceOptions& options) {
  const auto& entries = DivergenceRegistry::instance().entries();
  const auto found = entries.find(options.kind);
  if (found == entries.end()) throw UserError("there is no divergence '" + options.kind + "'");
  // Blocks come and go, and run without an SM as well: what a divergence counts has no place in a machine's statistics.
  sim::StatisticGroup nowhere(options.kind);
  return found->second.make(sim::Context(nullptr, nowhere, options.kind), options);
}

}  // namespace heddle::exec
