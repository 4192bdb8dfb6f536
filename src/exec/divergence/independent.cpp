// Independent thread scheduling, as from compute capability 7.0 on: every lane of a warp makes progress.
//
// In the ordinary case paths split and meet exactly as with the reconvergence stack, and run in the same order. But
// where a stack only knows the path on top, here paths are a set, and the places where lanes wait for each other are a
// tree of meeting points. So another path can get a turn:
//  - when a path waits in a loop (nothing changes from round to round, or it reads the clock or sleeps in each, or has
//    gone round very often), other paths go on; if all of them wait, lanes that have come to a meeting point need not
//    stay there for those that have not, and go on alone;
//  - a path that comes to bar.warp.sync, to a .sync collective or to a barrier of the block waits until the lanes that
//    it names have come to such an instruction, too; those at the same instruction then execute it together.
// Hardware decides such things by time and by hints of its compiler; the bounds here are our own.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "exec/divergence/lane_targets.h"
#include "exec/divergence/warp_paths.h"
#include "exec/divergence_registry.h"
#include "exec/fault.h"
#include "exec/launch.h"

namespace heddle::exec {
namespace {

using isa::Operand;
/// Rounds of a loop that reads the clock or sleeps after which it is taken for one that waits.
constexpr std::uint64_t kTimedPatience = 64;

class IndependentUnit final : public DivergenceUnit {
 public:
  struct Parameters : sim::ParameterGroup {
    using ParameterGroup::ParameterGroup;
    sim::Parameter<unsigned> patience{
        *this,    "patience",
        100'000,  {1, 1'000'000'000},
        "rounds", "Of a loop in which something changes, before other lanes of the warp get a turn."};
  };
  struct Statistics : sim::StatisticGroup {
    using StatisticGroup::StatisticGroup;
    sim::Counter turns{*this, "turns", "times", "Times that lanes in a loop gave way to others of their warp."};
  };
  explicit IndependentUnit(const sim::Context& context)
      : statistics(context), parameters(context.parameters<Parameters>()) {}
  std::unique_ptr<Divergence> make() override;

  Statistics statistics;
  const Parameters& parameters;
};

class Independent final : public Divergence {
 public:
  explicit Independent(IndependentUnit& unit) : unit_(&unit) {}

  void move_to(DivergenceUnit& unit) override { unit_ = &dynamic_cast<IndependentUnit&>(unit); }

  void start(ThreadBlock& block) override {
    warps_.resize(block.warps.size());
    for (std::size_t w = 0; w < warps_.size(); ++w) warps_[w].start(block.warps[w].alive);
  }

  void apply(Warp& slot, const Outcome& outcome) override {
    WarpPaths& warp = warps_[slot.index];
    switch (outcome.kind) {
      case Outcome::Kind::branch:
        branch(slot, warp, outcome);
        break;
      case Outcome::Kind::call:
        call(slot, warp, outcome);
        break;
      case Outcome::Kind::return_:
        leave_function(slot, warp, outcome.lanes);
        break;
      case Outcome::Kind::exit:
        leave_kernel(slot, warp, outcome.lanes);
        break;
      default:
        go(slot, warp, slot.path.pc + 1);
        break;
    }
    look(slot, warp);
  }

  void arrived(Warp& slot) override {
    WarpPaths& warp = warps_[slot.index];
    arrive(slot, warp);
    look(slot, warp);
  }

  bool waits_for(Warp& slot, LaneMask named) override {
    WarpPaths& warp = warps_[slot.index];
    warp.paths.push_back({slot.path.pc, warp.meeting, slot.path.mask, named, false, false});
    grant(slot, warp);
    run_next(slot, warp);
    look(slot, warp);
    return true;
  }

 private:
  static void look(Warp& slot, WarpPaths& warp) {
    slot.diverged = slot.path.mask != slot.alive;
    if (!slot.diverged && warp.spin.rounds() != 0) warp.spin.restart();
  }

  // -- which path runs --

  static void run(Warp& slot, WarpPaths& warp, const Waiting& next) {
    warp.meeting = next.meeting;
    slot.path = {next.pc, warp.until(), next.mask};
    slot.granted = next.granted;
  }

  /// The running path has ended or waits: the next one that can run does.
  void run_next(Warp& slot, WarpPaths& warp) {
    slot.path.mask = 0;
    for (;;) {
      for (std::size_t p = warp.paths.size(); p-- > 0;) {
        if (warp.paths[p].named != 0) continue;
        const Waiting next = warp.paths[p];
        warp.paths.erase(warp.paths.begin() + static_cast<std::ptrdiff_t>(p));
        return run(slot, warp, next);
      }
      if (const MeetingId id = warp.find_waiting(); id != kRoot) {
        warp.release(id);
      } else if (!warp.paths.empty()) {
        // Lanes that are named will not come: the others execute without them.
        for (Waiting& path : warp.paths) path.named = 0;
        join(slot, warp, ~LaneMask{0});
      } else {
        slot.state = WarpState::done;
        return;
      }
    }
  }

