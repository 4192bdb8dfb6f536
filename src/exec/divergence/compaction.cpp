#include "exec/divergence/compaction.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/check.h"
#include "exec/divergence/lane_targets.h"
#include "exec/divergence/uniform_branches.h"
#include "exec/fault.h"
#include "exec/launch.h"

namespace heddle::exec {
namespace {

using isa::Opcode;

/// Whether lanes of a warp know of each other in this instruction, or some of a block's warps of others.
bool needs_static_warps(const isa::Instruction& i) {
  switch (i.op) {
    case Opcode::shfl:
    case Opcode::vote:
    case Opcode::match:
    case Opcode::redux:
    case Opcode::activemask:
    case Opcode::elect:
    case Opcode::barwarp:
      return true;
    case Opcode::bar:
      return i.src[1].exists() || i.part == isa::Part::arrive;
    default:
      return false;
  }
}

/// Whether a kernel, or what it may call, has no such instruction.
bool can_compact(const Launch& launch) {
  const Code& code = *launch.config.code;
  std::vector<bool> seen(code.size(), false);
  std::vector<std::uint32_t> next{launch.config.entry};
  while (!next.empty()) {
    const std::uint32_t pc = next.back();
    next.pop_back();
    if (pc >= code.size() || seen[pc]) continue;
    seen[pc] = true;
    const Op& op = code.at(pc);
    if (needs_static_warps(*op.instruction)) return false;
    if (op.kind == OpKind::call) next.push_back(op.instruction->target);
    for (std::uint32_t f = 0; op.kind == OpKind::call_indirect && f < code.size(); ++f) {
      if (code.at(f).starts_function) next.push_back(f);
    }
    for (const std::uint32_t follower : followers(code, pc)) next.push_back(follower);
  }
  return true;
}

bool is_empty(const BlockMask& mask) {
  return std::all_of(mask.begin(), mask.end(), [](LaneMask lanes) { return lanes == 0; });
}

class BlockWide final : public Divergence, private CompactionGate {
 public:
  explicit BlockWide(CompactionUnit& unit) : unit_(&unit) {}

  void move_to(DivergenceUnit& unit) override { unit_ = &static_cast<CompactionUnit&>(unit); }
  void got_context(unsigned context) override { unit_->started(context); }

  void start(ThreadBlock& block) override {
    block_ = &block;
    if (!looked_) {
      looked_ = true;
      const LaunchConfig& config = block.launch.config;
      if (!can_compact(block.launch)) {
        alone_unit_ = divergence_named("stack")(nowhere_);
        alone_ = alone_unit_->make();
      } else if (unit_->parameters.uniform) {
        uniform_ = uniform_branches(*config.code, config.entry);
      } else {
        uniform_.assign(config.code->size(), false);
      }
    }
    if (alone_) {
      ++unit_->statistics.left_alone;
      for (Warp& warp : block.warps) warp.divergence = alone_.get();
      return alone_->start(block);
    }
    ++unit_->statistics.blocks;
    BlockMask all;
    for (const Warp& warp : block.warps) all.push_back(warp.alive);
    stack_.clear();
    stack_.push_back({block.launch.config.entry, isa::kNoPc, std::move(all), false});
    calls_ = 0;
    ways_.clear();
    why_ = Why::nothing;
    run(keep_apart(stack_.back().threads), 0);
  }

  void apply(Warp& slot, const Outcome& outcome) override {
    switch (outcome.kind) {
      case Outcome::Kind::branch:
        return branch(slot, outcome);
      case Outcome::Kind::call:
        for_each_target(outcome, [&](std::uint32_t target, LaneMask lanes) { goes(slot, target, lanes); });
        return stop(slot, Why::call);
      case Outcome::Kind::return_:
        return leave(slot, outcome.lanes, calls_ != 0);
      case Outcome::Kind::exit:
        return leave(slot, outcome.lanes, false);
      default:
        return go(slot, slot.path.pc + 1);
    }
  }

  void arrived(Warp& slot) override { stop(slot, Why::meets); }

  // Kernels with such instructions are left alone; what is left are barriers of the block.
  bool waits_for(Warp& /*slot*/, LaneMask /*named*/) override { return false; }

 private:
  struct Entry {
    std::uint32_t pc = 0;
    std::uint32_t until = isa::kNoPc;
    BlockMask threads;
    bool is_call = false;  ///< the first of a called function
  };
  struct Way {
    std::uint32_t pc = 0;
    BlockMask threads;
  };
  /// What the warps of the running entry have stopped for. All come to the same instruction: none branches before.
  enum class Why : std::uint8_t { nothing, branch, call, meets };

