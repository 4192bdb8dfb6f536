// Takes constants that are added to addresses into the offsets of loads and stores, as real assemblers do.
//
// In an unrolled loop each round adds its step to every pointer and counter. Here the additions to a register wait:
// what uses it as an address takes them into its offset, and a register gets the sum where something else wants it, at
// the latest at the end of the block.
//
//   ld [p]; p = p + 4; ld [p]; p = p + 4     becomes     ld [p]; ld [p+4]; p = p + 8
//
// Likewise q = p + 4; ld [q] becomes ld [p+4], and the addition goes if nothing else wants it. In shared memory p must
// be an address, not an index: where shared memory begins is a value in a register from compute capability 9.0 on, so
// that adding a variable's address stays an instruction (seen in what ptxas 13.0 makes).
#include <map>
#include <optional>
#include <set>

#include "compile/passes.h"

namespace heddle::compile {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::Operand;

/// Offsets of loads and stores have 24 bits, with a sign.
constexpr std::int64_t kFurthest = (std::int64_t{1} << 23) - 1;

bool is_constant(const Operand& o) {
  return (o.kind == Operand::Kind::immediate || o.kind == Operand::Kind::immediate_wide) && o.index == 0;
}

std::int64_t value_of(const Operand& o) {
  return o.wide() ? static_cast<std::int64_t>(o.value) : static_cast<std::int32_t>(o.value);
}

bool is_sum(const Instruction& i) {
  return (i.op == Opcode::iadd || i.op == Opcode::isub) && !i.saturate && !i.dst[1].exists() &&
         !counts_from_frame_end(i) && i.dst[0].is_register() && !isa::is_float(i.type) && isa::size_of(i.type) >= 4 &&
         i.type != isa::Type::s16x2 && i.type != isa::Type::u16x2;
}

/// The register that an instruction adds a constant to, and the constant.
std::optional<std::pair<std::uint32_t, std::int64_t>> plus_constant(const Instruction& i) {
  if (!is_sum(i)) return std::nullopt;
  if (i.src[0].is_register() && is_constant(i.src[1]))
    return std::pair{i.src[0].index, i.op == Opcode::isub ? -value_of(i.src[1]) : value_of(i.src[1])};
  if (i.op == Opcode::iadd && is_constant(i.src[0]) && i.src[1].is_register())
    return std::pair{i.src[1].index, value_of(i.src[0])};
  return std::nullopt;
}

bool has_address(const Instruction& i) {
  return i.op == Opcode::ld || i.op == Opcode::st || i.op == Opcode::atom || i.op == Opcode::red ||
         i.op == Opcode::prefetch;
}

class Folding {
 public:
  Folding(MachineFunction& f, Block& block) : f_(f), block_(block) {
    for (const Instruction& i : block.code) {
      if (has_address(i) && i.src[0].is_register()) addresses_.insert(i.src[0].index);
    }
  }

  void run() {
    for (Instruction& i : block_.code) {
      if (waits(i)) continue;
      take_in(i);
      if (ends_block(i.op) || i.op == Opcode::call || i.op == Opcode::callx) add_all(i);
      go_to_base(i);
      code_.push_back(i);
      if (!i.guard.exists()) for_each_definition(i, [&](std::uint32_t r) { waiting_.erase(r); });
      note_sum(i);
    }
    if (!waiting_.empty()) add_all(block_.code.back());
    block_.code = std::move(code_);
  }

 private:
  /// An addition to a register that can wait does.
  bool waits(const Instruction& i) {
    const auto sum = plus_constant(i);
    if (!sum || i.guard.exists() || i.dst[0].index != sum->first || sum->first == f_.stack_pointer) return false;
    const auto found = waiting_.find(sum->first);
    const std::int64_t all = sum->second + (found == waiting_.end() ? 0 : found->second.by);
    if (all > kFurthest || all < -kFurthest) return false;
    waiting_[sum->first] = {i, all};
    return true;
  }

  void take_in(Instruction& i) {
    std::map<std::uint32_t, Addition> wanted;
    const auto want = [&](std::uint32_t r) {
      if (const auto found = waiting_.find(r); found != waiting_.end()) wanted.insert(*found);
    };
    for_each_use(i, want);
    if (i.guard.exists()) for_each_definition(i, want);
    for (const auto& [r, addition] : wanted) {
      if (!takes_in(i, r, addition.by)) add(r, i);
    }
  }

