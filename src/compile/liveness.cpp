#include "compile/liveness.h"

#include "compile/cfg.h"

namespace heddle::compile {
namespace {

/// What a block reads before writing, and what it writes for sure, given how to visit an instruction's registers.
template <typename Uses, typename Kills>
Liveness solve(const MachineFunction& function, std::size_t universe, Uses&& uses, Kills&& kills) {
  const std::size_t count = function.blocks.size();
  std::vector<BitSet> use(count, BitSet(universe));
  std::vector<BitSet> kill(count, BitSet(universe));
  for (std::size_t b = 0; b < count; ++b) {
    for (const isa::Instruction& instruction : function.blocks[b].code) {
      uses(instruction, [&](std::size_t r) {
        if (!kill[b].contains(r)) use[b].insert(r);
      });
      kills(instruction, [&](std::size_t r) { kill[b].insert(r); });
    }
  }
  return solve_liveness(function, universe, use, kill);
}

const auto kPhysicalUses = [](const isa::Instruction& instruction, auto&& f) {
  for (const isa::Operand& operand : instruction.src) for_each_physical(operand, f);
  if (instruction.guard.exists()) f(kFirstPredicate + instruction.guard.predicate);
};

const auto kPhysicalKills = [](const isa::Instruction& instruction, auto&& f) {
  if (is_partial(instruction) || instruction.soft_definition) return;
  for (const isa::Operand& operand : instruction.dst) for_each_physical(operand, f);
};

}  // namespace

Liveness solve_liveness(const MachineFunction& function, std::size_t universe, const std::vector<BitSet>& use,
                        const std::vector<BitSet>& kill) {
  const std::size_t count = function.blocks.size();
  Liveness live{std::vector<BitSet>(count, BitSet(universe)), std::vector<BitSet>(count, BitSet(universe))};
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = count; b-- > 0;) {
      for (const std::uint32_t s : function.blocks[b].successors) {
        if (live.out[b].unite(live.in[s])) changed = true;
      }
      BitSet in(universe);
      in.transfer(use[b], live.out[b], kill[b]);
      if (!(in == live.in[b])) {
        live.in[b] = in;
        changed = true;
      }
    }
  }
  return live;
}

Liveness live_virtual(const MachineFunction& function) {
  return solve(
      function, function.registers.size(), [](const isa::Instruction& i, auto&& f) { for_each_use(i, f); },
      [](const isa::Instruction& i, auto&& f) {
        if (!is_partial(i)) for_each_definition(i, f);
      });
}

Liveness live_physical(const MachineFunction& function) {
  return solve(function, kPhysicalRegisters, kPhysicalUses, kPhysicalKills);
}

void mark_soft_definitions(MachineFunction& function) {
  const DominatorTree dom = dominators(function);
  const DominatorTree post = post_dominators(function);
  const auto count = static_cast<std::uint32_t>(function.blocks.size());
  for (bool changed = true; changed;) {
    changed = false;
    const Liveness live = live_physical(function);
    for (std::uint32_t b = 0; b < count; ++b) {
      // Registers that lanes which took another way since the last reconvergence may still need.
      BitSet needed_elsewhere(kPhysicalRegisters);
      for (std::uint32_t d = dom.parent(b); d != kNoBlock; d = dom.parent(d)) {
        if (function.blocks[d].successors.size() < 2) continue;
        bool reconverged = false;
        for (std::uint32_t p = post.parent(d); p != kNoBlock && p != count && !reconverged; p = post.parent(p)) {
          reconverged = dom.dominates(p, b);
        }
        if (reconverged) continue;
        for (const std::uint32_t s : function.blocks[d].successors) {
          if (!dom.dominates(s, b)) needed_elsewhere.unite(live.in[s]);
        }
      }
      for (isa::Instruction& instruction : function.blocks[b].code) {
        if (instruction.soft_definition) continue;
        bool soft = false;
        for (const isa::Operand& operand : instruction.dst) {
          for_each_physical(operand, [&](std::size_t r) { soft = soft || needed_elsewhere.contains(r); });
        }
        if (soft) {
          instruction.soft_definition = true;
          changed = true;
        }
      }
    }
  }
}

}  // namespace heddle::compile
