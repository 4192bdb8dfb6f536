// The host program of the matrix transpositions. Exact. A matrix of n rows has n + n/4 columns, so that mixing up the
// two extents shows.
#pragma once

#include "workloads/workload.h"

namespace heddle::workloads {

/// Where the blocks of neighbouring x lie.
enum class TransposeGrid : std::uint8_t { along_rows, along_columns };

/// Transposes a random matrix with the kernel, which handles a tile of 32 x 32 with 32 x 8 threads.
[[nodiscard]] Outcome run_transpose(runtime::Device& device, const runtime::Kernel& kernel, TransposeGrid order,
                                    const Request& request);

}  // namespace heddle::workloads
