// Plug points: named implementations of an interface, each registering itself from its own file.
//
//   class TwoLevel final : public WarpScheduler {
//    public:
//     struct Parameters : sim::ParameterGroup { ... };   // if it has any: they appear as sm.two_level.*
//     struct Statistics : sim::StatisticGroup { ... };   // if it counts: constructed from the context
//     explicit TwoLevel(const sim::Context& context);    // or TwoLevel(), if it needs neither
//   };
//   [[maybe_unused]] const bool kRegisteredTwoLevel = SchedulerRegistry::instance().add<TwoLevel>("two-level",
//                                                                                              "Two-level: ...");
//
// The constant is named after the file: files of a room may be compiled together.
//
// The part that has the plug point declares a Plug among its parameters: the choice, and the groups of all that can be
// chosen.
#pragma once

#include <algorithm>
#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/check.h"
#include "base/diagnostics.h"
#include "sim/context.h"
#include "sim/parameter.h"

namespace heddle::sim {

/// What the group of a mechanism is called: "two-level" as "two_level", so that expressions over statistics can name
/// it.
[[nodiscard]] inline std::string group_name(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// All implementations of Interface that are linked in. Beside its context each is made from the same arguments.
template <typename Interface, typename... Arguments>
class Registry {
 public:
  using Made = Interface;
  struct Entry {
    std::string description;
    /// Makes the mechanism's group of parameters inside another; empty if it has none.
    std::function<std::unique_ptr<ParameterGroup>(ParameterGroup& parent)> parameters;
    std::function<std::unique_ptr<Interface>(const Context&, Arguments...)> make;
  };

  static Registry& instance() {
    static Registry registry;
    return registry;
  }

  /// Registers Mechanism, which is constructed from (context, arguments...), (context), (arguments...) or nothing.
  template <std::derived_from<Interface> Mechanism>
  bool add(const std::string& name, const std::string& description) {
    Entry entry{description, {}, make<Mechanism>};
    if constexpr (requires { typename Mechanism::Parameters; }) {
      entry.parameters = [name, description](ParameterGroup& parent) {
        return std::make_unique<typename Mechanism::Parameters>(parent, group_name(name),
                                                                "Parameters of '" + name + "': " + description);
      };
    }
    const bool is_new = entries_.emplace(name, std::move(entry)).second;
    HEDDLE_CHECK(is_new, "two implementations are called '" + name + "'");
    return true;
  }
  [[nodiscard]] const std::map<std::string, Entry>& entries() const { return entries_; }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& [name, entry] : entries_) all.push_back(name);
    return all;
  }

 private:
  template <typename Mechanism>
  static std::unique_ptr<Interface> make(const Context& context, Arguments... arguments) {
    if constexpr (std::is_constructible_v<Mechanism, const Context&, Arguments...>) {
      return std::make_unique<Mechanism>(context, arguments...);
    } else if constexpr (std::is_constructible_v<Mechanism, const Context&>) {
      return std::make_unique<Mechanism>(context);
    } else if constexpr (std::is_constructible_v<Mechanism, Arguments...>) {
      return std::make_unique<Mechanism>(arguments...);
    } else {
      return std::make_unique<Mechanism>();
    }
  }

  std::map<std::string, Entry> entries_;
};

/// A plug point as a part of the machine declares it among its parameters: which implementation, and each one's own
/// parameters in a group beside the choice.
template <typename Registry>
class Plug {
 public:
  /// `also`: names that stand for none of them; who declares the plug says what they mean and uses make_as().
  Plug(ParameterGroup& group, std::string key, std::string initial, std::string description,
       std::vector<std::string> also = {})
      : choice_(group, std::move(key), std::move(initial), with_all_names(std::move(also)), std::move(description)) {
    for (const auto& [name, entry] : Registry::instance().entries()) {
      if (entry.parameters) parameters_.emplace(name, entry.parameters(group));
    }
  }

  [[nodiscard]] const std::string& get() const { return choice_.get(); }
  [[nodiscard]] bool is(std::string_view name) const { return choice_.is(name); }
  /// The chosen implementation. Its statistics appear in `statistics` under its name; `instance` ("[2]") tells several
  /// of one part apart.
  template <typename... Arguments>
  [[nodiscard]] std::unique_ptr<typename Registry::Made> make(StatisticGroup& statistics, const std::string& instance,
                                                              Arguments&&... arguments) const {
    return make_as(choice_.get(), statistics, instance, std::forward<Arguments>(arguments)...);
  }
  /// The implementation of that name, with its parameters as they are set here.
  template <typename... Arguments>
  [[nodiscard]] std::unique_ptr<typename Registry::Made> make_as(const std::string& name, StatisticGroup& statistics,
                                                                 const std::string& instance,
                                                                 Arguments&&... arguments) const {
    const auto own = parameters_.find(name);
    const Context context(own == parameters_.end() ? nullptr : own->second.get(), statistics,
                          group_name(name) + instance);
    return Registry::instance().entries().at(name).make(context, std::forward<Arguments>(arguments)...);
  }

 private:
  [[nodiscard]] static std::vector<std::string> with_all_names(std::vector<std::string> names) {
    for (std::string& name : Registry::instance().names()) names.push_back(std::move(name));
    return names;
  }

  Choice choice_;
  std::map<std::string, std::unique_ptr<ParameterGroup>> parameters_;
};

}  // namespace heddle::sim
