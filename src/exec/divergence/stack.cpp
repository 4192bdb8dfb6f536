// The reconvergence stack (Fung et al., MICRO 2007).
//
// When a branch splits a path, the path that executed it waits at the branch's reconvergence point, and each side runs
// as a path of its own until it gets there. A call is a path that ends when all its lanes have returned. Lanes that
// wait get no turn before the running ones have come to them: a program in which one lane waits in a loop for another
// lane of its warp cannot end, as on GPUs before compute capability 7.0. It is stopped with a message.
#include <fmt/format.h>

#include <bit>

#include "exec/divergence/lane_targets.h"
#include "exec/divergence_registry.h"
#include "exec/fault.h"
#include "exec/launch.h"
#include "exec/spin.h"

namespace heddle::exec {
namespace {

struct Entry {
  Path path;
  bool is_call = false;  ///< the first path of a called function
};

struct WarpStack {
  std::vector<Entry> waiting;  ///< below the running path
  bool is_call = false;        ///< of the running path
  unsigned calls = 0;
  SpinWatch spin;
};

class Stack final : public Divergence {
 public:
  explicit Stack(std::uint64_t spin_limit) : spin_limit_(spin_limit) {}

  void start(ThreadBlock& block) override {
    warps_.resize(block.warps.size());
    for (WarpStack& stack : warps_) {
      stack.waiting.clear();
      stack.is_call = false;
      stack.calls = 0;
      stack.spin.restart();
    }
  }

  void apply(Warp& slot, const Outcome& outcome) override {
    WarpStack& stack = warps_[slot.index];
    switch (outcome.kind) {
      case Outcome::Kind::branch:
        if (outcome.targets != nullptr) {
          branch_many(slot, stack, outcome);
        } else {
          branch(slot, stack, outcome);
        }
        break;
      case Outcome::Kind::call:
        call(slot, stack, outcome);
        break;
      case Outcome::Kind::return_:
        leave_function(slot, stack, outcome.lanes);
        break;
      case Outcome::Kind::exit:
        leave_kernel(slot, stack, outcome.lanes);
        break;
      default:
        go(slot, stack, slot.path.pc + 1);
        break;
    }
    look(slot, stack);
  }

  void arrived(Warp& slot) override {
    WarpStack& stack = warps_[slot.index];
    reconverge(slot, stack);
    look(slot, stack);
  }

  // Lanes that do not run have no way to come: the instruction executes with those that are here.
  bool waits_for(Warp& /*slot*/, LaneMask /*named*/) override { return false; }

 private:
  static void look(Warp& slot, WarpStack& stack) {
    slot.diverged = slot.path.mask != slot.alive;
    if (!slot.diverged && stack.spin.rounds() != 0) stack.spin.restart();
  }

  static void push(WarpStack& stack, const Path& path) {
    stack.waiting.push_back({path, stack.is_call});
    stack.is_call = false;
  }
  static void pop(Warp& slot, WarpStack& stack) {
    slot.path = stack.waiting.back().path;
    stack.is_call = stack.waiting.back().is_call;
    stack.waiting.pop_back();
  }
  static void drop_empty(Warp& slot, WarpStack& stack) {
    while (slot.path.mask == 0 && !stack.waiting.empty()) {
      if (stack.is_call) --stack.calls;
      pop(slot, stack);
    }
    if (slot.path.mask == 0) slot.state = WarpState::done;
  }
  static void reconverge(Warp& slot, WarpStack& stack) {
    while (slot.path.pc == slot.path.until && !stack.waiting.empty()) {
      pop(slot, stack);
      drop_empty(slot, stack);
    }
  }
  static void go(Warp& slot, WarpStack& stack, std::uint32_t pc) {
    slot.path.pc = pc;
    if (pc == slot.path.until) reconverge(slot, stack);
  }

  void branch(Warp& slot, WarpStack& stack, const Outcome& outcome) const {
    Path& path = slot.path;
    const LaneMask taken = outcome.lanes;
    const LaneMask fallen = path.mask & ~taken;
    const std::uint32_t next = path.pc + 1;
    if (taken == 0) return go(slot, stack, next);
    if (outcome.target <= path.pc) look_for_spinning(slot, stack);
    if (fallen == 0) return go(slot, stack, outcome.target);
    if (outcome.meets_at == isa::kNoPc) {
      // The sides only meet when the function or the kernel ends: two paths, nothing to wait for.
      push(stack, {next, path.until, fallen});
      path = {outcome.target, path.until, taken};
      return;
    }
    if (outcome.meets_at != path.until) push(stack, {outcome.meets_at, path.until, path.mask});
    if (next == outcome.meets_at) {
      path = {outcome.target, outcome.meets_at, taken};
      return;
    }
    path = {next, outcome.meets_at, fallen};
    if (outcome.target == outcome.meets_at) return;
    push(stack, path);
    path = {outcome.target, outcome.meets_at, taken};
  }

