// Reading machine descriptions from TOML files, and printing what was read.
//
// A table is a group, a key is a parameter:
//
//   description = "GTX 480"          # top level of a file only
//   extends = "fermi"                # first loads fermi.toml: from the folder of this file, else as the finder says
//   [sm.l1]
//   ways = 4
//   [dram]
//   extends = "gddr5"                # in a table: loads that file into this group
//
// Every mistake in the files is reported, each with file, line and column.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "sim/parameter.h"
#include "sim/statistic.h"

namespace heddle::sim {

/// The file of a preset that is not in the folder of the file that names it; nothing if there is none.
using PresetFinder = std::function<std::optional<std::string>(const std::string& name)>;

/// Sets the parameters of `root` that the file, and the files it extends, name. Throws UserError with all mistakes.
void load_preset(ParameterGroup& root, const std::string& path, const PresetFinder& find);
/// As load_preset, for a text that is not in a file; `name` is what messages call it. Looks for presets with `find`
/// only.
void load_preset_text(ParameterGroup& root, std::string_view text, const std::string& name, const PresetFinder& find);
/// The `description` a preset gives of itself; empty if it gives none.
[[nodiscard]] std::string preset_description(const std::string& path);

/// Every parameter at or below `path_prefix`: path, value, default, unit, what is allowed, one sentence.
/// Throws UserError if nothing is there.
[[nodiscard]] std::string describe(const ParameterGroup& root, std::string_view path_prefix);
/// Every statistic at or below `path_prefix`: path, value, unit, one sentence. Throws UserError if nothing is there.
[[nodiscard]] std::string describe(const StatisticGroup& root, std::string_view path_prefix);

/// Groups as nested objects, counters and formulas as numbers; a formula without a value (0/0) is null. Before them
/// `notes`, as texts by name.
void write_json(std::ostream& out, const StatisticGroup& root, const std::map<std::string, std::string>& notes = {});

}  // namespace heddle::sim
