// Register allocation: greedy coloring over exact live ranges (segments with holes), in order of first definition,
// with spilling to the frame and retry.
//
// For code in nearly-SSA form, as PTX is, taking registers in the order of definitions is close to optimal. A copy's
// destination prefers its source's register, so that most copies become moves of a register to itself and disappear.
// Predicates that do not fit go to a general register and come back by a comparison.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "compile/cfg.h"
#include "compile/live_ranges.h"
#include "compile/liveness.h"
#include "compile/passes.h"
#include "compile/spread_banks.h"

namespace heddle::compile {
namespace {

using isa::Opcode;
using isa::Operand;

class Allocator {
 public:
  explicit Allocator(MachineFunction& f) : f_(f), unspillable_(f.registers.size(), false) {}

  Allocation run() {
    Allocation result;
    for (int round = 0; round < 40; ++round) {
      compute_ranges();
      std::vector<std::uint32_t> spills = color();
      if (spills.empty()) {
        if (f_.banks > 1) spread_over_banks(f_, ranges_, general_, assigned_);
        apply(result);
        return result;
      }
      if (stuck_) break;
      spill(spills);
    }
    result.ok = false;
    return result;
  }

 private:
  static constexpr std::uint32_t kUnassigned = isa::kNoRegister;

  void compute_ranges() {
    const Liveness live = live_virtual(f_);
    const std::vector<unsigned> depth = loop_depths(f_, dominators(f_));
    ranges_.assign(f_.registers.size(), {});
    unspillable_.resize(f_.registers.size(), false);
    std::vector<std::uint32_t> open_end(f_.registers.size(), 0);
    std::uint32_t end = 0;
    for (const Block& block : f_.blocks) end += static_cast<std::uint32_t>(block.code.size());
    // Backwards, so that a range's segments are found last to first.
    for (std::size_t b = f_.blocks.size(); b-- > 0;) {
      const Block& block = f_.blocks[b];
      const std::uint32_t begin = end - static_cast<std::uint32_t>(block.code.size());
      const double weight = depth[b] >= 6 ? 1e6 : std::pow(10.0, depth[b]);
      BitSet alive = live.out[b];
      alive.for_each([&](std::size_t r) { open_end[r] = 2 * end; });
      for (std::uint32_t n = end; n-- > begin;) {
        const isa::Instruction& i = block.code[n - begin];
        for_each_definition(i, [&](std::uint32_t r) {
          ranges_[r].weight += weight;
          if (!alive.contains(r)) {
            add_segment(r, 2 * n + 1, 2 * n + 2);
          } else if (!is_partial(i)) {
            add_segment(r, 2 * n + 1, open_end[r]);
            alive.erase(r);
          }
        });
        for_each_use(i, [&](std::uint32_t r) {
          ranges_[r].weight += weight;
          if (!alive.contains(r)) {
            alive.insert(r);
            open_end[r] = 2 * n + 1;
          }
        });
        if (is_partial(i)) {
          for_each_definition(i, [&](std::uint32_t r) {
            if (!alive.contains(r)) {
              alive.insert(r);
              open_end[r] = 2 * n + 1;
            }
          });
        }
        note_hint(i);
      }
      alive.for_each([&](std::size_t r) { add_segment(static_cast<std::uint32_t>(r), 2 * begin, open_end[r]); });
      end = begin;
    }
    for (LiveRange& range : ranges_) normalise(range);
  }

  void note_hint(const isa::Instruction& i) {
    if (i.op != Opcode::mov && !(i.op == Opcode::plogic && i.logic == isa::Logic::mov)) return;
    if (!i.dst[0].is_register() || !i.src[0].is_register()) return;
    ranges_[i.dst[0].index].hint = i.src[0].index;
    ranges_[i.src[0].index].hint = i.dst[0].index;
  }

  void add_segment(std::uint32_t r, std::uint32_t begin, std::uint32_t end) {
    if (begin < end) ranges_[r].segments.push_back({begin, end});
  }