  [[nodiscard]] bool may_join(unsigned warp, unsigned present) const override {
    return unit_->may_join(block_->warps[warp].context, block_->warps[present].context, block_->now);
  }

  // -- what a slot does --

  void go(Warp& slot, std::uint32_t pc) {
    slot.path.pc = pc;
    if (pc == slot.path.until) stop(slot, Why::meets);
  }

  void branch(Warp& slot, const Outcome& outcome) {
    const std::uint32_t next = slot.path.pc + 1;
    const Op& op = block_->launch.config.code->at(slot.path.pc);
    if (op.guard == 0xff && op.kind == OpKind::branch) return go(slot, outcome.target);
    if (uniform_[slot.path.pc]) return go_together(slot, outcome);
    meets_at_ = op.instruction->reconvergence;
    goes(slot, next, slot.path.mask & ~outcome.lanes);
    for_each_target(outcome, [&](std::uint32_t target, LaneMask lanes) { goes(slot, target, lanes); });
    stop(slot, Why::branch);
  }

  /// A branch that never splits a block: nobody need wait.
  void go_together(Warp& slot, const Outcome& outcome) {
    if (outcome.lanes == 0) return go(slot, slot.path.pc + 1);
    std::uint32_t to = isa::kNoPc;
    for_each_target(outcome, [&](std::uint32_t target, LaneMask lanes) {
      HEDDLE_CHECK(lanes == slot.path.mask, "threads part at a branch that was taken for one that never parts them");
      to = target;
    });
    go(slot, to);
  }

  /// Lanes of the slot will go on at `pc`.
  void goes(const Warp& slot, std::uint32_t pc, LaneMask lanes) {
    if (lanes == 0) return;
    auto way = std::find_if(ways_.begin(), ways_.end(), [&](const Way& w) { return w.pc == pc; });
    if (way == ways_.end()) way = ways_.insert(ways_.end(), {pc, BlockMask(block_->warps.size(), 0)});
    for (const SlotPart& part : slot.parts) way->threads[part.warp->index] |= part.lanes & lanes;
  }

  /// Lanes return from a function, or from the kernel for good.
  void leave(Warp& slot, LaneMask lanes, bool function) {
    for (SlotPart& part : slot.parts) {
      const LaneMask gone = part.lanes & lanes;
      part.lanes &= ~gone;
      if (!function) part.warp->alive &= ~gone;
      bool more = true;
      for (std::size_t e = stack_.size(); e-- > 0 && more;) {
        stack_[e].threads[part.warp->index] &= ~gone;
        more = !function || !stack_[e].is_call;
      }
    }
    std::erase_if(slot.parts, [](const SlotPart& part) { return part.lanes == 0; });
    slot.path.mask &= ~lanes;
    if (slot.path.mask != 0) return go(slot, slot.path.pc + 1);
    stop(slot, why_);
  }

  void stop(Warp& slot, Why why) {
    slot.state = WarpState::idle;
    why_ = why;
    last_ = &slot;
    --running_;
    if (running_ == 0) return go_on();
    block_->set_arriving(running_);
  }

  // -- what the block does when all its warps have stopped --

  void go_on() {
    const Why why = std::exchange(why_, Why::nothing);
    std::vector<Way> ways = std::exchange(ways_, {});
    switch (why) {
      case Why::nothing:
        break;
      case Why::meets:
        pop();
        break;
      case Why::branch:
        ++unit_->statistics.meetings;
        if (ways.size() == 1) return keep(ways.front().pc);
        if (!ways.empty()) split(std::move(ways));
        break;
      case Why::call:
        ++unit_->statistics.meetings;
        return call(std::move(ways));
    }
    settle();
  }

  void pop() {
    if (stack_.back().is_call) --calls_;
    stack_.pop_back();
  }

  /// Entries whose threads have left or have come to where they meet others end; the next one runs.
  void settle() {
    while (!stack_.empty() &&
           (is_empty(stack_.back().threads) || (stack_.back().pc == stack_.back().until && stack_.size() > 1)))
      pop();
    if (stack_.empty()) return end();
    const BlockMask& threads = stack_.back().threads;
    const std::unique_ptr<CompactionGate> by_thread = unit_->gate_for(*block_, threads, stack_.back().pc);
    const CompactionGate* by_warp = unit_->gates() ? this : nullptr;
    std::vector<DynamicWarp> formed = compact(threads, by_thread ? by_thread.get() : by_warp);
    if (formed.size() > block_->warps.size()) {
      ++unit_->statistics.too_many;
      formed = keep_apart(threads);
    }
    count(formed);
    run(formed, unit_->parameters.formation);
  }

