#include "compile/regions/warp_liveness.h"

#include "compile/cfg.h"
#include "isa/member_mask.h"

namespace heddle::compile {
namespace {

/// Solves liveness of general registers. kills(block, index, register) says whether a definition ends a value's life,
/// reads(block, index, register) whether it also counts as a use.
template <typename Kills, typename Reads>
Liveness solve_general(const MachineFunction& function, Kills&& kills, Reads&& reads) {
  const auto count = static_cast<std::uint32_t>(function.blocks.size());
  std::vector<BitSet> use(count, BitSet(kGeneralRegisters));
  std::vector<BitSet> kill(count, BitSet(kGeneralRegisters));
  for (std::uint32_t b = 0; b < count; ++b) {
    const auto used = [&](std::size_t r) {
      if (!kill[b].contains(r)) use[b].insert(r);
    };
    for (std::size_t n = 0; n < function.blocks[b].code.size(); ++n) {
      const isa::Instruction& i = function.blocks[b].code[n];
      for (const isa::Operand& s : i.src) for_each_general(s, used);
      if (passes_stack(function, i)) used(kStackRegister);
      for (const isa::Operand& d : i.dst) {
        for_each_general(d, [&](std::size_t r) {
          if (reads(b, n, r)) used(r);
          if (kills(b, n, r)) kill[b].insert(r);
        });
      }
    }
  }
  return solve_liveness(function, kGeneralRegisters, use, kill);
}

/// Blocks that are reached from a block without passing another.
std::vector<std::uint32_t> reached_before(const MachineFunction& function, std::uint32_t from, std::uint32_t stop) {
  std::vector<std::uint32_t> found;
  if (from == stop) return found;
  std::vector<std::uint8_t> seen(function.blocks.size(), 0);
  found.push_back(from);
  seen[from] = 1;
  for (std::size_t n = 0; n < found.size(); ++n) {
    for (const std::uint32_t s : function.blocks[found[n]].successors) {
      if (s == stop || seen[s] != 0) continue;
      seen[s] = 1;
      found.push_back(s);
    }
  }
  return found;
}

bool reads_register(const isa::Instruction& i, std::size_t reg) {
  bool found = false;
  for (const isa::Operand& s : i.src) for_each_general(s, [&](std::size_t r) { found = found || r == reg; });
  return found;
}

bool writes_register(const isa::Instruction& i, std::size_t reg) {
  bool found = false;
  for (const isa::Operand& d : i.dst) for_each_general(d, [&](std::size_t r) { found = found || r == reg; });
  return found;
}

bool writes_predicate(const isa::Instruction& i, std::uint32_t predicate) {
  bool found = false;
  for (const isa::Operand& d : i.dst)
    found = found || (d.kind == isa::Operand::Kind::predicate && d.index == predicate);
  return found;
}

}  // namespace

WarpLiveness::WarpLiveness(const MachineFunction& function, SoftTest test) : f_(function), test_(test) {
  const auto nothing = [](std::uint32_t, std::size_t, std::size_t) { return false; };
  for (const Block& block : f_.blocks) covered_.emplace_back(block.code.size(), std::uint8_t{0});
  find_covered(solve_general(
      f_, [&](std::uint32_t b, std::size_t n, std::size_t) { return !is_partial(f_.blocks[b].code[n]); }, nothing));
  const auto kills_in_thread = [&](std::uint32_t b, std::size_t n, std::size_t) {
    return !is_partial(f_.blocks[b].code[n]) || covered_[b][n] != 0;
  };
  find_needed(solve_general(f_, kills_in_thread, nothing));
  warp_ = solve_general(
      f_, [&](std::uint32_t b, std::size_t n, std::size_t r) { return definition(b, n, r) == Definition::hard; },
      [&](std::uint32_t b, std::size_t n, std::size_t r) { return definition(b, n, r) == Definition::soft; });
}

Definition WarpLiveness::definition(std::uint32_t block, std::size_t index, std::size_t reg) const {
  const isa::Instruction& i = f_.blocks[block].code[index];
  if (needed_[block].contains(reg) || i.soft_definition) return Definition::soft;
  return is_partial(i) && covered_[block][index] == 0 ? Definition::guarded : Definition::hard;
}

void WarpLiveness::find_covered(const Liveness& thread) {
  for (std::uint32_t b = 0; b < f_.blocks.size(); ++b) {
    const Block& block = f_.blocks[b];
    for (std::size_t n = 0; n < block.code.size(); ++n) {
      if (!is_partial(block.code[n])) continue;
      bool all = true;
      for (const isa::Operand& d : block.code[n].dst) {
        for_each_general(d, [&](std::size_t r) { all = all && covers(block, n, r, thread.out[b]); });
      }
      covered_[b][n] = all ? 1 : 0;
    }
  }
}

/// Whether all that read the register after this definition, up to the next whole one, stand in the block under the
/// same guard.
bool WarpLiveness::covers(const Block& block, std::size_t index, std::size_t reg, const BitSet& live_out) const {
  const isa::Instruction& definition = block.code[index];
  bool same = !writes_predicate(definition, definition.guard.predicate);
  for (std::size_t n = index + 1; n < block.code.size(); ++n) {
    const isa::Instruction& i = block.code[n];
    const bool guarded_alike =
        same && i.guard.predicate == definition.guard.predicate && i.guard.negated == definition.guard.negated;
    if (reads_register(i, reg) && !guarded_alike) return false;
    if (writes_register(i, reg) && !is_partial(i)) return true;
    same = same && !writes_predicate(i, definition.guard.predicate);
  }
  return !live_out.contains(reg);
}

void WarpLiveness::find_needed(const Liveness& thread) {
  const auto count = static_cast<std::uint32_t>(f_.blocks.size());
  needed_.assign(count, BitSet(kGeneralRegisters));
  if (test_ == SoftTest::printed) return;
  if (!f_.is_entry) {
    // Lanes that did not make the call are somewhere in the callers.
    for (BitSet& needed : needed_) {
      for (std::size_t r = 0; r < kGeneralRegisters; ++r) needed.insert(r);
    }
    return;
  }
  if (test_ == SoftTest::scattered) return find_scattered(thread);
  const DominatorTree post = post_dominators(f_);
  for (std::uint32_t d = 0; d < count; ++d) {
    const std::vector<std::uint32_t>& ways = f_.blocks[d].successors;
    if (ways.size() < 2) continue;
    const std::uint32_t meet = post.parent(d) == kNoBlock ? count : post.parent(d);
    for (const std::uint32_t way : ways) {
      BitSet others(kGeneralRegisters);
      if (meet < count) others.unite(thread.in[meet]);
      for (const std::uint32_t other : ways) {
        if (other != way) others.unite(thread.in[other]);
      }
      for (const std::uint32_t b : reached_before(f_, way, meet)) needed_[b].unite(others);
    }
  }
}

/// Lanes that have gone different ways may be wherever one can turn to others: where a block begins, and where lanes
/// meet or have met inside one.
void WarpLiveness::find_scattered(const Liveness& thread) {
  const auto count = static_cast<std::uint32_t>(f_.blocks.size());
  BitSet anywhere(kGeneralRegisters);
  std::vector<std::uint8_t> apart(count, 0);  // blocks in which others may be elsewhere
  for (std::uint32_t d = 0; d < count; ++d) {
    if (f_.blocks[d].successors.size() < 2) continue;
    for (const std::uint32_t way : f_.blocks[d].successors) {
      for (const std::uint32_t b : reached_before(f_, way, count)) apart[b] = 1;
    }
  }
  bool calls = false;
  for (std::uint32_t b = 0; b < count; ++b) {
    const std::vector<isa::Instruction>& code = f_.blocks[b].code;
    if (apart[b] != 0) anywhere.unite(thread.in[b]);
    BitSet live = thread.out[b];
    for (std::size_t n = code.size(); n-- > 0;) {
      const bool meets = isa::lanes_meet(code[n]);
      if (apart[b] != 0 && meets) anywhere.unite(live);
      if (!is_partial(code[n])) {
        for (const isa::Operand& d : code[n].dst) for_each_general(d, [&](std::size_t r) { live.erase(r); });
      }
      for (const isa::Operand& s : code[n].src) for_each_general(s, [&](std::size_t r) { live.insert(r); });
      if (apart[b] != 0 && meets) anywhere.unite(live);
      calls = calls || code[n].op == isa::Opcode::call || code[n].op == isa::Opcode::callx;
    }
  }
  if (calls) {  // others may be in what is called, which uses any register
    for (std::size_t r = 0; r < kGeneralRegisters; ++r) anywhere.insert(r);
  }
  for (std::uint32_t b = 0; b < count; ++b) {
    if (apart[b] != 0 || calls) needed_[b] = anywhere;
  }
}

std::vector<BitSet> WarpLiveness::inside(std::uint32_t block) const {
  const std::vector<isa::Instruction>& code = f_.blocks[block].code;
  std::vector<BitSet> live(code.size() + 1, warp_.out[block]);
  for (std::size_t n = code.size(); n-- > 0;) {
    BitSet& before = live[n];
    before = live[n + 1];
    for (const isa::Operand& d : code[n].dst) {
      for_each_general(d, [&](std::size_t r) {
        const Definition kind = definition(block, n, r);
        if (kind == Definition::hard) before.erase(r);
        if (kind == Definition::soft) before.insert(r);
      });
    }
    for (const isa::Operand& s : code[n].src) for_each_general(s, [&](std::size_t r) { before.insert(r); });
    if (passes_stack(f_, code[n])) before.insert(kStackRegister);
  }
  return live;
}

}  // namespace heddle::compile
