// What of a run is timed, in sweeps and experiments.
#pragma once

#include "study/sweep_file.h"
#include "study/toml_reader.h"

namespace heddle::study {

/// Takes start_kernel, skip, warmup, window and kernels.
[[nodiscard]] Window read_window(TomlTable& table);

}  // namespace heddle::study
