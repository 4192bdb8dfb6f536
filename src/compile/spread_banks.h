// Numbers registers so that those which are used together lie in different banks (RegLess, section 4.5.2: "the compiler
// selects register numbers in a manner that reduces bank conflicts"; how is not said).
#pragma once

#include <vector>

#include "compile/live_ranges.h"
#include "compile/machine_function.h"

namespace heddle::compile {

/// Moves live ranges among the registers that allocation has given out: register r lies in bank r mod `function.banks`.
/// No further register is used, no copy appears that was none before, and pinned registers stay.
void spread_over_banks(const MachineFunction& function, const std::vector<LiveRange>& ranges, HeldRegisters& held,
                       std::vector<std::uint32_t>& assigned);

}  // namespace heddle::compile
