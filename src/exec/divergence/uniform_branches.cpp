#include "exec/divergence/uniform_branches.h"

#include <algorithm>

#include "exec/warp.h"

namespace heddle::exec {
namespace {

using isa::Operand;
using isa::SpecialRegister;

bool same_in_a_block(SpecialRegister special) {
  switch (special) {
    case SpecialRegister::ntid_x:
    case SpecialRegister::ntid_y:
    case SpecialRegister::ntid_z:
    case SpecialRegister::ctaid_x:
    case SpecialRegister::ctaid_y:
    case SpecialRegister::ctaid_z:
    case SpecialRegister::nctaid_x:
    case SpecialRegister::nctaid_y:
    case SpecialRegister::nctaid_z:
    case SpecialRegister::nwarpid:
    case SpecialRegister::nsmid:
    case SpecialRegister::gridid:
    case SpecialRegister::dynamic_smem_size:
    case SpecialRegister::total_smem_size:
    case SpecialRegister::workspace_high:
    case SpecialRegister::workspace_low:
    case SpecialRegister::zero:
      return true;
    default:
      return false;
  }
}

/// Whether the result is the same for all if the sources are.
bool keeps_same(const Op& op) {
  const isa::Instruction& i = *op.instruction;
  switch (op.kind) {
    case OpKind::alu:
    case OpKind::address_conversion:
      return true;
    case OpKind::special_register:
      return same_in_a_block(i.special);
    case OpKind::load:
      return i.space == isa::Space::param || i.space == isa::Space::constant;
    default:
      return false;
  }
}

class Analysis {
 public:
  Analysis(const Code& code, std::uint32_t entry) : code_(code), reached_(code.size(), false) {
    reach(entry);
    for (const std::uint32_t pc : order_) {
      for_each_variable(code.instruction(pc), [&](std::size_t v) { variables_ = std::max(variables_, v + 1); });
    }
    differs_.assign(code.size(), {});
    for (const std::uint32_t pc : order_) differs_[pc].assign(variables_, false);
  }

  [[nodiscard]] bool calls() const {
    return std::any_of(order_.begin(), order_.end(), [&](std::uint32_t pc) {
      return code_.at(pc).kind == OpKind::call || code_.at(pc).kind == OpKind::call_indirect;
    });
  }

  std::vector<bool> run() {
    find_live();
    for (changed_ = true; changed_;) {
      changed_ = false;
      for (const std::uint32_t pc : order_) look(pc);
    }
    std::vector<bool> uniform(code_.size(), false);
    for (const std::uint32_t pc : order_) uniform[pc] = is_branch(pc) && !splits_.contains(pc);
    return uniform;
  }

 private:
  [[nodiscard]] bool is_branch(std::uint32_t pc) const {
    return code_.at(pc).kind == OpKind::branch || code_.at(pc).kind == OpKind::branch_indexed;
  }
  void reach(std::uint32_t entry) {
    std::vector<std::uint32_t> next{entry};
    while (!next.empty()) {
      const std::uint32_t pc = next.back();
      next.pop_back();
      if (pc >= code_.size() || reached_[pc]) continue;
      reached_[pc] = true;
      order_.push_back(pc);
      for (const std::uint32_t follower : followers(code_, pc)) next.push_back(follower);
    }
    std::sort(order_.begin(), order_.end());
  }

  template <typename Function>
  static void for_each_of(const Operand& operand, Function&& f) {
    if (operand.kind == Operand::Kind::predicate) return f(std::size_t{operand.index});
    if (!operand.is_register()) return;
    f(kPredicates + operand.index);
    if (operand.kind == Operand::Kind::gpr_pair) f(kPredicates + operand.index + 1);
  }
  template <typename Function>
  static void for_each_use(const isa::Instruction& i, Function&& f) {
    for (const Operand& operand : i.src) for_each_of(operand, f);
    if (i.guard.exists()) f(std::size_t{i.guard.predicate});
  }
  template <typename Function>
  static void for_each_definition(const isa::Instruction& i, Function&& f) {
    for (const Operand& operand : i.dst) for_each_of(operand, f);
  }
  template <typename Function>
  static void for_each_variable(const isa::Instruction& i, Function&& f) {
    for_each_use(i, f);
    for_each_definition(i, f);
  }

