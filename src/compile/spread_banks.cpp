// Local search over the finished coloring. What costs is two registers of one bank read by one instruction, which the
// bank serves one after the other; and, far less, two of one bank live and used near each other, because a region (see
// compile/regions) needs room for both. A move takes live ranges to a register that is free for them, or exchanges them
// with those that hold it. Each move makes the sum smaller, so the search ends.
#include "compile/spread_banks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include "compile/cfg.h"

namespace heddle::compile {
namespace {

constexpr double kNear = 1.0 / 32;            ///< what two registers near each other cost, against a conflict
constexpr std::size_t kNearInstructions = 8;  ///< so many instructions are near each other: a short region
constexpr unsigned kMostRounds = 6;           ///< over all ranges; the gain of later ones is small
constexpr double kLeastGain = 1e-9;

/// Live ranges that share a register because a copy between them became none.
struct SpreadGroup {
  std::vector<std::uint32_t> members;  ///< virtual registers
  std::uint32_t base = 0;              ///< the physical register, the first of a pair
  unsigned width = 1;
  bool pinned = false;
  std::map<std::size_t, double> near;  ///< by group: what one bank in common costs
};

class BankSpreader {
 public:
  BankSpreader(const MachineFunction& f, const std::vector<LiveRange>& ranges, HeldRegisters& held,
               std::vector<std::uint32_t>& assigned)
      : f_(f), ranges_(ranges), held_(held), assigned_(assigned), group_of_(assigned.size(), kNoGroup) {}

  void run() {
    find_groups();
    find_costs();
    for (unsigned round = 0; round < kMostRounds; ++round) {
      bool moved = false;
      for (std::size_t g = 0; g < groups_.size(); ++g) moved = improve(g) || moved;
      if (!moved) break;
    }
    for (const SpreadGroup& group : groups_) {
      for (const std::uint32_t r : group.members) assigned_[r] = group.base;
    }
  }

 private:
  static constexpr std::size_t kNoGroup = ~std::size_t{0};
  using Bases = std::vector<std::pair<std::size_t, std::uint32_t>>;  ///< groups and their new registers

  [[nodiscard]] bool is_general(std::uint32_t r) const {
    return f_.registers[r] != RegisterClass::predicate && assigned_[r] != isa::kNoRegister;
  }

  void find_groups() {
    std::vector<std::uint32_t> leader(assigned_.size());
    std::iota(leader.begin(), leader.end(), 0u);
    const auto find = [&](std::uint32_t r) {
      while (leader[r] != r) r = leader[r] = leader[leader[r]];
      return r;
    };
    for (const Block& block : f_.blocks) {
      for (const isa::Instruction& i : block.code) {
        if (i.op != isa::Opcode::mov || !i.dst[0].is_register() || !i.src[0].is_register()) continue;
        const std::uint32_t to = i.dst[0].index;
        const std::uint32_t from = i.src[0].index;
        if (!is_general(to) || !is_general(from) || f_.registers[to] != f_.registers[from]) continue;
        if (assigned_[to] == assigned_[from]) leader[find(to)] = find(from);
      }
    }
    for (std::uint32_t r = 0; r < assigned_.size(); ++r) {
      if (!is_general(r)) continue;
      std::size_t& group = group_of_[find(r)];
      if (group == kNoGroup) {
        group = groups_.size();
        const bool pair = f_.registers[r] == RegisterClass::pair;
        groups_.push_back({{}, assigned_[r], pair ? 2u : 1u, false, {}});
      }
      group_of_[r] = group;
      groups_[group].members.push_back(r);
      groups_[group].pinned = groups_[group].pinned || r == f_.stack_pointer;
      registers_ = std::max(registers_, groups_[group].base + groups_[group].width);
    }
  }

  void add_cost(std::uint32_t a, std::uint32_t b, double cost) {
    const std::size_t x = group_of_[a];
    const std::size_t y = group_of_[b];
    if (x == y) return;
    groups_[x].near[y] += cost;
    groups_[y].near[x] += cost;
  }

  [[nodiscard]] bool live_together(std::uint32_t a, std::uint32_t b) const {
    auto x = ranges_[a].segments.begin();
    auto y = ranges_[b].segments.begin();
    while (x != ranges_[a].segments.end() && y != ranges_[b].segments.end()) {
      if (x->begin < y->end && y->begin < x->end) return true;
      if (x->end <= y->end) {
        ++x;
      } else {
        ++y;
      }
    }
    return false;
  }

  void find_costs() {
    const std::vector<unsigned> depth = loop_depths(f_, dominators(f_));
    for (std::size_t b = 0; b < f_.blocks.size(); ++b) {
      const double weight = depth[b] >= 6 ? 1e6 : std::pow(10.0, depth[b]);
      std::vector<std::vector<std::uint32_t>> used;  // by instruction
      for (const isa::Instruction& i : f_.blocks[b].code) {
        std::vector<std::uint32_t> reads;
        const auto note = [&](const isa::Operand& operand, std::vector<std::uint32_t>& list) {
          if (!operand.is_register() || !is_general(operand.index)) return;
          if (std::find(list.begin(), list.end(), operand.index) == list.end()) list.push_back(operand.index);
        };
        for (const isa::Operand& s : i.src) note(s, reads);
        for (std::size_t x = 0; x < reads.size(); ++x) {
          for (std::size_t y = 0; y < x; ++y) add_cost(reads[x], reads[y], weight);
        }
        for (const isa::Operand& d : i.dst) note(d, reads);
        used.push_back(std::move(reads));
        const std::size_t last = used.size() - 1;
        for (std::size_t n = last < kNearInstructions ? 0 : last - kNearInstructions + 1; n <= last; ++n) {
          for (const std::uint32_t x : used[last]) {
            for (const std::uint32_t y : used[n]) {
              if (x != y && live_together(x, y)) add_cost(x, y, weight * kNear);
            }
          }
        }
      }
    }
  }