  static void branch_many(Warp& slot, WarpStack& stack, const Outcome& outcome) {
    const Path before = slot.path;
    const LaneMask fallen = before.mask & ~outcome.lanes;  // guarded off
    const bool meets = outcome.meets_at != isa::kNoPc;
    if (meets && outcome.meets_at != before.until) push(stack, {outcome.meets_at, before.until, before.mask});
    const std::uint32_t until = meets ? outcome.meets_at : before.until;
    const auto side = [&](std::uint32_t pc, LaneMask lanes) {
      if (lanes == 0 || (meets && pc == outcome.meets_at)) return;
      push(stack, {pc, until, lanes});
    };
    side(before.pc + 1, fallen);
    for_each_target(outcome, side);
    pop(slot, stack);
    if (slot.path.pc == slot.path.until) reconverge(slot, stack);
  }

  static void call(Warp& slot, WarpStack& stack, const Outcome& outcome) {
    if (stack.calls >= slot.block->launch.most_calls) {
      ProgramFault what;
      what.kind = FaultKind::stack_overflow;
      what.detail = fmt::format("{} calls inside each other are more than the stack has room for", stack.calls);
      raise(slot, static_cast<unsigned>(std::countr_zero(outcome.lanes)), std::move(what));
    }
    // Lanes that do not call wait with the others behind it.
    push(stack, {slot.path.pc + 1, slot.path.until, slot.path.mask});
    for_each_target(outcome, [&](std::uint32_t target, LaneMask lanes) {
      stack.is_call = true;
      ++stack.calls;
      push(stack, {target, isa::kNoPc, lanes});
    });
    pop(slot, stack);
  }

  static void leave_function(Warp& slot, WarpStack& stack, LaneMask lanes) {
    bool found = stack.is_call;
    slot.path.mask &= ~lanes;
    for (std::size_t i = stack.waiting.size(); i-- > 0 && !found;) {
      stack.waiting[i].path.mask &= ~lanes;
      found = stack.waiting[i].is_call;
    }
    go_on_without(slot, stack);
  }

  static void leave_kernel(Warp& slot, WarpStack& stack, LaneMask lanes) {
    slot.alive &= ~lanes;
    slot.path.mask &= ~lanes;
    for (Entry& entry : stack.waiting) entry.path.mask &= ~lanes;
    go_on_without(slot, stack);
  }

  static void go_on_without(Warp& slot, WarpStack& stack) {
    if (slot.path.mask != 0) return go(slot, stack, slot.path.pc + 1);
    drop_empty(slot, stack);
    if (slot.state != WarpState::done && slot.path.pc == slot.path.until) reconverge(slot, stack);
  }

  void look_for_spinning(Warp& slot, WarpStack& stack) const {
    stack.spin.goes_back(slot, false);
    if (stack.waiting.empty() || stack.spin.spinning_rounds() < spin_limit_) return;
    const Code& code = *slot.block->launch.config.code;
    const Path& waiting = stack.waiting.back().path;
    ProgramFault what;
    what.kind = FaultKind::endless_wait;
    what.detail = fmt::format(
        "lanes {:#x} have gone round a loop here {} times without any change, while lanes {:#x} of their warp wait "
        "for them at PTX line {}; if those are to end the loop, the kernel needs sm.divergence=independent",
        slot.path.mask, stack.spin.spinning_rounds(), waiting.mask & ~slot.path.mask,
        code.instruction(waiting.pc).line);
    raise(slot, static_cast<unsigned>(std::countr_zero(slot.path.mask)), std::move(what));
  }

  std::uint64_t spin_limit_;
  std::vector<WarpStack> warps_;
};

class StackUnit final : public DivergenceUnit {
 public:
  struct Parameters : sim::ParameterGroup {
    using ParameterGroup::ParameterGroup;
    sim::Parameter<unsigned> spin_limit{
        *this,      "spin_limit",
        10'000'000, {1, 1'000'000'000},
        "rounds",   "Of a loop in which nothing changes, while other lanes of the warp wait, before the kernel fails."};
  };
  explicit StackUnit(const sim::Context& context) : p_(context.parameters<Parameters>()) {}
  std::unique_ptr<Divergence> make() override { return std::make_unique<Stack>(p_.spin_limit); }

 private:
  const Parameters& p_;
};

[[maybe_unused]] const bool kRegisteredStack = DivergenceRegistry::instance().add<StackUnit>(
    "stack", "A reconvergence stack: lanes that wait for others of their warp get no turn before.");

}  // namespace
}  // namespace heddle::exec