  static void normalise(LiveRange& range) {
    std::sort(range.segments.begin(), range.segments.end(),
              [](const LiveSegment& a, const LiveSegment& b) { return a.begin < b.begin; });
    std::vector<LiveSegment> merged;
    for (const LiveSegment& s : range.segments) {
      if (!merged.empty() && s.begin <= merged.back().end) {
        merged.back().end = std::max(merged.back().end, s.end);
      } else {
        merged.push_back(s);
      }
    }
    range.segments = std::move(merged);
  }

  [[nodiscard]] double cost(std::uint32_t r) const {
    if (unspillable_[r] || r == f_.stack_pointer) return std::numeric_limits<double>::infinity();
    return ranges_[r].weight / static_cast<double>(std::max<std::uint64_t>(ranges_[r].length(), 1));
  }

  std::vector<std::uint32_t> color() {
    stuck_ = false;
    assigned_.assign(f_.registers.size(), kUnassigned);
    general_ = HeldRegisters(f_.register_limit + 1);
    predicates_ = HeldRegisters(kPredicateRegisters);
    std::vector<std::uint32_t> order;
    for (std::uint32_t r = 0; r < ranges_.size(); ++r) {
      if (!ranges_[r].segments.empty() && r != f_.stack_pointer) order.push_back(r);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return ranges_[a].begin() < ranges_[b].begin(); });
    if (f_.stack_pointer != isa::kNoRegister) {
      // A function's stack pointer is there from the start to the end.
      if (!f_.is_entry) ranges_[f_.stack_pointer].segments = {{0, std::numeric_limits<std::uint32_t>::max()}};
      if (!ranges_[f_.stack_pointer].segments.empty()) place(f_.stack_pointer, kStackRegister);
    }
    std::vector<std::uint32_t> spills;
    for (const std::uint32_t r : order) {
      if (assign(r)) continue;
      const Eviction eviction = cheapest_eviction(r);
      if (cost(r) <= eviction.cost) {
        if (cost(r) == std::numeric_limits<double>::infinity()) {
          stuck_ = true;
          return {r};
        }
        spills.push_back(r);
        continue;
      }
      for (const std::uint32_t victim : eviction.victims) {
        evict(victim);
        spills.push_back(victim);
      }
      place(r, eviction.reg);
    }
    return spills;
  }

  [[nodiscard]] bool fits(std::uint32_t r, std::size_t reg) const {
    switch (f_.registers[r]) {
      case RegisterClass::predicate:
        return reg < kPredicateRegisters && predicates_.is_free(reg, ranges_[r]);
      case RegisterClass::gpr:
        return reg < f_.register_limit && general_.is_free(reg, ranges_[r]);
      case RegisterClass::pair:
        return reg % 2 == 0 && reg + 1 < f_.register_limit && general_.is_free(reg, ranges_[r]) &&
               general_.is_free(reg + 1, ranges_[r]);
    }
    return false;
  }

  void place(std::uint32_t r, std::size_t reg) {
    assigned_[r] = static_cast<std::uint32_t>(reg);
    if (f_.registers[r] == RegisterClass::predicate) {
      predicates_.take(reg, ranges_[r], r);
      return;
    }
    general_.take(reg, ranges_[r], r);
    if (f_.registers[r] == RegisterClass::pair) general_.take(reg + 1, ranges_[r], r);
  }

  void evict(std::uint32_t r) {
    const std::uint32_t reg = assigned_[r];
    if (f_.registers[r] == RegisterClass::predicate) {
      predicates_.release(reg, ranges_[r]);
    } else {
      general_.release(reg, ranges_[r]);
      if (f_.registers[r] == RegisterClass::pair) general_.release(reg + 1, ranges_[r]);
    }
    assigned_[r] = kUnassigned;
  }