  /// Banks that two places have in common.
  [[nodiscard]] unsigned shared(std::uint32_t a, unsigned width_a, std::uint32_t b, unsigned width_b) const {
    unsigned count = 0;
    for (unsigned x = 0; x < width_a; ++x) {
      for (unsigned y = 0; y < width_b; ++y) count += (a + x) % f_.banks == (b + y) % f_.banks ? 1 : 0;
    }
    return count;
  }

  /// What a group costs at a register while the others are where they are.
  [[nodiscard]] double cost(std::size_t g, std::uint32_t base) const {
    double sum = 0;
    for (const auto& [other, weight] : groups_[g].near)
      sum += weight * shared(base, groups_[g].width, groups_[other].base, groups_[other].width);
    return sum;
  }

  /// What groups cost all together; what two of them cost each other counts once.
  [[nodiscard]] double cost_of(const Bases& which) const {
    double sum = 0;
    for (const auto& [g, base] : which) {
      for (const auto& [neighbour, weight] : groups_[g].near) {
        const std::size_t other = neighbour;
        const bool both = std::any_of(which.begin(), which.end(), [&](const auto& w) { return w.first == other; });
        sum += (both ? 0.5 : 1) * weight *
               shared(groups_[g].base, groups_[g].width, groups_[other].base, groups_[other].width);
      }
    }
    return sum;
  }

  void hold(std::size_t g, bool take) {
    const SpreadGroup& group = groups_[g];
    for (const std::uint32_t r : group.members) {
      for (unsigned half = 0; half < group.width; ++half) {
        if (take) {
          held_.take(group.base + half, ranges_[r], r);
        } else {
          held_.release(group.base + half, ranges_[r]);
        }
      }
    }
  }

  [[nodiscard]] bool fits(std::size_t g, std::uint32_t base) const {
    const SpreadGroup& group = groups_[g];
    if (base % group.width != 0 || base + group.width > registers_) return false;
    for (const std::uint32_t r : group.members) {
      for (unsigned half = 0; half < group.width; ++half) {
        if (!held_.is_free(base + half, ranges_[r])) return false;
      }
    }
    return true;
  }

  /// The group and those that must make room for it, each with its new register.
  [[nodiscard]] std::optional<Bases> exchange(std::size_t g, std::uint32_t to) const {
    const SpreadGroup& group = groups_[g];
    Bases moves{{g, to}};
    bool can = true;
    for (const std::uint32_t r : group.members) {
      for (unsigned half = 0; half < group.width; ++half) {
        held_.for_each_conflict(to + half, ranges_[r], [&](std::uint32_t owner) {
          const std::size_t other = group_of_[owner];
          if (other == g || std::any_of(moves.begin(), moves.end(), [&](const auto& m) { return m.first == other; }))
            return;
          const SpreadGroup& o = groups_[other];
          can = can && !o.pinned && o.base >= to && o.base + o.width <= to + group.width;
          moves.emplace_back(other, o.base - to + group.base);
        });
      }
    }
    if (!can) return std::nullopt;
    return moves;
  }

  /// Carries moves out if they can be and make the sum smaller.
  bool try_moves(const Bases& moves) {
    Bases before;
    for (const auto& [g, base] : moves) before.emplace_back(g, groups_[g].base);
    const double was = cost_of(before);
    for (const auto& [g, base] : moves) hold(g, false);
    bool ok = true;
    std::size_t placed = 0;
    for (const auto& [g, base] : moves) {
      ok = fits(g, base);
      if (!ok) break;
      groups_[g].base = base;
      hold(g, true);
      ++placed;
    }
    if (ok && cost_of(before) < was - kLeastGain) return true;
    for (std::size_t m = 0; m < placed; ++m) hold(moves[m].first, false);
    for (const auto& [g, base] : before) {
      groups_[g].base = base;
      hold(g, true);
    }
    return false;
  }

  bool improve(std::size_t g) {
    const SpreadGroup& group = groups_[g];
    if (group.pinned || group.near.empty()) return false;
    const double now = cost(g, group.base);
    std::vector<std::pair<double, std::uint32_t>> places;
    for (std::uint32_t base = 0; base + group.width <= registers_; base += group.width) {
      const double there = cost(g, base);
      if (there < now - kLeastGain) places.emplace_back(there, base);
    }
    std::sort(places.begin(), places.end());
    for (const auto& [there, base] : places) {
      const std::optional<Bases> moves = exchange(g, base);
      if (moves && try_moves(*moves)) return true;
    }
    return false;
  }

  const MachineFunction& f_;
  const std::vector<LiveRange>& ranges_;
  HeldRegisters& held_;
  std::vector<std::uint32_t>& assigned_;
  std::vector<std::size_t> group_of_;  ///< by virtual register
  std::vector<SpreadGroup> groups_;
  std::uint32_t registers_ = 0;  ///< that allocation has used
};

}  // namespace

void spread_over_banks(const MachineFunction& function, const std::vector<LiveRange>& ranges, HeldRegisters& held,
                       std::vector<std::uint32_t>& assigned) {
  BankSpreader(function, ranges, held, assigned).run();
}

}  // namespace heddle::compile
