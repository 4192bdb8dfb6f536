// Fewer loads of shared and constant memory, as real assemblers make of them:
//  - a word that is loaded twice in a block is loaded once, if nothing between may have changed it;
//  - up to four words that lie side by side are loaded by one instruction, if their address is known to be a multiple
//  of
//    their size.
//
// Threads of a block see each other's stores where they synchronise: a barrier, a fence, an atomic and a call end what
// is known of shared memory, and so does a store there.
#include <algorithm>
#include <bit>
#include <set>

#include "compile/passes.h"

namespace heddle::compile {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::Operand;
using isa::Space;

constexpr std::uint32_t kWordBytes = 4;
constexpr std::uint64_t kMostAligned = 16;

bool is_plain_load(const Instruction& i) {
  return i.op == Opcode::ld && (i.space == Space::shared || i.space == Space::constant) && i.vector == 1 &&
         !i.is_volatile && !i.guard.exists() && i.scope == isa::Scope::none && i.dst[0].is_register();
}

bool may_change_shared(const Instruction& i) {
  switch (i.op) {
    case Opcode::st:
    case Opcode::atom:
    case Opcode::red:
      return i.space == Space::shared || i.space == Space::generic;
    case Opcode::bar:
    case Opcode::barwarp:
    case Opcode::fence:
    case Opcode::call:
    case Opcode::callx:
    case Opcode::syscall:
    case Opcode::nanosleep:
      return true;
    case Opcode::ld:
      return i.is_volatile || i.scope != isa::Scope::none;
    default:
      return false;
  }
}

bool is_same(const Operand& a, const Operand& b) {
  return a.kind == b.kind && a.index == b.index && a.value == b.value && a.negated == b.negated;
}

bool uses(const Instruction& i, std::uint32_t r) {
  bool found = false;
  for_each_use(i, [&](std::uint32_t used) { found = found || used == r; });
  return found;
}
bool defines(const Instruction& i, std::uint32_t r) {
  bool found = false;
  for_each_definition(i, [&](std::uint32_t defined) { found = found || defined == r; });
  return found;
}

// -- words loaded twice --

void reuse_loads(Block& block) {
  std::vector<Instruction> known;  // loads whose results still are what memory holds
  for (Instruction& i : block.code) {
    const bool plain = is_plain_load(i);
    const Instruction load = i;
    if (plain) {
      const auto same = std::find_if(known.begin(), known.end(), [&](const Instruction& other) {
        return other.space == i.space && other.type == i.type && other.offset == i.offset &&
               is_same(other.src[0], i.src[0]);
      });
      if (same != known.end()) {
        Instruction copy;
        copy.op = Opcode::mov;
        copy.type = load.dst[0].wide() ? isa::Type::b64 : isa::Type::b32;
        copy.dst[0] = load.dst[0];
        copy.src[0] = same->dst[0];
        copy.line = load.line;
        copy.source_line = load.source_line;
        copy.source_file = load.source_file;
        i = copy;
      }
    }
    std::erase_if(known, [&](const Instruction& other) {
      return (other.space == Space::shared && may_change_shared(load)) || defines(load, other.dst[0].index) ||
             (other.src[0].is_register() && defines(load, other.src[0].index));
    });
    if (plain && i.op == Opcode::ld && !uses(load, load.dst[0].index)) known.push_back(load);
  }
}

// -- what addresses are multiples of --

std::uint64_t alignment_of(std::uint64_t value) {
  return value == 0 ? kMostAligned : std::min(kMostAligned, std::uint64_t{1} << std::countr_zero(value));
}

/// By register: a power of two that all its values are multiples of.
class Alignments {
 public:
  explicit Alignments(const MachineFunction& f) : known_(f.registers.size(), kMostAligned) {
    std::vector<bool> defined(f.registers.size(), false);
    for (const Block& block : f.blocks) {
      for (const Instruction& i : block.code) for_each_definition(i, [&](std::uint32_t r) { defined[r] = true; });
    }
    for (std::size_t r = 0; r < defined.size(); ++r) known_[r] = defined[r] ? kMostAligned : 1;
    for (bool changed = true; changed;) {
      changed = false;
      for (const Block& block : f.blocks) {
        for (const Instruction& i : block.code) changed = meet(i) || changed;
      }
    }
  }

  [[nodiscard]] std::uint64_t of(const Operand& operand) const {
    switch (operand.kind) {
      case Operand::Kind::gpr:
      case Operand::Kind::gpr_pair:
        return known_[operand.index];
      case Operand::Kind::immediate:
      case Operand::Kind::immediate_wide:
        return operand.index != 0 ? 1 : alignment_of(operand.value);  // with an index: of code, placed later
      default:
        return 1;
    }
  }

 private:
  /// Any value may be what an instruction writes; returns true if less is known than before.
  bool meet(const Instruction& i) {
    const std::uint64_t made = of_result(i);
    bool changed = false;
    for_each_definition(i, [&](std::uint32_t r) {
      changed = changed || made < known_[r];
      known_[r] = std::min(known_[r], made);
    });
    return changed;
  }

