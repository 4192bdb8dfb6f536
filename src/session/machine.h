// Finding machine descriptions: presets by name, files by path, changes by --set.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/parameters.h"

namespace heddle::session {

struct PresetInfo {
  std::string name;
  std::string path;
  std::string description;
};

/// The folder of the shipped presets: $HEDDLE_PRESETS, or share/heddle/presets beside the program, or the source tree
/// that the program was built in. Throws UserError if there is none.
[[nodiscard]] std::string preset_folder();
/// The GPU presets, sorted by name.
[[nodiscard]] std::vector<PresetInfo> gpu_presets();
/// The memory-management designs, sorted by name: partial descriptions that are put over a GPU's preset.
[[nodiscard]] std::vector<PresetInfo> design_presets();

/// A GPU: a preset's name or a file; over it a design, likewise (empty: none); over both "path=value" texts. Checked.
[[nodiscard]] std::shared_ptr<gpu::GpuParameters> load_gpu(const std::string& name_or_file, const std::string& design,
                                                           const std::vector<std::string>& changes);

}  // namespace heddle::session
