// How a GPU's description says that code for it is compiled.
#pragma once

#include "compile/program.h"
#include "gpu/parameters.h"

namespace heddle::runtime {

/// Of a program that may have `register_limit` registers per thread.
[[nodiscard]] compile::CompileOptions compile_for(const gpu::GpuParameters& gpu, unsigned register_limit);

}  // namespace heddle::runtime
