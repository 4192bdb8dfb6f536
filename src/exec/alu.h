// What arithmetic, bit, conversion, comparison, selection and warp-collective instructions compute, for 32 lanes.
//
// A function works on rows: one row is the value of an operand in all 32 lanes, as uint32_t[32] or, for 64-bit
// operands, uint64_t[32]; predicates are one 32-bit mask. Only lanes in `active` may change in a destination.
// Functions compute all lanes and blend, so that loops vectorise; nothing here traps, whatever is in inactive lanes.
#pragma once

#include <array>

#include "isa/instruction.h"

namespace heddle::exec {

struct AluArguments {
  std::array<void*, 4> dst{};                ///< register rows; nullptr where the result is dropped
  std::array<LaneMask*, 2> dst_predicate{};  ///< for destinations that are predicates, by destination position
  std::array<const void*, 5> src{};          ///< register or constant rows, by source position
  std::array<LaneMask, 5> src_predicate{};   ///< values of predicate sources, by source position, negation applied
  LaneMask active = 0;
};

using AluFunction = void (*)(const AluArguments&, const isa::Instruction&);

/// The function for an instruction, or nullptr when this opcode and type combination does not exist on the machine.
[[nodiscard]] AluFunction find_alu(const isa::Instruction& instruction);

/// What an atomic leaves in memory for one lane, given what was there. Values are in the low bytes.
[[nodiscard]] std::uint64_t apply_atomic(const isa::Instruction& instruction, std::uint64_t old, std::uint64_t b,
                                         std::uint64_t c);

}  // namespace heddle::exec
