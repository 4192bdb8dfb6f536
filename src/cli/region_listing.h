// Regions (isa/regions.h) as text beside a listing of code.
#pragma once

#include <string>

#include "isa/regions.h"

namespace heddle::cli {

/// What stands above the region that begins at `pc`.
[[nodiscard]] std::string region_head(const isa::RegionCode& code, std::uint32_t pc);
/// Registers whose last use in their region an instruction is; empty if none.
[[nodiscard]] std::string last_use_note(const isa::RegionCode& code, std::uint32_t pc);
/// Sizes and needs of the regions of a stretch of code.
[[nodiscard]] std::string region_summary(const isa::RegionCode& code, std::uint32_t begin, std::uint32_t end);

}  // namespace heddle::cli
