// What an experiment file says about its runs: sizes, inputs and windows of single workloads, and variants of designs.
#pragma once

#include "study/experiment.h"
#include "study/toml_reader.h"

namespace heddle::study {

/// Takes [sizes], [inputs], [windows] and [[variant]]; the workloads are read already.
void read_runs(TomlTable& file, Experiment& experiment);
/// Takes [sizes], [inputs] and [windows] only.
void read_inputs(TomlTable& file, Experiment& experiment);

}  // namespace heddle::study