  void go(Warp& slot, WarpPaths& warp, std::uint32_t pc) {
    slot.path.pc = pc;
    if (pc == slot.path.until) arrive(slot, warp);
  }

  void arrive(Warp& slot, WarpPaths& warp) {
    for (Path& path = slot.path;;) {
      Meeting& meeting = warp.meetings[warp.meeting];
      meeting.arrived |= path.mask;
      if (meeting.arrived != meeting.expected) return run_next(slot, warp);
      // The last one: all go on together.
      meeting.used = false;
      path.mask = meeting.expected;
      warp.meeting = meeting.parent;
      path.until = warp.until();
      if (path.pc != path.until) return;
    }
  }

  // -- what instructions do --

  void branch(Warp& slot, WarpPaths& warp, const Outcome& outcome) {
    Path& path = slot.path;
    const LaneMask fallen = path.mask & ~outcome.lanes;
    const std::uint32_t next = path.pc + 1;
    if (outcome.lanes == 0) return go(slot, warp, next);
    if (fallen == 0 && outcome.targets == nullptr) {
      const bool back = outcome.target <= path.pc;
      if (back) warp.spin.goes_back(slot, std::exchange(slot.waits_by_time, false));
      go(slot, warp, outcome.target);
      if (back && path.mask != 0 && path.pc == outcome.target) give_way_if_waiting(slot, warp);
      return;
    }
    const bool meets = outcome.meets_at != isa::kNoPc;
    const Meeting& before = warp.meetings[warp.meeting];
    MeetingId id = warp.meeting;
    if (meets && (before.is_call || before.pc != outcome.meets_at))
      id = warp.add_meeting({outcome.meets_at, path.mask, 0, warp.meeting, before.calls, false, true});
    if (outcome.targets == nullptr) {
      warp.meeting = id;
      const std::uint32_t until = warp.until();
      if (meets && next == outcome.meets_at) {
        warp.meetings[id].arrived |= fallen;
        path = {outcome.target, until, outcome.lanes};
      } else if (meets && outcome.target == outcome.meets_at) {
        warp.meetings[id].arrived |= outcome.lanes;
        path = {next, until, fallen};
      } else {
        warp.paths.push_back({next, id, fallen, 0, false, false});
        path = {outcome.target, until, outcome.lanes};
      }
      return;
    }
    LaneMask there = 0;
    const auto side = [&](std::uint32_t pc, LaneMask lanes) {
      if (lanes == 0) return;
      if (meets && pc == outcome.meets_at) {
        there |= lanes;
      } else {
        warp.paths.push_back({pc, id, lanes, 0, false, false});
      }
    };
    side(next, fallen);
    for_each_target(outcome, side);
    warp.meetings[id].arrived |= there;
    if (there != 0) warp.settle();  // an indexed branch may take all lanes there
    run_next(slot, warp);
  }

  void give_way_if_waiting(Warp& slot, WarpPaths& warp) {
    const bool waits = warp.spin.spins() || warp.spin.rounds() >= unit_->parameters.patience ||
                       warp.spin.timed_rounds() >= kTimedPatience;
    if (!waits) return;
    warp.spin.restart();
    const auto fresh = [](const Waiting& path) { return path.named == 0 && !path.spun; };
    if (std::none_of(warp.paths.begin(), warp.paths.end(), fresh)) {
      // All that could run wait in loops: who stands at a meeting point is the one they wait for, or nobody here is.
      for (Waiting& path : warp.paths) path.spun = false;
      if (const MeetingId id = warp.find_waiting(); id != kRoot) warp.release(id);
    }
    const auto next = std::find_if(warp.paths.rbegin(), warp.paths.rend(), fresh);
    if (next == warp.paths.rend()) return;
    const Waiting chosen = *next;
    warp.paths.erase(std::next(next).base());
    warp.paths.insert(warp.paths.begin(), {slot.path.pc, warp.meeting, slot.path.mask, 0, false, true});
    ++unit_->statistics.turns;
    run(slot, warp, chosen);
  }

  void call(Warp& slot, WarpPaths& warp, const Outcome& outcome) {
    const unsigned calls = warp.meetings[warp.meeting].calls;
    if (calls >= slot.block->launch.most_calls) {
      ProgramFault what;
      what.kind = FaultKind::stack_overflow;
      what.detail = fmt::format("{} calls inside each other are more than the stack has room for", calls);
      raise(slot, static_cast<unsigned>(std::countr_zero(outcome.lanes)), std::move(what));
    }
    const MeetingId id = warp.add_meeting(
        {slot.path.pc + 1, slot.path.mask, slot.path.mask & ~outcome.lanes, warp.meeting, calls + 1, true, true});
    for_each_target(outcome, [&](std::uint32_t target, LaneMask lanes) {
      warp.paths.push_back({target, id, lanes, 0, false, false});
    });
    run_next(slot, warp);
  }

