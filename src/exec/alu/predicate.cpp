// Logic on predicates, 32 lanes in one word.
#include "exec/alu/families.h"
#include "exec/alu/lanes.h"

namespace heddle::exec {
namespace {

using isa::Logic;

/// A predicate source, or a constant.
[[nodiscard]] LaneMask source(const AluArguments& arguments, const isa::Instruction& instruction, unsigned position) {
  const isa::Operand& operand = instruction.src[position];
  const bool constant =
      operand.kind == isa::Operand::Kind::immediate || operand.kind == isa::Operand::Kind::immediate_wide;
  if (constant) {
    return (operand.value != 0) != operand.negated ? kAllLanes : 0;
  }
  return arguments.src_predicate[position];
}

template <Logic L>
void combine(const AluArguments& arguments, const isa::Instruction& instruction) {
  const LaneMask a = source(arguments, instruction, 0);
  LaneMask result = a;
  if constexpr (L == Logic::not_) {
    result = ~a;
  } else if constexpr (L == Logic::and_) {
    result = a & source(arguments, instruction, 1);
  } else if constexpr (L == Logic::or_) {
    result = a | source(arguments, instruction, 1);
  } else if constexpr (L == Logic::xor_) {
    result = a ^ source(arguments, instruction, 1);
  }
  write_mask(arguments.dst_predicate[0], arguments.active, result);
}

}  // namespace

AluFunction find_predicate(const isa::Instruction& instruction) {
  switch (instruction.logic) {
    case Logic::none:
    case Logic::mov:
      return &combine<Logic::mov>;
    case Logic::not_:
      return &combine<Logic::not_>;
    case Logic::and_:
      return &combine<Logic::and_>;
    case Logic::or_:
      return &combine<Logic::or_>;
    case Logic::xor_:
      return &combine<Logic::xor_>;
  }
  return nullptr;
}

}  // namespace heddle::exec
