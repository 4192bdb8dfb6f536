// Liveness of registers, and which definitions are soft.
//
// Registers are written per lane, so a definition in a diverged warp leaves the other lanes' values alone. Per thread,
// ordinary liveness is right, and register allocation uses it. Anything that handles a register of the whole warp at
// once (staging, renaming, freeing storage) must also know *soft* definitions: those that may execute while other
// lanes still need the register's old value (RegLess, section 4.4.4, Algorithm 2). A soft definition does not end a
// live range. As the test needs liveness and liveness the test, both are iterated to a fixed point.
#pragma once

#include <vector>

#include "base/bit_set.h"
#include "compile/machine_function.h"

namespace heddle::compile {

struct Liveness {
  std::vector<BitSet> in;  ///< by block
  std::vector<BitSet> out;
};

/// From what each block reads before writing it and what it writes for sure.
[[nodiscard]] Liveness solve_liveness(const MachineFunction& function, std::size_t universe,
                                      const std::vector<BitSet>& use, const std::vector<BitSet>& kill);

/// Over virtual registers.
[[nodiscard]] Liveness live_virtual(const MachineFunction& function);

/// Physical registers: general ones are 0..255, predicates kFirstPredicate + n; a pair counts as its two halves.
inline constexpr std::size_t kFirstPredicate = 256;
inline constexpr std::size_t kPhysicalRegisters = kFirstPredicate + kPredicateRegisters + 1;
[[nodiscard]] Liveness live_physical(const MachineFunction& function);

/// Sets Instruction::soft_definition after register allocation.
void mark_soft_definitions(MachineFunction& function);

/// Calls f(index) for each physical register of an operand.
template <typename Function>
void for_each_physical(const isa::Operand& operand, Function&& f) {
  switch (operand.kind) {
    case isa::Operand::Kind::gpr:
      f(std::size_t{operand.index});
      break;
    case isa::Operand::Kind::gpr_pair:
      f(std::size_t{operand.index});
      f(std::size_t{operand.index} + 1);
      break;
    case isa::Operand::Kind::predicate:
      f(kFirstPredicate + operand.index);
      break;
    default:
      break;
  }
}

}  // namespace heddle::compile
