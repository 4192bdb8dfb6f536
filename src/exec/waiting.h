// What is known of a launch that does nothing but wait.
#pragma once

#include <cstdint>

#include "base/types.h"

namespace heddle::exec {

/// Warps that do nothing but go round in loops in which nothing changes, or wait at barriers for those.
struct EndlessWait {
  std::uint64_t warps = 0;
  std::uint64_t grid_id = 0;
  std::uint32_t pc = 0;  ///< of one of them
  LaneMask lanes = 0;
  Dim3 block{0, 0, 0};
  std::uint32_t warp = 0;
};

}  // namespace heddle::exec
