// Which branches of a kernel never split a block, as far as its code says.
//
// A value is the same in all threads of a block that run together if it is made of constants, parameters and what the
// block has as a whole (its position and size), and if no threads that went different ways bring different ones to the
// place where they meet again. A branch on such a value takes all of them the same way. Values from memory, also where
// all threads read the same address, count as different: another thread may write between two reads.
#pragma once

#include <vector>

#include "exec/code.h"

namespace heddle::exec {

/// By instruction: whether it is a branch of that kind. A kernel that calls functions has none.
[[nodiscard]] std::vector<bool> uniform_branches(const Code& code, std::uint32_t entry);
/// Instructions that may follow this one; of a call, the one behind it.
[[nodiscard]] std::vector<std::uint32_t> followers(const Code& code, std::uint32_t pc);

}  // namespace heddle::exec