  /// Whether the instruction does without the addition, by another constant of its own.
  static bool takes_in(Instruction& i, std::uint32_t r, std::int64_t by) {
    unsigned uses = 0;
    for_each_use(i, [&](std::uint32_t used) { uses += used == r ? 1 : 0; });
    bool defines = false;
    for_each_definition(i, [&](std::uint32_t d) { defines = defines || d == r; });
    if (uses != 1 || (defines && i.guard.exists())) return false;
    if (has_address(i)) {
      const std::int64_t offset = i.offset + by;
      if (!i.src[0].is_register() || i.src[0].index != r || offset > kFurthest || offset < -kFurthest) return false;
      i.offset = offset;
      return true;
    }
    if (const auto sum = plus_constant(i); sum && sum->first == r) {
      Instruction changed = i;
      changed.op = Opcode::iadd;
      changed.src[0] = i.src[i.src[0].is_register() ? 0 : 1];
      changed.src[1] = immediate_operand(static_cast<std::uint64_t>(sum->second + by), changed.src[0].wide());
      i = changed;
      return true;
    }
    return false;
  }

  /// An address that is a sum becomes the register that the constant was added to.
  void go_to_base(Instruction& i) const {
    if (!has_address(i) || !i.src[0].is_register()) return;
    const auto found = sums_.find(i.src[0].index);
    if (found == sums_.end()) return;
    const std::int64_t offset = i.offset + found->second.by;
    if (offset > kFurthest || offset < -kFurthest) return;
    if (i.space == isa::Space::shared && addresses_.count(found->second.base.index) == 0) return;
    i.src[0] = found->second.base;
    i.offset = offset;
  }

  void note_sum(const Instruction& i) {
    for_each_definition(i, [&](std::uint32_t r) {
      std::erase_if(sums_, [r](const auto& sum) { return sum.first == r || sum.second.base.index == r; });
    });
    const auto sum = plus_constant(i);
    if (!sum || i.guard.exists() || i.dst[0].index == sum->first) return;
    const Operand& base = i.src[i.src[0].is_register() ? 0 : 1];
    if (base.kind != i.dst[0].kind || sum->first == f_.stack_pointer) return;
    const auto chain = sums_.find(sum->first);
    sums_[i.dst[0].index] =
        chain == sums_.end() ? Sum{base, sum->second} : Sum{chain->second.base, chain->second.by + sum->second};
  }

  /// The register gets what waits for it, before `before` executes.
  void add(std::uint32_t r, const Instruction& before) {
    Instruction sum = waiting_.at(r).last;
    sum.op = Opcode::iadd;
    sum.src[0] = sum.dst[0];
    sum.src[1] = immediate_operand(static_cast<std::uint64_t>(waiting_.at(r).by), sum.dst[0].wide());
    sum.line = before.line;
    sum.source_line = before.source_line;
    sum.source_file = before.source_file;
    const std::int64_t by = waiting_.at(r).by;
    waiting_.erase(r);
    if (by == 0) return;
    code_.push_back(sum);
    sums_.erase(r);
    for (auto& [of, known] : sums_) known.by -= known.base.index == r ? by : 0;
  }
  void add_all(const Instruction& before) {
    while (!waiting_.empty()) add(waiting_.begin()->first, before);
  }

  struct Addition {
    Instruction last;
    std::int64_t by = 0;
  };
  struct Sum {
    Operand base;
    std::int64_t by = 0;
  };

  MachineFunction& f_;
  Block& block_;
  std::vector<Instruction> code_;
  std::set<std::uint32_t> addresses_;          ///< registers that are addresses as they are
  std::map<std::uint32_t, Addition> waiting_;  ///< by register, which does not have it yet
  std::map<std::uint32_t, Sum> sums_;          ///< by register: what it is, while both have not changed
};

}  // namespace

void fold_offsets(MachineFunction& function) {
  for (Block& block : function.blocks) {
    if (!block.code.empty()) Folding(function, block).run();
  }
  remove_dead_code(function);
}

}  // namespace heddle::compile