  bool assign(std::uint32_t r) {
    const std::uint32_t hint = ranges_[r].hint;
    if (hint != isa::kNoRegister && assigned_[hint] != kUnassigned && f_.registers[hint] == f_.registers[r] &&
        fits(r, assigned_[hint])) {
      place(r, assigned_[hint]);
      return true;
    }
    const std::size_t limit = f_.registers[r] == RegisterClass::predicate ? kPredicateRegisters : f_.register_limit;
    const std::size_t step = f_.registers[r] == RegisterClass::pair ? 2 : 1;
    for (std::size_t reg = 0; reg < limit; reg += step) {
      if (fits(r, reg)) {
        place(r, reg);
        return true;
      }
    }
    return false;
  }

  struct Eviction {
    std::size_t reg = 0;
    std::vector<std::uint32_t> victims;
    double cost = std::numeric_limits<double>::infinity();
  };
  /// The place for r whose owners are cheapest to spill, all together.
  [[nodiscard]] Eviction cheapest_eviction(std::uint32_t r) const {
    Eviction best;
    const RegisterClass c = f_.registers[r];
    const HeldRegisters& file = c == RegisterClass::predicate ? predicates_ : general_;
    const std::size_t limit = c == RegisterClass::predicate ? kPredicateRegisters : f_.register_limit;
    const std::size_t width = c == RegisterClass::pair ? 2 : 1;
    for (std::size_t reg = 0; reg + width <= limit; reg += width) {
      Eviction here{reg, {}, 0};
      for (std::size_t half = 0; half < width; ++half) {
        file.for_each_conflict(reg + half, ranges_[r], [&](std::uint32_t other) {
          if (std::find(here.victims.begin(), here.victims.end(), other) != here.victims.end()) return;
          here.victims.push_back(other);
          here.cost += cost(other);
        });
      }
      if (here.cost < best.cost) best = std::move(here);
    }
    return best;
  }

  void spill(const std::vector<std::uint32_t>& spills) {
    std::vector<bool> spilled(f_.registers.size(), false);
    for (const std::uint32_t r : spills) spilled[r] = true;
    // A predicate moves to a general register; others get a slot in the frame.
    std::vector<std::uint64_t> slot(f_.registers.size(), 0);
    std::vector<std::uint32_t> home(f_.registers.size(), isa::kNoRegister);
    const std::size_t known = f_.registers.size();
    for (std::uint32_t r = 0; r < known; ++r) {
      if (!spilled[r]) continue;
      if (f_.registers[r] == RegisterClass::predicate) {
        home[r] = f_.new_register(RegisterClass::gpr);
      } else {
        slot[r] = f_.new_slot(f_.registers[r] == RegisterClass::pair ? 8 : 4);
      }
    }
    for (Block& block : f_.blocks) {
      std::vector<isa::Instruction> code;
      code.reserve(block.code.size());
      for (isa::Instruction& i : block.code) {
        std::vector<isa::Instruction> after;
        std::map<std::uint32_t, std::uint32_t> loaded;
        const auto reload = [&](std::uint32_t r) {
          if (const auto at = loaded.find(r); at != loaded.end()) return at->second;
          const std::uint32_t temporary = new_temporary(f_.registers[r]);
          loaded[r] = temporary;
          isa::Instruction load =
              home[r] != isa::kNoRegister ? from_home(home[r]) : frame_access(Opcode::ld, f_.registers[r], slot[r]);
          load.dst[0] = register_operand(f_.registers[r], temporary);
          load.line = i.line;
          code.push_back(load);
          return temporary;
        };
        for (Operand& s : i.src) {
          if (s.is_register() && s.index < known && spilled[s.index]) s.index = reload(s.index);
        }
        const std::uint32_t original_guard = i.guard.predicate;
        if (i.guard.exists() && i.guard.predicate < known && spilled[i.guard.predicate])
          i.guard.predicate = reload(i.guard.predicate);
        // `@p setp p`: afterwards the guard no longer says who wrote. The old values are in the temporaries of the
        // other lanes, so all of them can be stored.
        const bool overwrites_guard =
            i.guard.exists() && std::any_of(i.dst.begin(), i.dst.end(), [&](const Operand& d) {
              return d.kind == Operand::Kind::predicate && d.index == original_guard;
            });
        for (Operand& d : i.dst) {
          if (!d.is_register() || d.index >= known || !spilled[d.index]) continue;
          const std::uint32_t r = d.index;
          // A guarded write keeps the old value in other lanes: without it, the temporary would seem alive from the
          // start.
          const std::uint32_t temporary = is_partial(i) ? reload(r) : new_temporary(f_.registers[r]);
          d.index = temporary;
          isa::Instruction store =
              home[r] != isa::kNoRegister ? to_home(home[r]) : frame_access(Opcode::st, f_.registers[r], slot[r]);
          (home[r] != isa::kNoRegister ? store.src[2] : store.src[1]) = register_operand(f_.registers[r], temporary);
          if (!overwrites_guard) store.guard = i.guard;
          store.line = i.line;
          after.push_back(store);
        }
        code.push_back(i);
        code.insert(code.end(), after.begin(), after.end());
      }
      block.code = std::move(code);
    }
  }

