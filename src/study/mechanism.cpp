#include "study/mechanism.h"

#include <fmt/format.h>

#include <set>

#include "study/toml_reader.h"

namespace heddle::study {

std::string_view to_string(BuildState state) {
  switch (state) {
    case BuildState::built:
      return "built";
    case BuildState::partly:
      return "partly";
    case BuildState::not_built:
      return "not built";
  }
  return "";
}

namespace {

BuildState read_state(TomlTable& table) {
  const std::string text = table.text("state");
  for (const BuildState state : {BuildState::built, BuildState::partly, BuildState::not_built}) {
    if (text == to_string(state)) return state;
  }
  table.error("state", "must be \"built\", \"partly\" or \"not built\"");
  return BuildState::not_built;
}

}  // namespace

std::vector<Mechanism> parse_mechanisms(const std::string& text, const std::string& name) {
  const toml::table parsed = parse_toml(text, name);
  Diagnostics diagnostics(name);
  TomlTable file(parsed, "", diagnostics);
  (void)file.text("paper");
  std::vector<Mechanism> mechanisms;
  std::set<std::string> ids;
  for (const toml::table* table : file.tables("mechanism")) {
    TomlTable entry(*table, "mechanism", diagnostics);
    Mechanism mechanism;
    mechanism.id = entry.text("id");
    mechanism.says = entry.text("says");
    mechanism.state = read_state(entry);
    mechanism.source = entry.text("source", "");
    mechanism.test = entry.text("test", "");
    mechanism.reason = entry.text("reason", "");
    if (!ids.insert(mechanism.id).second) entry.error("id", fmt::format("'{}' is there twice", mechanism.id));
    const bool there = mechanism.state != BuildState::not_built;
    if (there && mechanism.source.empty()) entry.error("id", "what is built names its source");
    if (there && mechanism.test.empty()) entry.error("id", "what is built names the test that shows it");
    if (mechanism.state != BuildState::built && mechanism.reason.empty())
      entry.error("id", "what is not built, or not all of it, says the reason");
    entry.finish();
    mechanisms.push_back(std::move(mechanism));
  }
  file.finish();
  diagnostics.throw_if_errors();
  return mechanisms;
}

}  // namespace heddle::study
