// Cutting a block into regions (RegLess, section 4.4.2, Algorithm 1).
#pragma once

#include <vector>

#include "compile/regions/regions.h"
#include "compile/regions/spans.h"

namespace heddle::compile {

/// Part of a block, as indices.
struct Stretch {
  std::size_t begin = 0;
  std::size_t end = 0;
  isa::RegionEnd ends = isa::RegionEnd::block;
};

/// The regions of a block, in order.
[[nodiscard]] std::vector<Stretch> cut_block(const BlockValues& values, const RegionOptions& options);

}  // namespace heddle::compile