  std::uint32_t new_temporary(RegisterClass c) {
    const std::uint32_t r = f_.new_register(c);
    unspillable_.resize(f_.registers.size(), false);
    unspillable_[r] = true;
    return r;
  }

  isa::Instruction frame_access(Opcode op, RegisterClass c, std::uint64_t slot) const {
    isa::Instruction i;
    i.op = op;
    i.space = isa::Space::local;
    i.type = c == RegisterClass::pair ? isa::Type::b64 : isa::Type::b32;
    if (!f_.is_entry) i.src[0] = register_operand(RegisterClass::gpr, f_.stack_pointer);
    i.offset = static_cast<std::int64_t>(slot);
    return i;
  }
  static isa::Instruction from_home(std::uint32_t home) {
    isa::Instruction i;
    i.op = Opcode::setp;
    i.compare = isa::Compare::ne;
    i.type = isa::Type::pred;
    i.source_type = isa::Type::u32;
    i.src[0] = register_operand(RegisterClass::gpr, home);
    i.src[1] = immediate_operand(0, false);
    return i;
  }
  static isa::Instruction to_home(std::uint32_t home) {
    isa::Instruction i;
    i.op = Opcode::selp;
    i.type = isa::Type::b32;
    i.dst[0] = register_operand(RegisterClass::gpr, home);
    i.src[0] = immediate_operand(1, false);
    i.src[1] = immediate_operand(0, false);
    return i;
  }

  void apply(Allocation& result) {
    const auto rename = [&](Operand& operand) {
      if (!operand.is_register()) return;
      operand.index = assigned_[operand.index];
      if (operand.kind == Operand::Kind::predicate) {
        result.predicates = std::max(result.predicates, operand.index + 1);
      } else {
        result.registers = std::max(result.registers, operand.index + (operand.wide() ? 2u : 1u));
      }
    };
    for (Block& block : f_.blocks) {
      for (isa::Instruction& i : block.code) {
        for (Operand& d : i.dst) rename(d);
        for (Operand& s : i.src) rename(s);
        if (i.guard.exists()) {
          i.guard.predicate = assigned_[i.guard.predicate];
          result.predicates = std::max(result.predicates, i.guard.predicate + 1);
        }
      }
      std::erase_if(block.code, [](const isa::Instruction& i) {
        const bool is_copy = (i.op == Opcode::mov && !counts_from_frame_end(i)) ||
                             (i.op == Opcode::plogic && i.logic == isa::Logic::mov);
        return is_copy && i.src[0].kind == i.dst[0].kind && i.src[0].is_register() &&
               i.src[0].index == i.dst[0].index && !i.src[0].negated;
      });
    }
  }

  MachineFunction& f_;
  std::vector<bool> unspillable_;
  std::vector<LiveRange> ranges_;
  std::vector<std::uint32_t> assigned_;
  HeldRegisters general_{0};
  HeldRegisters predicates_{0};
  bool stuck_ = false;
};

}  // namespace

Allocation allocate_registers(MachineFunction& function) { return Allocator(function).run(); }

}  // namespace heddle::compile
