// Where registers are known dead that no last use erases (RegLess, section 4.4.4).
#pragma once

#include <vector>

#include "compile/cfg.h"
#include "compile/regions/warp_liveness.h"

namespace heddle::compile {

/// By block: registers that are dead when the warp comes to it, although copies may exist. Each stands in the nearest
/// block that every path from the register's definitions and last uses passes, lanes that took other ways included.
[[nodiscard]] std::vector<std::vector<std::uint8_t>> find_invalidations(const MachineFunction& function,
                                                                        const WarpLiveness& liveness);

}  // namespace heddle::compile
