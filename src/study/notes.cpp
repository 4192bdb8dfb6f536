#include "study/notes.h"

#include <fmt/format.h>

#include "study/toml_reader.h"

namespace heddle::study {

Notes parse_notes(const std::string& text, const std::string& name, const std::map<std::string, Claim>& claims) {
  const toml::table parsed = parse_toml(text, name);
  Diagnostics diagnostics(name);
  TomlTable file(parsed, "", diagnostics);
  Notes notes;
  for (const toml::table* table : file.tables("reason")) {
    TomlTable entry(*table, "reason", diagnostics);
    Reason reason{entry.texts("claims"), entry.text("text")};
    if (reason.claims.empty()) entry.error("claims", "is missing: which claims the reason is for");
    for (const std::string& id : reason.claims) {
      if (!claims.contains(id)) entry.error("claims", fmt::format("there is no claim '{}' in the paper's claims", id));
    }
    entry.finish();
    notes.reasons.push_back(std::move(reason));
  }
  for (const toml::table* table : file.tables("change")) {
    TomlTable entry(*table, "change", diagnostics);
    notes.changes.push_back(entry.text("text"));
    entry.finish();
  }
  file.finish();
  diagnostics.throw_if_errors();
  return notes;
}

}  // namespace heddle::study
