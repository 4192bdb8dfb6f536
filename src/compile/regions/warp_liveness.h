// Liveness of registers of a whole warp, over general registers (RegLess, section 4.4.4).
//
// Per thread a definition ends the life of the old value. For the warp it does not while lanes that do not run may
// still read theirs: such a definition is soft. A register is *needed* in a block if lanes that do not run there may
// hold a value that they will read: they wait for their side of a branch, wait where the sides meet, or have left a
// loop. This is wider than the document's Algorithm 2, which misses the last two; that one can be had instead. Lanes
// that are scheduled independently of each other need not wait anywhere: theirs is the widest test.
#pragma once

#include <vector>

#include "base/bit_set.h"
#include "compile/liveness.h"
#include "compile/machine_function.h"

namespace heddle::compile {

inline constexpr std::size_t kGeneralRegisters = 256;

enum class SoftTest : std::uint8_t {
  hidden,     ///< what lanes that do not run may need, and Algorithm 2
  printed,    ///< Algorithm 2 alone, as mark_soft_definitions() has it
  scattered,  ///< what lanes need that may be anywhere once they have gone different ways
};

enum class Definition : std::uint8_t {
  hard,     ///< replaces the value of every lane
  soft,     ///< other lanes keep theirs
  guarded,  ///< lanes of the block keep theirs where the guard does not hold
};

class WarpLiveness {
 public:
  WarpLiveness(const MachineFunction& function, SoftTest test);

  [[nodiscard]] Definition definition(std::uint32_t block, std::size_t index, std::size_t reg) const;
  /// Live for any lane that executes the block.
  [[nodiscard]] const BitSet& in(std::uint32_t block) const { return warp_.in[block]; }
  [[nodiscard]] const BitSet& out(std::uint32_t block) const { return warp_.out[block]; }
  /// A lane that does not execute the block may still read it.
  [[nodiscard]] const BitSet& needed(std::uint32_t block) const { return needed_[block]; }
  /// Live before each instruction of the block, and after the last.
  [[nodiscard]] std::vector<BitSet> inside(std::uint32_t block) const;

 private:
  void find_covered(const Liveness& thread);
  void find_needed(const Liveness& thread);
  void find_scattered(const Liveness& thread);
  [[nodiscard]] bool covers(const Block& block, std::size_t index, std::size_t reg, const BitSet& live_out) const;

  const MachineFunction& f_;
  SoftTest test_;
  std::vector<std::vector<std::uint8_t>> covered_;  ///< guarded definitions whose readers have the same guard
  std::vector<BitSet> needed_;
  Liveness warp_;
};

/// Calls f(register) for each general register of an operand.
template <typename Function>
void for_each_general(const isa::Operand& operand, Function&& f) {
  for_each_physical(operand, [&](std::size_t r) {
    if (r < kGeneralRegisters) f(r);
  });
}
/// Whether an instruction hands the stack pointer to code that is not in its function.
[[nodiscard]] inline bool passes_stack(const MachineFunction& function, const isa::Instruction& i) {
  return i.op == isa::Opcode::call || i.op == isa::Opcode::callx || (i.op == isa::Opcode::ret && !function.is_entry);
}

}  // namespace heddle::compile
