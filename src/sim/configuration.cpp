// From TOML text to parameters (toml++ reads the syntax).
#include "sim/configuration.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <sstream>
#include <unordered_map>

#include "base/toml.h"

namespace heddle::sim {

namespace {

std::optional<std::string> contents(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

/// Loads a file and what it extends; keeps the messages of every file.
class Loader {
 public:
  explicit Loader(const PresetFinder& find) : find_(find) {}

  void load_file(ParameterGroup& group, const std::string& path) {
    const std::optional<std::string> text = contents(path);
    if (!text) throw UserError(fmt::format("{}: cannot be read", path));
    Diagnostics diagnostics(path);
    if (const auto table = parsed_file(*text, diagnostics))
      load(group, *table, path, std::filesystem::path(path).parent_path(), diagnostics);
    messages_ += diagnostics.text();
  }

  void load_text(ParameterGroup& group, std::string_view text, const std::string& name) {
    Diagnostics diagnostics(name);
    if (const std::optional<toml::table> table = parse_toml(text, diagnostics))
      load(group, *table, name, std::nullopt, diagnostics);
    messages_ += diagnostics.text();
  }

  void finish() {
    if (messages_.empty()) return;
    messages_.pop_back();  // the last newline
    throw UserError(messages_);
  }

 private:
  /// Planning a sweep reads the same few files again and again: those without mistakes are kept.
  static std::shared_ptr<const toml::table> parsed_file(const std::string& text, Diagnostics& diagnostics) {
    static std::mutex mutex;
    static std::unordered_map<std::string, std::shared_ptr<const toml::table>> known;  // by text
    const std::scoped_lock lock(mutex);
    if (const auto found = known.find(text); found != known.end()) return found->second;
    std::optional<toml::table> table = parse_toml(text, diagnostics);
    if (!table) return nullptr;
    return known[text] = std::make_shared<const toml::table>(std::move(*table));
  }
  void load(ParameterGroup& group, const toml::table& table, const std::string& name,
            const std::optional<std::filesystem::path>& folder, Diagnostics& diagnostics) {
    open_.push_back(name);
    apply(group, table, folder, diagnostics, /*top=*/true);
    open_.pop_back();
  }
  void apply(ParameterGroup& group, const toml::table& table, const std::optional<std::filesystem::path>& folder,
             Diagnostics& diagnostics, bool top) {
    if (const toml::node* base = table.get("extends")) extend(group, *base, folder, diagnostics);
    for (const auto& [key, node] : table) {
      if (key.str() == "extends" || (top && key.str() == "description")) continue;
      try {
        apply_key(group, std::string(key.str()), node, folder, diagnostics);
      } catch (const UserError& error) {
        diagnostics.error(place_of(key.source()), error.what());
      }
    }
  }

  void apply_key(ParameterGroup& group, const std::string& key, const toml::node& node,
                 const std::optional<std::filesystem::path>& folder, Diagnostics& diagnostics) {
    const auto child = std::find_if(group.groups().begin(), group.groups().end(),
                                    [&](const ParameterGroup* g) { return g->key() == key; });
    if (const toml::table* table = node.as_table(); table != nullptr && child != group.groups().end()) {
      apply(**child, *table, folder, diagnostics, /*top=*/false);
    } else if (const auto* flag = node.as_boolean()) {
      group.set(key, flag->get());
    } else if (const auto* integer = node.as_integer()) {
      group.set(key, integer->get());
    } else if (const auto* real = node.as_floating_point()) {
      group.set(key, real->get());
    } else if (const auto* text = node.as_string()) {
      group.set(key, text->get());
    } else {
      // A table, array or date where a parameter belongs: setting it finds out which keys there are.
      group.set(key, std::string("(not a single value)"));
    }
  }

  void extend(ParameterGroup& group, const toml::node& base, const std::optional<std::filesystem::path>& folder,
              Diagnostics& diagnostics) {
    const SourcePlace place = place_of(base.source());
    const auto* name = base.as_string();
    if (name == nullptr) return diagnostics.error(place, "extends must be the name of a preset, as a string");
    const std::optional<std::string> path = resolve(name->get(), folder);
    if (!path) return diagnostics.error(place, fmt::format("there is no preset '{}'", name->get()));
    const auto same = [&](const std::string& other) {
      std::error_code error;
      return other == *path || std::filesystem::equivalent(other, *path, error);
    };
    if (std::any_of(open_.begin(), open_.end(), same))
      return diagnostics.error(place, fmt::format("'{}' extends itself", name->get()));
    try {
      load_file(group, *path);
    } catch (const UserError& error) {
      diagnostics.error(place, error.what());
    }
  }

  [[nodiscard]] std::optional<std::string> resolve(const std::string& name,
                                                   const std::optional<std::filesystem::path>& folder) const {
    const std::string file = name.ends_with(".toml") ? name : name + ".toml";
    std::error_code error;
    if (folder && std::filesystem::is_regular_file(*folder / file, error)) return (*folder / file).string();
    return find_ ? find_(name) : std::nullopt;
  }

  const PresetFinder& find_;
  std::vector<std::string> open_;  // the files being loaded, each extended by the one before
  std::string messages_;
};

}  // namespace

void load_preset(ParameterGroup& root, const std::string& path, const PresetFinder& find) {
  Loader loader(find);
  loader.load_file(root, path);
  loader.finish();
}

void load_preset_text(ParameterGroup& root, std::string_view text, const std::string& name, const PresetFinder& find) {
  Loader loader(find);
  loader.load_text(root, text, name);
  loader.finish();
}

std::string preset_description(const std::string& path) {
  const std::optional<std::string> text = contents(path);
  if (!text) throw UserError(fmt::format("{}: cannot be read", path));
  Diagnostics diagnostics(path);
  const std::optional<toml::table> table = parse_toml(*text, diagnostics);
  return table ? (*table)["description"].value_or(std::string()) : "";
}

}  // namespace heddle::sim
