// Which launches are recorded.
#pragma once

namespace heddle::record {

constexpr unsigned kSameLaunches = 2;    ///< of a kernel with the same number of blocks
constexpr unsigned kKernelLaunches = 4;  ///< of a kernel with any

}  // namespace heddle::record
