// Unrolls small counted loops, as real assemblers do, so that loads of several rounds can be on their way together.
//
// A loop is unrolled if it is one block that ends with a branch to itself, on a comparison of a counter with something
// that does not change in the loop; the counter is changed once, by a constant. Before the loop, and after each pass
// through the unrolled one, it is checked that so many rounds are left; the original loop does the rest.
//
//   G:  @fewer rounds left than a pass has  BRA B        B':  a pass: the rounds one after the other
//                                                             @enough rounds left  BRA B'
//                                                        T:   @none left  BRA the block after B
//                                                        B:   as before
//
// Values that do not live from round to round have registers of their own in each round of a pass.
//
// Left alone, as by ptxas 13.0 for compute capability 9.0 (loops with one such instruction each were assembled and
// looked at): loops with an atomic, and those that store to the memory that they load from, at a place or with a value
// or a condition that comes from the load of the same round, unless they load from another memory as well.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "compile/passes.h"

namespace heddle::compile {
namespace {

using isa::Compare;
using isa::Instruction;
using isa::Opcode;
using isa::Operand;
using isa::Type;

constexpr unsigned kMostInstructions = 160;  ///< of a pass

struct CountedLoop {
  std::size_t test = 0;  ///< the instruction that compares
  Operand counter;
  Operand bound;
  Compare go_on = Compare::none;  ///< of counter and bound, after the counter was changed
  std::int64_t step = 0;
};

bool may_repeat(const Instruction& i) {
  switch (i.op) {
    case Opcode::bar:
    case Opcode::barwarp:
    case Opcode::call:
    case Opcode::callx:
    case Opcode::syscall:
    case Opcode::fence:
    case Opcode::nanosleep:
    case Opcode::s2r:
    case Opcode::vote:
    case Opcode::shfl:
    case Opcode::match:
    case Opcode::redux:
    case Opcode::activemask:
    case Opcode::elect:
    case Opcode::atom:
    case Opcode::red:
      return false;
    default:
      return !ends_block(i.op) && !counts_from_frame_end(i) && !i.is_volatile;
  }
}

/// Whether stores want what was loaded from the memory that they store to, and nothing is loaded from elsewhere.
bool stores_what_it_loads(const Block& block) {
  std::set<isa::Space> loaded;
  std::map<std::uint32_t, std::set<isa::Space>> from;  // by register: where its value was loaded in this round
  bool stores = false;
  for (const Instruction& i : block.code) {
    std::set<isa::Space> sources;
    for_each_use(i, [&](std::uint32_t r) {
      if (const auto found = from.find(r); found != from.end())
        sources.insert(found->second.begin(), found->second.end());
    });
    if (i.op == Opcode::st)
      stores = stores || sources.count(i.space) != 0 || sources.count(isa::Space::generic) != 0 ||
               (i.space == isa::Space::generic && !sources.empty());
    const bool reads_memory = i.op == Opcode::ld && i.space != isa::Space::param && i.space != isa::Space::constant;
    if (reads_memory) {
      loaded.insert(i.space);
      sources = {i.space};
    }
    for_each_definition(i, [&](std::uint32_t r) {
      if (is_partial(i)) {
        from[r].insert(sources.begin(), sources.end());
      } else {
        from[r] = sources;
      }
    });
  }
  return stores && loaded.size() == 1;
}

Compare opposite(Compare c) {
  switch (c) {
    case Compare::eq:
      return Compare::ne;
    case Compare::ne:
      return Compare::eq;
    case Compare::lt:
      return Compare::ge;
    case Compare::ge:
      return Compare::lt;
    case Compare::le:
      return Compare::gt;
    case Compare::gt:
      return Compare::le;
    default:
      return Compare::none;
  }
}

Compare mirrored(Compare c) {
  switch (c) {
    case Compare::lt:
      return Compare::gt;
    case Compare::gt:
      return Compare::lt;
    case Compare::le:
      return Compare::ge;
    case Compare::ge:
      return Compare::le;
    default:
      return c;
  }
}

bool is_counter_type(Type type) {
  return type == Type::s32 || type == Type::u32 || type == Type::b32 || type == Type::s64 || type == Type::u64 ||
         type == Type::b64;
}

unsigned definitions(const Block& block, std::uint32_t r) {
  unsigned count = 0;
  for (const Instruction& i : block.code) for_each_definition(i, [&](std::uint32_t d) { count += d == r ? 1 : 0; });
  return count;
}

unsigned uses(const Block& block, std::uint32_t r) {
  unsigned count = 0;
  for (const Instruction& i : block.code) for_each_use(i, [&](std::uint32_t u) { count += u == r ? 1 : 0; });
  return count;
}

/// By how much the block changes the register before instruction `end`, if it does so once and by a constant.
std::optional<std::int64_t> step_of(const Block& block, const Operand& counter, std::size_t end) {
  if (definitions(block, counter.index) != 1) return std::nullopt;
  for (std::size_t n = 0; n < end; ++n) {
    const Instruction& i = block.code[n];
    if (!i.dst[0].is_register() || i.dst[0].index != counter.index) continue;
    const bool adds = i.op == Opcode::iadd && !i.guard.exists() && !i.saturate && i.src[0].is_register() &&
                      i.src[0].index == counter.index;
    if (!adds) return std::nullopt;
    if (i.src[1].kind == Operand::Kind::immediate) return static_cast<std::int32_t>(i.src[1].value);
    if (i.src[1].kind == Operand::Kind::immediate_wide) return static_cast<std::int64_t>(i.src[1].value);
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<CountedLoop> counted_loop(const MachineFunction& f, std::uint32_t b) {
  const Block& block = f.blocks[b];
  if (block.code.size() < 3 || b + 1 >= f.blocks.size()) return std::nullopt;
  const Instruction& branch = block.code.back();
  if (branch.op != Opcode::bra || branch.target != b || !branch.guard.exists()) return std::nullopt;
  if (block.successors != std::vector<std::uint32_t>{b, b + 1}) return std::nullopt;
  if (!std::all_of(block.code.begin(), block.code.end() - 1, may_repeat)) return std::nullopt;
  if (stores_what_it_loads(block)) return std::nullopt;
  if (f.branching_divisions && std::any_of(block.code.begin(), block.code.end(), may_branch)) return std::nullopt;
  const std::uint32_t p = branch.guard.predicate;
  if (definitions(block, p) != 1 || uses(block, p) != 1) return std::nullopt;
  CountedLoop loop;
  while (!block.code[loop.test].dst[0].is_register() || block.code[loop.test].dst[0].index != p) {
    if (++loop.test == block.code.size()) return std::nullopt;
  }
  const Instruction& test = block.code[loop.test];
  const bool plain = test.op == Opcode::setp && !test.guard.exists() && !test.dst[1].exists() &&
                     !test.src[2].exists() && is_counter_type(test.source_type);
  if (!plain) return std::nullopt;
  for (const bool second : {false, true}) {
    const Operand& counter = test.src[second ? 1 : 0];
    const Operand& bound = test.src[second ? 0 : 1];
    if (!counter.is_register() || (bound.is_register() && definitions(block, bound.index) != 0)) continue;
    const auto step = step_of(block, counter, loop.test);
    if (!step) continue;
    loop.counter = counter;
    loop.bound = bound;
    loop.step = *step;
    loop.go_on = second ? mirrored(test.compare) : test.compare;
    if (branch.guard.negated) loop.go_on = opposite(loop.go_on);
    const bool up = loop.go_on == Compare::lt || loop.go_on == Compare::le;
    const bool down = loop.go_on == Compare::gt || loop.go_on == Compare::ge;
    constexpr std::int64_t kLargestStep = 1 << 20;
    if (loop.step == 0 || std::abs(loop.step) > kLargestStep) return std::nullopt;
    if (loop.go_on == Compare::ne || (up && loop.step > 0) || (down && loop.step < 0)) return loop;
    return std::nullopt;
  }
  return std::nullopt;
}

/// Appends the check that at least `rounds` are left; the result is its predicate. The distance to the bound cannot
/// overflow where the counter is on the right side of it, which is checked, too.
std::uint32_t append_check(MachineFunction& f, const CountedLoop& loop, const Instruction& test, unsigned rounds,
                           std::vector<Instruction>& code) {
  const bool wide = loop.counter.wide();
  const std::uint32_t distance = f.new_register(wide ? RegisterClass::pair : RegisterClass::gpr);
  Instruction subtract;
  subtract.op = Opcode::isub;
  subtract.type = wide ? Type::s64 : Type::s32;
  subtract.line = test.line;
  subtract.source_line = test.source_line;
  subtract.source_file = test.source_file;
  subtract.dst[0] = register_operand(wide ? RegisterClass::pair : RegisterClass::gpr, distance);
  subtract.src[0] = loop.step > 0 ? loop.bound : loop.counter;
  subtract.src[1] = loop.step > 0 ? loop.counter : loop.bound;
  code.push_back(subtract);

  const auto far = static_cast<std::uint64_t>(std::abs(loop.step)) * (rounds - 1);
  const bool equal_counts = loop.go_on == Compare::le || loop.go_on == Compare::ge;
  Instruction enough = test;
  enough.source_type = wide ? Type::u64 : Type::u32;
  enough.compare = equal_counts ? Compare::ge : Compare::gt;
  enough.dst[0] = register_operand(RegisterClass::predicate, f.new_register(RegisterClass::predicate));
  enough.src[0] = subtract.dst[0];
  enough.src[1] = immediate_operand(far, wide);
  if (loop.go_on != Compare::ne) {
    Instruction right_side = test;
    right_side.compare = loop.go_on;
    right_side.src[0] = loop.counter;
    right_side.src[1] = loop.bound;
    right_side.dst[0] = register_operand(RegisterClass::predicate, f.new_register(RegisterClass::predicate));
    code.push_back(right_side);
    enough.logic = isa::Logic::and_;
    enough.src[2] = right_side.dst[0];
  }
  code.push_back(enough);
  return enough.dst[0].index;
}

Instruction branch_to(std::uint32_t block, std::uint32_t predicate, bool negated, const Instruction& like) {
  Instruction branch = like;
  branch.target = block;
  branch.guard.predicate = predicate;
  branch.guard.negated = negated;
  return branch;
}

/// The registers that a round writes before it reads them.
std::vector<std::uint32_t> own_registers(const Block& block) {
  std::map<std::uint32_t, bool> own;
  for (const Instruction& i : block.code) {
    for_each_use(i, [&](std::uint32_t r) { own.emplace(r, false); });
    for_each_definition(i, [&](std::uint32_t r) { own.emplace(r, !is_partial(i)); });
  }
  std::vector<std::uint32_t> result;
  for (const auto& [r, is_own] : own) {
    if (is_own) result.push_back(r);
  }
  return result;
}

std::vector<Instruction> make_pass(MachineFunction& f, const Block& block, const CountedLoop& loop, unsigned rounds) {
  std::vector<Instruction> code;
  const std::vector<std::uint32_t> own = own_registers(block);
  for (unsigned round = 0; round < rounds; ++round) {
    const bool last = round + 1 == rounds;
    std::map<std::uint32_t, std::uint32_t> names;
    for (const std::uint32_t r : own) {
      if (!last) names[r] = f.new_register(f.registers[r]);
    }
    const auto rename = [&](Operand& operand) {
      if (!operand.is_register()) return;
      if (const auto found = names.find(operand.index); found != names.end()) operand.index = found->second;
    };
    for (std::size_t n = 0; n + 1 < block.code.size(); ++n) {
      if (n == loop.test && !last) continue;
      Instruction i = block.code[n];
      for (Operand& operand : i.dst) rename(operand);
      for (Operand& operand : i.src) rename(operand);
      if (const auto found = names.find(i.guard.predicate); i.guard.exists() && found != names.end())
        i.guard.predicate = found->second;
      code.push_back(i);
    }
  }
  return code;
}

void link_predecessors(MachineFunction& f) {
  for (Block& block : f.blocks) block.predecessors.clear();
  for (std::uint32_t b = 0; b < f.blocks.size(); ++b) {
    for (const std::uint32_t s : f.blocks[b].successors) f.blocks[s].predecessors.push_back(b);
  }
}

void unroll_loop(MachineFunction& f, std::uint32_t b, const CountedLoop& loop, unsigned rounds) {
  constexpr std::uint32_t kNew = 3;
  const Block original = f.blocks[b];
  const Instruction& test = original.code[loop.test];
  const Instruction& branch = original.code.back();
  // Whoever went to the loop from outside comes to the check first; what lies behind moves.
  const auto moved = [&](std::uint32_t block) { return block > b ? block + kNew : block; };
  for (std::uint32_t n = 0; n < f.blocks.size(); ++n) {
    for (std::uint32_t& s : f.blocks[n].successors) s = moved(s);
    for (Instruction& i : f.blocks[n].code) {
      if (i.op == Opcode::bra) i.target = moved(i.target);
    }
  }
  for (auto& table : f.branch_tables) {
    for (std::uint32_t& target : table) target = moved(target);
  }
  const std::uint32_t pass_at = b + 1;
  const std::uint32_t rest_at = b + 3;
  const std::uint32_t after = b + 4;
  Block check;
  const std::uint32_t at_first = append_check(f, loop, test, rounds, check.code);
  check.code.push_back(branch_to(rest_at, at_first, true, branch));
  check.successors = {rest_at, pass_at};
  Block pass;
  pass.code = make_pass(f, original, loop, rounds);
  const std::uint32_t again = append_check(f, loop, test, rounds, pass.code);
  pass.code.push_back(branch_to(pass_at, again, false, branch));
  pass.successors = {pass_at, pass_at + 1};
  Block rest_check;
  rest_check.code = {branch_to(after, branch.guard.predicate, !branch.guard.negated, branch)};
  rest_check.successors = {after, rest_at};
  Block& rest = f.blocks[b];
  rest.code.back().target = rest_at;
  rest.successors = {rest_at, after};
  f.blocks.insert(f.blocks.begin() + b, {std::move(check), std::move(pass), std::move(rest_check)});
  link_predecessors(f);
}

}  // namespace

void unroll_loops(MachineFunction& function, unsigned rounds) {
  for (std::uint32_t b = 0; b < function.blocks.size(); ++b) {
    const auto loop = counted_loop(function, b);
    if (!loop) continue;
    const auto body = static_cast<unsigned>(function.blocks[b].code.size());
    const unsigned fitting = std::min(rounds, kMostInstructions / body);
    if (fitting < 2) continue;
    unroll_loop(function, b, *loop, fitting);
    b += 3;  // the loop itself is behind the new blocks, and done
  }
}

}  // namespace heddle::compile
