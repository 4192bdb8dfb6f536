// Order between the warps of a block: by warp, up to which of its moments another has seen it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace heddle::exec {

inline constexpr unsigned kMostWarpsOfBlock = 32;

struct VectorClock {
  std::array<std::uint32_t, kMostWarpsOfBlock> at{};

  void join(const VectorClock& other) {
    for (unsigned w = 0; w < kMostWarpsOfBlock; ++w) at[w] = std::max(at[w], other.at[w]);
  }
};

}  // namespace heddle::exec
