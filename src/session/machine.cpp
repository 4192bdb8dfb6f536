#include "session/machine.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/suggestion.h"
#include "sim/configuration.h"

namespace heddle::session {

namespace fs = std::filesystem;

std::string preset_folder() {
  if (const char* chosen = std::getenv("HEDDLE_PRESETS"); chosen != nullptr) return chosen;
  std::error_code ignored;
  // The file that holds this code: the program, or a library inside somebody else's.
  Dl_info self{};
  const bool known = dladdr(reinterpret_cast<const void*>(&preset_folder), &self) != 0 && self.dli_fname[0] == '/';
  const fs::path program = known ? fs::canonical(self.dli_fname, ignored) : fs::read_symlink("/proc/self/exe", ignored);
  for (const char* up : {"..", "../.."}) {
    if (const fs::path installed = program.parent_path() / up / "share/heddle/presets";
        fs::is_directory(installed / "gpus", ignored))
      return installed.lexically_normal().string();
  }
  for (fs::path folder = program.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
    if (fs::is_directory(folder / "presets/gpus", ignored)) return (folder / "presets").string();
  }
  throw UserError("the presets are missing: set HEDDLE_PRESETS to the folder that holds 'gpus'");
}

namespace {

std::vector<PresetInfo> presets_in(const char* kind) {
  std::vector<PresetInfo> presets;
  std::error_code missing;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(preset_folder()) / kind, missing)) {
    if (entry.path().extension() != ".toml") continue;
    presets.push_back(
        {entry.path().stem().string(), entry.path().string(), sim::preset_description(entry.path().string())});
  }
  std::sort(presets.begin(), presets.end(), [](const PresetInfo& a, const PresetInfo& b) { return a.name < b.name; });
  return presets;
}

/// The file that an option names.
std::string file_of(const char* option, const char* kind, const std::string& name_or_file) {
  if (name_or_file.ends_with(".toml") || name_or_file.find('/') != std::string::npos) return name_or_file;
  const fs::path file = fs::path(preset_folder()) / kind / (name_or_file + ".toml");
  if (std::error_code ignored; fs::exists(file, ignored)) return file.string();
  std::vector<std::string> known;
  for (const PresetInfo& preset : presets_in(kind)) known.push_back(preset.name);
  throw UserError(fmt::format("{} {}: there is no such preset ({}); a file name ends in .toml", option, name_or_file,
                              known_names(name_or_file, known)));
}

std::optional<std::string> find_preset(const std::string& name) {
  for (const char* kind : {"gpus", "designs", "dram"}) {
    const fs::path file = fs::path(preset_folder()) / kind / (name + ".toml");
    if (fs::exists(file)) return file.string();
  }
  return std::nullopt;
}

}  // namespace

std::vector<PresetInfo> gpu_presets() { return presets_in("gpus"); }
std::vector<PresetInfo> design_presets() { return presets_in("designs"); }

std::shared_ptr<gpu::GpuParameters> load_gpu(const std::string& name_or_file, const std::string& design,
                                             const std::vector<std::string>& changes) {
  auto parameters = std::make_shared<gpu::GpuParameters>();
  sim::load_preset(*parameters, file_of("--gpu", "gpus", name_or_file), find_preset);
  if (!design.empty()) sim::load_preset(*parameters, file_of("--design", "designs", design), find_preset);
  for (const std::string& change : changes) {
    const std::size_t equals = change.find('=');
    if (equals == std::string::npos)
      throw UserError(fmt::format("--set {}: must be path=value, such as sm.schedulers=2", change));
    parameters->set_text(change.substr(0, equals), change.substr(equals + 1));
  }
  parameters->check();
  return parameters;
}

}  // namespace heddle::session