  void leave_function(Warp& slot, WarpPaths& warp, LaneMask lanes) {
    MeetingId call = warp.meeting;
    while (call != kRoot && !warp.meetings[call].is_call) call = warp.meetings[call].parent;
    if (call == kRoot) return leave_kernel(slot, warp, lanes);
    warp.leave(warp.meeting, call, lanes);
    warp.meetings[call].arrived |= lanes;
    go_on_without(slot, warp, lanes);
  }

  void leave_kernel(Warp& slot, WarpPaths& warp, LaneMask lanes) {
    slot.alive &= ~lanes;
    warp.leave(warp.meeting, kRoot, lanes);
    warp.meetings[kRoot].expected &= ~lanes;
    go_on_without(slot, warp, lanes);
  }

  void go_on_without(Warp& slot, WarpPaths& warp, LaneMask lanes) {
    const LaneMask left = slot.path.mask & ~lanes;
    warp.settle();
    if (left != 0) {
      slot.path.mask = left;
      go(slot, warp, slot.path.pc + 1);
    } else {
      slot.path.mask = 0;
    }
    grant(slot, warp);
    if (slot.path.mask == 0 && slot.state != WarpState::done) run_next(slot, warp);
  }

  // -- instructions for which lanes meet --

  /// Lets those go on for whom all whom they name have come to such an instruction.
  static void grant(Warp& slot, WarpPaths& warp) {
    LaneMask here = 0;
    for (const Waiting& path : warp.paths) {
      if (path.named != 0) here |= path.mask;
    }
    if (here == 0) return;
    LaneMask ready = 0;
    for (Waiting& path : warp.paths) {
      if (path.named == 0 || (path.named & slot.alive & ~here) != 0) continue;
      path.named = 0;
      ready |= path.mask;
    }
    if (ready != 0) join(slot, warp, ready);
  }

  /// Of the paths in `ready`, those at the same instruction become one.
  static void join(Warp& slot, WarpPaths& warp, LaneMask ready) {
    const auto may = [ready](const Waiting& path) { return (path.mask & ready) != 0 && path.named == 0; };
    for (std::size_t p = warp.paths.size(); p-- > 0;) {
      if (p >= warp.paths.size() || !may(warp.paths[p])) continue;
      warp.paths[p].granted = true;
      for (std::size_t q = p; q-- > 0;) {
        const Waiting other = warp.paths[q];
        if (other.pc != warp.paths[p].pc || !may(other)) continue;
        const MeetingId common = warp.common_meeting(warp.paths[p].meeting, other.meeting);
        if (common == kNoMeeting) continue;
        Waiting& path = warp.paths[p];
        warp.leave(path.meeting, common, path.mask);
        warp.leave(other.meeting, common, other.mask);
        path.meeting = common;
        path.mask |= other.mask;
        warp.paths.erase(warp.paths.begin() + static_cast<std::ptrdiff_t>(q));
        --p;
      }
    }
    arrive_together(slot, warp, ready);
    warp.settle();
  }

  /// Paths at different barriers of the block have come there together: the last one executes its barrier for all.
  static void arrive_together(Warp& slot, WarpPaths& warp, LaneMask ready) {
    const Code& code = *slot.block->launch.config.code;
    const Operand* executed = nullptr;  // which barrier
    for (std::size_t p = warp.paths.size(); p-- > 0;) {
      Waiting& path = warp.paths[p];
      if ((path.mask & ready) == 0 || !path.granted || code.at(path.pc).kind != OpKind::barrier) continue;
      const isa::Part part = code.instruction(path.pc).part;
      const Operand& barrier = code.instruction(path.pc).src[0];
      if (executed != nullptr && barrier.kind == executed->kind && barrier.index == executed->index &&
          barrier.value == executed->value) {
        if (part != isa::Part::sync && part != isa::Part::arrive) {
          ProgramFault what;
          what.kind = FaultKind::illegal_instruction;
          what.detail =
              "lanes of one warp come to a reduction at a barrier in different places, which is not supported";
          slot.path.pc = path.pc;
          raise(slot, static_cast<unsigned>(std::countr_zero(path.mask)), std::move(what));
        }
        path.granted = false;
        ++path.pc;
        Meeting& meeting = warp.meetings[path.meeting];
        if (!meeting.is_call && meeting.pc == path.pc) {
          meeting.arrived |= path.mask;
          warp.paths.erase(warp.paths.begin() + static_cast<std::ptrdiff_t>(p));
        }
      }
      executed = &barrier;
    }
  }

  IndependentUnit* unit_;
  std::vector<WarpPaths> warps_;
};

std::unique_ptr<Divergence> IndependentUnit::make() { return std::make_unique<Independent>(*this); }

[[maybe_unused]] const bool kRegisteredIndependent = DivergenceRegistry::instance().add<IndependentUnit>(
    "independent", "Independent thread scheduling: lanes that wait in a loop let others of their warp go on.");

}  // namespace
}  // namespace heddle::exec
