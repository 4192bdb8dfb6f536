// Divisions, reciprocals and roots are short sequences that hold for ordinary operands, with a branch to a longer way
// for others: very large or small ones, zero, infinity and NaN.
//
// Where the branch goes is what ptxas 13.0 makes for compute capability 9.0, as far as instructions say it: the
// reciprocal and the root compare exponents, the double-precision division the upper halves of dividend and quotient.
// What FCHK looks at before a single-precision division is not documented: here, whether the short way could be wrong.
#pragma once

#include "exec/interpreter.h"
#include "exec/warp.h"

namespace heddle::exec {

/// Whether the instruction is one of these; others never take the longer way.
[[nodiscard]] bool has_long_way(const isa::Instruction& instruction);

/// Whether some lane that executes it takes the longer way.
[[nodiscard]] bool takes_long_way(const Interpreter& interpreter, const Op& op, const Warp& slot);

// For one lane, from the bits of operands.
[[nodiscard]] bool divides_long(std::uint32_t dividend, std::uint32_t divisor);
[[nodiscard]] bool divides_long_double(std::uint64_t dividend, std::uint64_t divisor);
[[nodiscard]] bool inverts_long(std::uint32_t value);
[[nodiscard]] bool takes_root_long(std::uint32_t value);

}  // namespace heddle::exec