  void count(const std::vector<DynamicWarp>& formed) {
    CompactionStatistics& statistics = unit_->statistics;
    ++statistics.compactions;
    statistics.warps += formed.size();
    if (std::all_of(formed.begin(), formed.end(), [](const DynamicWarp& warp) { return warp.size() == 1; }))
      ++statistics.apart;
    for (const LaneMask lanes : stack_.back().threads) {
      statistics.threads += static_cast<unsigned>(std::popcount(lanes));
      if (lanes != 0) ++statistics.static_warps;
    }
  }

  /// The top entry runs in these warps.
  void run(const std::vector<DynamicWarp>& formed, unsigned formation) {
    const Entry& top = stack_.back();
    for (unsigned s = 0; s < block_->warps.size(); ++s) {
      Warp& slot = block_->warps[s];
      slot.parts.clear();
      slot.asks_always = true;
      slot.path = {top.pc, top.until, 0};
      slot.state = WarpState::idle;
      if (s >= formed.size()) continue;
      for (const DynamicPart& part : formed[s]) {
        slot.parts.push_back({&block_->warps[part.warp], part.lanes});
        slot.path.mask |= part.lanes;
      }
      slot.state = WarpState::ready;
      slot.formed_after = (s + 1) * formation;
    }
    resume(static_cast<unsigned>(formed.size()));
  }

  void resume(unsigned running) {
    running_ = running;
    block_->changed = true;
    block_->set_arriving(running);
  }

  /// All threads go the same way: the warps stay as they are.
  void keep(std::uint32_t pc) {
    stack_.back().pc = pc;
    if (pc == stack_.back().until) {
      pop();
      return settle();
    }
    unsigned running = 0;
    for (Warp& slot : block_->warps) {
      slot.formed_after = 0;
      if (slot.path.mask == 0) continue;
      slot.path.pc = pc;
      slot.path.until = stack_.back().until;
      slot.state = WarpState::ready;
      ++running;
    }
    resume(running);
  }

  void split(std::vector<Way> ways) {
    ++unit_->statistics.divergent;
    Entry& top = stack_.back();
    const bool meets = meets_at_ != isa::kNoPc;
    std::uint32_t until = top.until;
    bool is_call = false;
    if (meets && meets_at_ != until) {
      top.pc = until = meets_at_;
    } else {
      // They meet where the entry ends, which is another's to wait for.
      is_call = top.is_call;
      stack_.pop_back();
    }
    // The way past the branch was noted first, if there is one; what comes last is on top.
    if (unit_->parameters.first.is("fall-through")) std::reverse(ways.begin(), ways.end());
    for (Way& way : ways) {
      if (meets && way.pc == meets_at_) continue;
      stack_.push_back({way.pc, until, std::move(way.threads), std::exchange(is_call, false)});
    }
  }

  void call(std::vector<Way> ways) {
    Warp& slot = *last_;
    const std::uint32_t next = slot.path.pc + 1;
    if (ways.empty()) return keep(next);
    if (calls_ >= block_->launch.most_calls) {
      ProgramFault what;
      what.kind = FaultKind::stack_overflow;
      what.detail = fmt::format("{} calls inside each other are more than the stack has room for", calls_);
      raise(slot, static_cast<unsigned>(std::countr_zero(slot.path.mask)), std::move(what));
    }
    const bool all = ways.size() == 1 && ways.front().threads == stack_.back().threads;
    stack_.back().pc = next;
    for (Way& way : ways) {
      ++calls_;
      stack_.push_back({way.pc, isa::kNoPc, std::move(way.threads), true});
    }
    if (all) return keep(stack_.back().pc);
    ++unit_->statistics.divergent;
    settle();
  }

  void end() {
    for (Warp& slot : block_->warps) {
      slot.state = WarpState::done;
      if (&slot != last_) block_->warp_finished(slot);  // of the last one the interpreter says so
    }
    block_->changed = true;
  }

  CompactionUnit* unit_;
  ThreadBlock* block_ = nullptr;
  std::vector<Entry> stack_;
  unsigned calls_ = 0;    ///< entries that are calls
  unsigned running_ = 0;  ///< dynamic warps that have not stopped
  Why why_ = Why::nothing;
  Warp* last_ = nullptr;  ///< stopped last
  std::vector<Way> ways_;
  std::uint32_t meets_at_ = isa::kNoPc;

  bool looked_ = false;        ///< whether the kernel can be compacted; if not, alone_ exists
  std::vector<bool> uniform_;  ///< by instruction: a branch that never splits the block
  sim::StatisticGroup nowhere_{"alone"};
  std::unique_ptr<DivergenceUnit> alone_unit_;
  std::unique_ptr<Divergence> alone_;
};

}  // namespace

std::unique_ptr<Divergence> CompactionUnit::make() { return std::make_unique<BlockWide>(*this); }

}  // namespace heddle::exec
