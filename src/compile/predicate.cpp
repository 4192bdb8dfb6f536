// Executes short code under a condition by predicates instead of a branch round it, as real assemblers do.
//
//      @p  bra J;  a;  b;  J: c          becomes          @!p a;  @!p b;  c
//
// What follows stays a block of its own: scheduled with what is before it, it would need more registers. Left alone is
// code in which lanes of a warp know of each other, which calls or waits, or which has conditions itself.
#include <algorithm>

#include "compile/cfg.h"
#include "compile/passes.h"

namespace heddle::compile {
namespace {

using isa::Instruction;
using isa::Opcode;

bool takes_a_guard(const Instruction& i) {
  switch (i.op) {
    case Opcode::bar:
    case Opcode::barwarp:
    case Opcode::call:
    case Opcode::callx:
    case Opcode::syscall:
    case Opcode::fence:
    case Opcode::nanosleep:
    case Opcode::nop:
    case Opcode::vote:
    case Opcode::shfl:
    case Opcode::match:
    case Opcode::redux:
    case Opcode::activemask:
    case Opcode::elect:
      return false;
    default:
      return !ends_block(i.op) && !i.guard.exists() && !counts_from_frame_end(i);
  }
}

class Predication {
 public:
  Predication(MachineFunction& f, unsigned most) : f_(f), most_(most) {}

  void run() {
    for (std::uint32_t b = 0; b + 2 < f_.blocks.size(); ++b) {
      if (replaces_branch(b)) remove(b);
    }
  }

 private:
  /// Whether block `b` ends with a branch round the next one, which can do without.
  [[nodiscard]] bool replaces_branch(std::uint32_t b) const {
    const Block& block = f_.blocks[b];
    if (block.code.empty()) return false;
    const Instruction& branch = block.code.back();
    if (branch.op != Opcode::bra || !branch.guard.exists() || branch.uniform || branch.target != b + 2) return false;
    const Block& inside = f_.blocks[b + 1];
    if (inside.predecessors != std::vector<std::uint32_t>{b} || inside.successors != std::vector<std::uint32_t>{b + 2})
      return false;
    if (inside.code.empty() || inside.code.size() > most_) return false;
    return std::all_of(inside.code.begin(), inside.code.end(), [&](const Instruction& i) {
      bool changes_condition = false;
      for_each_definition(i, [&](std::uint32_t r) { changes_condition |= r == branch.guard.predicate; });
      return takes_a_guard(i) && !changes_condition && !(f_.branching_divisions && may_branch(i));
    });
  }

  void remove(std::uint32_t b) {
    std::vector<Instruction>& code = f_.blocks[b].code;
    isa::Guard guard = code.back().guard;
    guard.negated = !guard.negated;
    code.pop_back();
    for (Instruction i : f_.blocks[b + 1].code) {
      i.guard = guard;
      code.push_back(i);
    }
    erase(b + 1);
  }

  /// Takes a block out to which nothing jumps.
  void erase(std::uint32_t gone) {
    f_.blocks.erase(f_.blocks.begin() + gone);
    const auto renumber = [gone](std::uint32_t& block) {
      if (block > gone) --block;
    };
    for (Block& block : f_.blocks) {
      if (!block.code.empty() && block.code.back().op == Opcode::bra) renumber(block.code.back().target);
    }
    for (auto& table : f_.branch_tables) {
      for (std::uint32_t& target : table) renumber(target);
    }
    link_blocks(f_);
  }

  MachineFunction& f_;
  unsigned most_;
};

}  // namespace

void predicate_short_branches(MachineFunction& function, unsigned most) { Predication(function, most).run(); }

}  // namespace heddle::compile
