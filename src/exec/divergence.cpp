#include "exec/divergence_registry.h"

namespace heddle::exec {

DivergenceFactory divergence_named(const std::string& name,
                                   const std::vector<std::pair<std::string, std::string>>& settings) {
  const auto& entries = DivergenceRegistry::instance().entries();
  const auto found = entries.find(name);
  if (found == entries.end()) throw UserError("there is no divergence '" + name + "'");
  struct Parameters : sim::ParameterGroup {
    using ParameterGroup::ParameterGroup;
    std::unique_ptr<sim::ParameterGroup> own;
  };
  const auto parameters = std::make_shared<Parameters>();
  if (found->second.parameters) parameters->own = found->second.parameters(*parameters);
  for (const auto& [key, value] : settings) parameters->set_text(sim::group_name(name) + "." + key, value);
  return [parameters, &entry = found->second, name](sim::StatisticGroup& statistics) {
    auto unit = entry.make(sim::Context(parameters->own.get(), statistics, sim::group_name(name)));
    unit->keep(parameters);
    return unit;
  };
}

}  // namespace heddle::exec
