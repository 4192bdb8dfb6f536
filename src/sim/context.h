// What a mechanism gets of its own: the parameters it declared, and a place for its statistics.
#pragma once

#include <string>
#include <utility>

#include "base/check.h"
#include "sim/parameter.h"

namespace heddle::sim {

class StatisticGroup;

class Context {
 public:
  /// `statistics` is the group of the part that the mechanism is plugged into; `name` what its own group there is
  /// called.
  Context(const ParameterGroup* parameters, StatisticGroup& statistics, std::string name)
      : parameters_(parameters), statistics_(&statistics), name_(std::move(name)) {}

  /// The mechanism's parameters, of the type that it declares as Parameters.
  template <typename Parameters>
  [[nodiscard]] const Parameters& parameters() const {
    const auto* own = dynamic_cast<const Parameters*>(parameters_);
    HEDDLE_CHECK(own != nullptr, "'" + name_ + "' declares no parameters of the type it asks for");
    return *own;
  }
  [[nodiscard]] StatisticGroup& statistics() const { return *statistics_; }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  const ParameterGroup* parameters_;
  StatisticGroup* statistics_;
  std::string name_;
};

}  // namespace heddle::sim