  [[nodiscard]] std::uint64_t of_result(const Instruction& i) const {
    if (counts_from_frame_end(i) || isa::is_float(i.type) || i.saturate) return 1;
    switch (i.op) {
      case Opcode::mov:
        return of(i.src[0]);
      case Opcode::iadd:
      case Opcode::isub:
        return std::min(of(i.src[0]), of(i.src[1]));
      case Opcode::and_:
        return std::max(of(i.src[0]), of(i.src[1]));
      case Opcode::or_:
      case Opcode::xor_:
        return std::min(of(i.src[0]), of(i.src[1]));
      case Opcode::shl:
        if (i.src[1].kind != Operand::Kind::immediate || i.src[1].value >= 32) return 1;
        return std::min(kMostAligned, of(i.src[0]) << std::min<std::uint64_t>(i.src[1].value, 4));
      case Opcode::imul:
        return i.part == isa::Part::hi ? 1 : std::min(kMostAligned, of(i.src[0]) * of(i.src[1]));
      case Opcode::imad:
        return i.part == isa::Part::hi ? 1 : std::min({kMostAligned, of(i.src[0]) * of(i.src[1]), of(i.src[2])});
      default:
        return 1;
    }
  }

  std::vector<std::uint64_t> known_;
};

// -- words side by side --

bool is_word(const Instruction& i) {
  return is_plain_load(i) && !i.dst[0].wide() && isa::size_of(i.type) == kWordBytes;
}

class Merging {
 public:
  explicit Merging(MachineFunction& f) : f_(f), alignments_(f) {}

  void run() {
    for (Block& block : f_.blocks) {
      for (std::size_t n = 0; n < block.code.size(); ++n) merge_at(block.code, n);
    }
  }

 private:
  /// Positions of loads that the load at `n` can be merged with, by distance in words from it; those that may not move
  /// up to it are left out.
  [[nodiscard]] std::vector<std::pair<std::int64_t, std::size_t>> neighbours(const std::vector<Instruction>& code,
                                                                             std::size_t n) const {
    const Instruction& first = code[n];
    std::vector<std::pair<std::int64_t, std::size_t>> found{{0, n}};
    std::set<std::uint32_t> touched;  // registers that instructions after the first read or write
    const Operand& base = first.src[0];
    for_each_definition(first, [&](std::uint32_t r) { touched.insert(r); });
    if (base.is_register() && defines(first, base.index)) return found;
    for (std::size_t m = n + 1; m < code.size(); ++m) {
      const Instruction& i = code[m];
      if (first.space == Space::shared && may_change_shared(i)) break;
      const std::int64_t bytes = i.offset - first.offset;
      if (is_word(i) && i.space == first.space && is_same(i.src[0], base) && bytes % kWordBytes == 0 &&
          touched.count(i.dst[0].index) == 0)
        found.emplace_back(bytes / kWordBytes, m);
      if (base.is_register() && defines(i, base.index)) break;
      for_each_use(i, [&](std::uint32_t r) { touched.insert(r); });
      for_each_definition(i, [&](std::uint32_t r) { touched.insert(r); });
    }
    return found;
  }

  void merge_at(std::vector<Instruction>& code, std::size_t n) const {
    if (!is_word(code[n])) return;
    const auto found = neighbours(code, n);
    const auto at = [&](std::int64_t distance) {
      const auto one = std::find_if(found.begin(), found.end(), [&](const auto& f) { return f.first == distance; });
      return one == found.end() ? code.size() : one->second;
    };
    for (std::int64_t words : {std::int64_t{4}, std::int64_t{2}}) {
      const std::int64_t bytes = words * kWordBytes;
      const std::int64_t before = ((code[n].offset % bytes) + bytes) % bytes;
      if (before % kWordBytes != 0 || alignments_.of(code[n].src[0]) < static_cast<std::uint64_t>(bytes)) continue;
      std::vector<std::size_t> group;
      for (std::int64_t w = 0; w < words; ++w) group.push_back(at(w - before / kWordBytes));
      if (std::find(group.begin(), group.end(), code.size()) != group.end()) continue;
      return merge(code, n, group);
    }
  }

  /// The loads in `group`, in the order of their addresses, become one in place of the first in the code.
  static void merge(std::vector<Instruction>& code, std::size_t n, std::vector<std::size_t> group) {
    Instruction wide = code[n];
    wide.vector = static_cast<std::uint8_t>(group.size());
    wide.offset = code[group[0]].offset;
    for (std::size_t w = 0; w < group.size(); ++w) wide.dst[w] = code[group[w]].dst[0];
    code[n] = wide;
    std::sort(group.rbegin(), group.rend());
    for (const std::size_t position : group) {
      if (position != n) code.erase(code.begin() + static_cast<std::ptrdiff_t>(position));
    }
  }

  MachineFunction& f_;
  Alignments alignments_;
};

}  // namespace

void combine_loads(MachineFunction& function) {
  for (Block& block : function.blocks) reuse_loads(block);
  propagate_copies(function);
  remove_dead_code(function);
  Merging(function).run();
}

}  // namespace heddle::compile