  void find_live() {
    live_.assign(code_.size(), std::vector<bool>());
    for (const std::uint32_t pc : order_) live_[pc].assign(variables_, false);
    for (bool again = true; again;) {
      again = false;
      for (auto at = order_.rbegin(); at != order_.rend(); ++at) {
        const isa::Instruction& i = code_.instruction(*at);
        std::vector<bool> live(variables_, false);
        for (const std::uint32_t follower : followers(code_, *at)) {
          if (follower >= code_.size() || !reached_[follower]) continue;
          for (std::size_t v = 0; v < variables_; ++v) live[v] = live[v] || live_[follower][v];
        }
        if (!i.guard.exists()) for_each_definition(i, [&](std::size_t v) { live[v] = false; });
        for_each_use(i, [&](std::size_t v) { live[v] = true; });
        if (live != live_[*at]) {
          live_[*at] = std::move(live);
          again = true;
        }
      }
    }
  }

  /// What is known before an instruction, and what follows from it for those behind it.
  void look(std::uint32_t pc) {
    const Op& op = code_.at(pc);
    const isa::Instruction& i = *op.instruction;
    std::vector<bool> state = differs_[pc];
    bool of_sources = false;
    for_each_use(i, [&](std::size_t v) { of_sources = of_sources || state[v]; });
    if (is_branch(pc)) {
      if (of_sources && splits_.insert(pc)) split(pc);
    } else {
      const bool differs = of_sources || !keeps_same(op);
      for_each_definition(i, [&](std::size_t v) { state[v] = differs || (i.guard.exists() && state[v]); });
    }
    for (const std::uint32_t follower : followers(code_, pc)) {
      if (follower >= code_.size() || !reached_[follower]) continue;
      for (std::size_t v = 0; v < variables_; ++v) {
        if (state[v]) mark(follower, v);
      }
    }
  }

  void mark(std::uint32_t pc, std::size_t variable) {
    changed_ = changed_ || !differs_[pc][variable];
    differs_[pc][variable] = true;
  }

  /// Threads part here: what they write before they meet and read afterwards may differ.
  void split(std::uint32_t branch) {
    changed_ = true;
    const std::uint32_t meets = code_.instruction(branch).reconvergence;
    if (meets == isa::kNoPc || meets >= code_.size() || !reached_[meets]) return;
    std::vector<bool> seen(code_.size(), false);
    std::vector<std::uint32_t> next = followers(code_, branch);
    while (!next.empty()) {
      const std::uint32_t pc = next.back();
      next.pop_back();
      if (pc >= code_.size() || pc == meets || seen[pc]) continue;
      seen[pc] = true;
      for_each_definition(code_.instruction(pc), [&](std::size_t v) {
        if (live_[meets][v]) mark(meets, v);
      });
      for (const std::uint32_t follower : followers(code_, pc)) next.push_back(follower);
    }
  }

  /// Instructions, each once.
  class Set {
   public:
    [[nodiscard]] bool contains(std::uint32_t pc) const {
      return std::find(all_.begin(), all_.end(), pc) != all_.end();
    }
    bool insert(std::uint32_t pc) {
      if (contains(pc)) return false;
      all_.push_back(pc);
      return true;
    }

   private:
    std::vector<std::uint32_t> all_;
  };

  const Code& code_;
  std::vector<bool> reached_;
  std::vector<std::uint32_t> order_;           ///< what can be reached
  std::size_t variables_ = exec::kPredicates;  ///< predicates, then registers
  std::vector<std::vector<bool>> live_;        ///< by instruction, before it
  /// By instruction and variable: threads may have different values before it.
  std::vector<std::vector<bool>> differs_;
  Set splits_;  ///< branches at which threads may part
  bool changed_ = false;
};

}  // namespace

std::vector<std::uint32_t> followers(const Code& code, std::uint32_t pc) {
  const Op& op = code.at(pc);
  std::vector<std::uint32_t> next;
  if (op.kind == OpKind::branch) next.push_back(op.instruction->target);
  if (op.kind == OpKind::branch_indexed) next = code.branch_table(op.instruction->target);
  const bool ends = op.kind == OpKind::exit || op.kind == OpKind::return_ || op.kind == OpKind::trap ||
                    op.kind == OpKind::branch || op.kind == OpKind::branch_indexed;
  if (!ends || op.guard != 0xff) next.push_back(pc + 1);
  return next;
}

std::vector<bool> uniform_branches(const Code& code, std::uint32_t entry) {
  Analysis analysis(code, entry);
  if (analysis.calls()) return std::vector<bool>(code.size(), false);
  return analysis.run();
}

}  // namespace heddle::exec
