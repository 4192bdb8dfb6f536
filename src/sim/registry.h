// Plug points: named implementations of an interface, each registering itself from its own file.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/diagnostics.h"

namespace heddle::sim {

/// All implementations of Interface that are linked in. Constructor arguments are the same for all of them.
template <typename Interface, typename... Arguments>
class Registry {
 public:
  using Factory = std::function<std::unique_ptr<Interface>(Arguments...)>;
  struct Entry {
    std::string description;
    Factory make;
  };

  static Registry& instance() {
    static Registry registry;
    return registry;
  }

  bool add(std::string name, std::string description, Factory make) {
    const bool is_new = entries_.emplace(name, Entry{std::move(description), std::move(make)}).second;
    HEDDLE_CHECK(is_new, "two implementations are called '" + name + "'");
    return true;
  }
  [[nodiscard]] std::unique_ptr<Interface> make(const std::string& name, Arguments... arguments) const {
    const auto found = entries_.find(name);
    if (found == entries_.end()) {
      std::string known;
      for (const auto& [other, entry] : entries_) known += (known.empty() ? "" : ", ") + other;
      throw UserError("there is no '" + name + "' (known: " + known + ")");
    }
    return found->second.make(arguments...);
  }
  [[nodiscard]] const std::map<std::string, Entry>& entries() const { return entries_; }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& [name, entry] : entries_) all.push_back(name);
    return all;
  }

 private:
  std::map<std::string, Entry> entries_;
};

}  // namespace heddle::sim
