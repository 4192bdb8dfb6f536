// Removes copies, dead code and results of atomics that nobody reads.
//
// A copy `d = s` goes when both are defined exactly once, s before d and d before all its uses on every path: then s
// still holds the value wherever d is used. (Exactly once is not enough: around a loop, a use may come before both.)
// Constants and kernel parameters are folded into arithmetic instructions, at most one parameter per instruction, as
// the real machines' encodings allow.
#include "compile/cfg.h"
#include "compile/passes.h"

namespace heddle::compile {
namespace {

using isa::Opcode;
using isa::Operand;

bool has_side_effect(const isa::Instruction& i) {
  switch (i.op) {
    case Opcode::ld:
      return i.is_volatile;
    case Opcode::st:
    case Opcode::atom:
    case Opcode::red:
    case Opcode::prefetch:
    case Opcode::fence:
    case Opcode::bra:
    case Opcode::brx:
    case Opcode::call:
    case Opcode::callx:
    case Opcode::ret:
    case Opcode::exit:
    case Opcode::trap:
    case Opcode::bar:
    case Opcode::barwarp:
    case Opcode::nanosleep:
    case Opcode::nop:
    case Opcode::syscall:
      return true;
    default:
      return false;
  }
}

/// Whether an instruction may take a constant in place of a register source.
bool takes_constants(const isa::Instruction& i) {
  const isa::Unit unit = isa::unit(i.op);
  if (unit != isa::Unit::integer && unit != isa::Unit::floating && unit != isa::Unit::special) return false;
  return i.op != Opcode::unpack && i.op != Opcode::vote && i.op != Opcode::match && i.op != Opcode::redux &&
         i.op != Opcode::elect;
}

bool is_parameter(const Operand& o) {
  return o.kind == Operand::Kind::constant || o.kind == Operand::Kind::constant_wide;
}
bool is_immediate(const Operand& o) {
  return o.kind == Operand::Kind::immediate || o.kind == Operand::Kind::immediate_wide;
}

class CopyPropagation {
 public:
  explicit CopyPropagation(MachineFunction& f)
      : f_(f),
        definitions_(f.registers.size(), 0),
        value_(f.registers.size()),
        defined_at_(f.registers.size()),
        used_early_(f.registers.size(), false),
        dominators_(dominators(f)) {}

  void run() {
    for_each_instruction([&](const isa::Instruction& i, Place at) {
      for_each_definition(i, [&](std::uint32_t r) {
        definitions_[r] += is_partial(i) ? 2 : 1;
        defined_at_[r] = at;
      });
    });
    for_each_instruction([&](const isa::Instruction& i, Place at) {
      for_each_use(i, [&](std::uint32_t r) {
        if (definitions_[r] == 1 && !is_before(defined_at_[r], at)) used_early_[r] = true;
      });
    });
    if (f_.stack_pointer != isa::kNoRegister) definitions_[f_.stack_pointer] = 2;
    for (const Block& block : f_.blocks) {
      for (const isa::Instruction& i : block.code) note(i);
    }
    for (Block& block : f_.blocks) {
      for (isa::Instruction& i : block.code) rewrite(i);
    }
  }

 private:
  struct Place {
    std::uint32_t block = 0;
    std::uint32_t position = 0;
  };

  template <typename Function>
  void for_each_instruction(Function&& f) const {
    for (std::uint32_t b = 0; b < f_.blocks.size(); ++b) {
      for (std::uint32_t n = 0; n < f_.blocks[b].code.size(); ++n) f(f_.blocks[b].code[n], Place{b, n});
    }
  }
  /// Whether every path to b passes a first.
  [[nodiscard]] bool is_before(Place a, Place b) const {
    return a.block == b.block ? a.position < b.position : dominators_.dominates(a.block, b.block);
  }

  void note(const isa::Instruction& i) {
    if (i.op != Opcode::mov || is_partial(i) || counts_from_frame_end(i) || !i.dst[0].is_register()) return;
    if (definitions_[i.dst[0].index] != 1) return;
    const Operand& from = i.src[0];
    if (is_immediate(from) && from.index != 0) return;  // a code address, placed later
    if (from.wide() != i.dst[0].wide()) return;
    if (from.is_register()) {
      if (definitions_[from.index] != 1 || used_early_[from.index] || used_early_[i.dst[0].index]) return;
    }
    value_[i.dst[0].index] = from;
  }

  /// The end of a chain of copies.
  [[nodiscard]] Operand final_value(Operand operand) const {
    for (int step = 0; step < 64 && operand.is_register() && value_[operand.index].exists(); ++step)
      operand = value_[operand.index];
    return operand;
  }

  void rewrite(isa::Instruction& i) const {
    for (Operand& source : i.src) {
      if (!source.is_register() || source.kind == Operand::Kind::predicate || !value_[source.index].exists()) continue;
      Operand value = final_value(source);
      if (!value.is_register()) {
        bool fits = takes_constants(i);
        for (const Operand& other : i.src)
          fits = fits && !(is_parameter(value) ? is_parameter(other) : is_immediate(other));
        if (!fits) {
          // Take the last register of the chain instead.
          Operand reg = source;
          while (value_[reg.index].is_register()) reg = value_[reg.index];
          value = reg;
        }
      }
      source = value;
    }
  }

  MachineFunction& f_;
  std::vector<unsigned> definitions_;
  std::vector<Operand> value_;
  std::vector<Place> defined_at_;  ///< of registers with one definition
  std::vector<bool> used_early_;   ///< some use may come before that definition
  DominatorTree dominators_;
};

}  // namespace

void propagate_copies(MachineFunction& function) { CopyPropagation(function).run(); }

void remove_dead_code(MachineFunction& function) {
  std::vector<std::uint32_t> uses(function.registers.size(), 0);
  for (const Block& block : function.blocks) {
    for (const isa::Instruction& i : block.code) for_each_use(i, [&](std::uint32_t r) { ++uses[r]; });
  }
  if (function.stack_pointer != isa::kNoRegister) uses[function.stack_pointer] = 1;
  const auto needed = [&](const isa::Instruction& i) {
    bool any = false;
    for_each_definition(i, [&](std::uint32_t r) { any = any || uses[r] != 0; });
    return any;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (Block& block : function.blocks) {
      std::erase_if(block.code, [&](const isa::Instruction& i) {
        if (has_side_effect(i) || needed(i)) return false;
        for_each_use(i, [&](std::uint32_t r) { --uses[r]; });
        changed = true;
        return true;
      });
    }
  }
  // An atomic without a result is a reduction: nothing waits for its answer.
  for (Block& block : function.blocks) {
    for (isa::Instruction& i : block.code) {
      if (i.op != Opcode::atom || needed(i)) continue;
      i.op = Opcode::red;
      i.dst = {};
    }
  }
}

}  // namespace heddle::compile
