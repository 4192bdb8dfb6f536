#include "study/toml_reader.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::study {

std::optional<std::string> scalar_text(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* integer = node.as_integer()) return fmt::format("{}", integer->get());
  if (const auto* real = node.as_floating_point()) return fmt::format("{}", real->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  return std::nullopt;
}

void TomlTable::error(const std::string& key, const std::string& message) {
  const toml::node* node = table_.get(key);
  const std::string name = path_.empty() ? key : path_ + "." + key;
  diagnostics_.error(place_of(node != nullptr ? *node : table_), fmt::format("{}: {}", name, message));
}

const toml::node* TomlTable::take(const std::string& key) {
  taken_.push_back(key);
  return table_.get(key);
}

std::string TomlTable::text(const std::string& key, const std::optional<std::string>& fallback) {
  const toml::node* node = take(key);
  if (node == nullptr) {
    if (!fallback) error(key, "is missing");
    return fallback.value_or("");
  }
  if (const auto* text = node->as_string()) return text->get();
  error(key, "must be a text");
  return "";
}

std::optional<double> TomlTable::number(const std::string& key) {
  const toml::node* node = take(key);
  if (node == nullptr) return std::nullopt;
  if (const auto* integer = node->as_integer()) return static_cast<double>(integer->get());
  if (const auto* real = node->as_floating_point()) return real->get();
  error(key, "must be a number");
  return std::nullopt;
}

std::int64_t TomlTable::integer(const std::string& key, std::int64_t fallback, std::int64_t least, std::int64_t most) {
  const toml::node* node = take(key);
  if (node == nullptr) return fallback;
  const auto* value = node->as_integer();
  if (value == nullptr || value->get() < least || value->get() > most) {
    error(key, fmt::format("must be a whole number from {} to {}", least, most));
    return fallback;
  }
  return value->get();
}

bool TomlTable::flag(const std::string& key, bool fallback) {
  const toml::node* node = take(key);
  if (node == nullptr) return fallback;
  if (const auto* value = node->as_boolean()) return value->get();
  error(key, "must be true or false");
  return fallback;
}

std::vector<std::string> TomlTable::texts(const std::string& key) {
  const toml::node* node = take(key);
  if (node == nullptr) return {};
  if (const auto one = scalar_text(*node)) return {*one};
  const toml::array* array = node->as_array();
  if (array == nullptr || array->empty()) {
    error(key, "must be a value or an array of values");
    return {};
  }
  std::vector<std::string> found;
  for (const toml::node& element : *array) {
    if (auto one = scalar_text(element)) {
      found.push_back(std::move(*one));
    } else {
      diagnostics_.error(place_of(element), fmt::format("{}: must hold texts or numbers only", key));
    }
  }
  return found;
}

const toml::table* TomlTable::table(const std::string& key) {
  const toml::node* node = take(key);
  if (node == nullptr) return nullptr;
  if (node->as_table() == nullptr) error(key, "must be a table");
  return node->as_table();
}

std::vector<const toml::table*> TomlTable::tables(const std::string& key) {
  const toml::node* node = take(key);
  if (node == nullptr) return {};
  std::vector<const toml::table*> found;
  const toml::array* array = node->as_array();
  if (array == nullptr) {
    error(key, fmt::format("must be an array of tables: write [[{}]]", key));
    return {};
  }
  for (const toml::node& element : *array) {
    if (element.as_table() != nullptr) {
      found.push_back(element.as_table());
    } else {
      diagnostics_.error(place_of(element), fmt::format("{}: must hold tables only", key));
    }
  }
  return found;
}

void TomlTable::take_all() {
  for (const auto& [key, node] : table_) taken_.emplace_back(key.str());
}

void TomlTable::finish() {
  std::string known;
  std::vector<std::string> names = taken_;
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
  for (const auto& [key, node] : table_) {
    if (std::find(taken_.begin(), taken_.end(), key.str()) != taken_.end()) continue;
    const SourcePlace place{key.source().begin.line, key.source().begin.column};
    diagnostics_.error(place, fmt::format("unknown key '{}{}{}' (known: {})", path_, path_.empty() ? "" : ".",
                                          std::string(key.str()), known));
  }
}

}  // namespace heddle::study
