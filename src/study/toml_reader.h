// Reading the project's own TOML files: every mistake is collected, each with line, column and key.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/toml.h"

namespace heddle::study {

/// One table of a file. Keys are taken one by one; finish() complains about those that nobody took.
class TomlTable {
 public:
  TomlTable(const toml::table& table, std::string path, Diagnostics& diagnostics)
      : table_(table), path_(std::move(path)), diagnostics_(diagnostics) {}

  [[nodiscard]] bool has(const std::string& key) const { return table_.contains(key); }
  /// A text; `fallback` if there is none, an error if there is none and no fallback.
  std::string text(const std::string& key, const std::optional<std::string>& fallback = std::nullopt);
  std::optional<double> number(const std::string& key);
  std::int64_t integer(const std::string& key, std::int64_t fallback, std::int64_t least, std::int64_t most);
  bool flag(const std::string& key, bool fallback);
  /// A text or number, or an array of them, as texts.
  std::vector<std::string> texts(const std::string& key);
  /// A table, or nothing.
  const toml::table* table(const std::string& key);
  /// An array of tables; empty if there is none.
  std::vector<const toml::table*> tables(const std::string& key);
  /// Each key is known: takes all, e.g. where keys are parameters.
  void take_all();
  void finish();

  void error(const std::string& key, const std::string& message);
  [[nodiscard]] const toml::table& raw() const { return table_; }
  [[nodiscard]] Diagnostics& diagnostics() { return diagnostics_; }

 private:
  const toml::node* take(const std::string& key);
  const toml::table& table_;
  std::string path_;
  Diagnostics& diagnostics_;
  std::vector<std::string> taken_;
};

/// A text or number as text; nothing for anything else.
[[nodiscard]] std::optional<std::string> scalar_text(const toml::node& node);

}  // namespace heddle::study
