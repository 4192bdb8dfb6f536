// Issue: which warps are ready, which of them go, and what that costs.
#include <algorithm>
#include <bit>

#include "core/sm.h"
#include "exec/long_way.h"

namespace heddle::core {

using exec::OpKind;
using sim::Cycle;

void Sm::refresh(unsigned w, Cycle now) {
  const WarpSet bit = WarpSet{1} << w;
  const bool waited = (at_barrier_ & bit) != 0;
  ready_ &= ~bit;
  at_barrier_ &= ~bit;
  fetching_ &= ~bit;
  waits_memory_ &= ~bit;
  waits_result_ &= ~bit;
  waits_order_ &= ~bit;
  Context& context = contexts_[w];
  if (context.warp == nullptr || context.warp->state == exec::WarpState::done) return;
  const bool waits = context.warp->state != exec::WarpState::ready || context.in_system_call ||
                     ((stopped_ | restoring_) & bit) != 0 || (context.fenced && !fence_done(context, w, now));
  if (waits != waited) scheduler_->at_barrier(static_cast<int>(w), waits);
  if (waits) {
    at_barrier_ |= bit;
    return;
  }
  context.fenced = false;
  if (context.ready_at > now) {
    fetching_ |= bit;
    if (context.ready_at == sim::kNever) return;  // the line's arrival will say
    if (operands_->follows()) {
      events_.add(now, context.ready_at, {EventKind::wake, static_cast<std::uint8_t>(w), 0});  // in order
    } else {
      events_.wake(now, context.ready_at, w);
    }
    return;
  }
  if (operands_->follows()) operands_->fetched(w, now);
  decode(context, w, now);
}

inline void Sm::decode(Context& context, unsigned w, Cycle now) {
  const WarpSet bit = WarpSet{1} << w;
  const auto distance = static_cast<std::int32_t>(context.warp->path.pc - context.pc);
  context.pc = context.warp->path.pc;
  context.op += distance;
  context.timed += distance;
  const TimedOp& op = *context.timed;
  if (context.unit != op.unit) {
    next_unit_[static_cast<std::size_t>(context.unit)] &= ~bit;
    context.unit = op.unit;
  }
  next_unit_[static_cast<std::size_t>(op.unit)] |= bit;
  about_to_load_ = (about_to_load_ & ~bit) | WarpSet{op.loads} << w;
  about_to_order_ = (about_to_order_ & ~bit) | WarpSet{op.orders} << w;
  if (!context.warp->parts.empty()) [[unlikely]] {
    if (!waits_for_records(w, op)) ready_ |= bit;
    return;
  }
  if (op.waits_for_atomics && context.atomics != 0) {
    waits_order_ |= bit;
    return;
  }
  wait_for_registers(context, w, op, now);
}

inline void Sm::wait_for_registers(Context& context, unsigned w, const TimedOp& op, Cycle now) {
  const WarpSet bit = WarpSet{1} << w;
  const Cycle* written = written_at(w);
  Cycle at = 0;
  for (const std::uint16_t reg : op.registers.all()) at = std::max(at, written[reg]);
  if (at <= now) {
    ready_ |= bit;
  } else if (at == kWhenMemoryAnswers) {
    waits_memory_ |= bit;
  } else {
    waits_result_ |= bit;
    context.wakes_at = at;
    if (at != kWhenShuffled) events_.wake(now, at, w);
  }
}

void Sm::result_came(unsigned w, Cycle now) {
  const WarpSet bit = WarpSet{1} << w;
  if (((waits_result_ | waits_memory_) & bit) == 0) return;  // it waits for something else, or for nothing
  Context& context = contexts_[w];
  waits_result_ &= ~bit;
  waits_memory_ &= ~bit;
  wait_for_registers(context, w, *context.timed, now);
}

WarpSet Sm::units_taken(Cycle now) const {
  WarpSet taken = 0;
  for (std::size_t u = 0; u < kUnits; ++u) {
    if (!unit_free(static_cast<UnitKind>(u), now)) taken |= next_unit_[u];
  }
  if (memory_.refuses_some()) taken |= memory_.refuses(about_to_load_, about_to_order_);
  return taken;
}

Slot Sm::why_idle(unsigned s, WarpSet ready) const {
  const WarpSet mine = belongs_[s];
  if (ready != 0) {
    if ((ready & ~operands_->barred()) == 0) return Slot::operands;
    return (ready & ~next_unit_[static_cast<std::size_t>(UnitKind::memory)]) == 0 ? Slot::memory_queue
                                                                                  : Slot::pipe_busy;
  }
  if ((waits_order_ & mine) != 0) return Slot::memory_order;
  if ((waits_memory_ & mine) != 0) return Slot::memory_data;
  if ((waits_result_ & mine) != 0) return Slot::result;
  if ((fetching_ & mine) != 0) return Slot::fetch;
  if ((at_barrier_ & mine) != 0) return Slot::barrier;
  return Slot::no_warp;
}

WarpSet Sm::ask_control() {
  const WarpSet live = ready_ | at_barrier_ | fetching_ | waits_memory_ | waits_result_ | waits_order_;
  const IssueLimits limits =
      control_->limits({ready_, at_barrier_ | (resident_ & ~live), memory_.stalled(), memory_.outstanding()});
  const WarpSet accesses = (about_to_load_ | about_to_order_) & next_unit_[static_cast<std::size_t>(UnitKind::memory)];
  return limits.barred | (limits.no_memory & accesses);
}

void Sm::issue(Cycle now) {
  WarpSet busy = 0;
  if (control_ != nullptr) [[unlikely]]
    held_ = ask_control();
  if (waiting_study_) [[unlikely]] {
    const WarpSet accesses =
        ready_ & (about_to_load_ | about_to_order_) & next_unit_[static_cast<std::size_t>(UnitKind::memory)];
    waiting_study_->ready(static_cast<unsigned>(std::popcount(accesses)));
  }
  if (ready_ != 0) {
    busy = units_taken(now) | operands_->barred() | held_;
    if (operands_->collects_from() > now) busy |= ~next_unit_[static_cast<std::size_t>(UnitKind::control)];
  }
  for (unsigned s = 0; s < p_.schedulers; ++s) {
    if (sequence_until_[s] > now) {
      last_slot_[s] = Slot::issued;
      changes_ = true;
      continue;
    }
    const WarpSet ready = ready_ & belongs_[s];
    const WarpSet can = ready & ~busy;
    if (can == 0) {
      last_slot_[s] = ready != 0 && (ready & ~held_) == 0 ? Slot::policy : why_idle(s, ready);
      continue;
    }
    const int chosen = scheduler_->pick({can, can & about_to_load_, now, s, operands_->barred() | held_});
    if (chosen == kNoWarp) {
      last_slot_[s] = Slot::policy;
      continue;
    }
    const auto w = static_cast<unsigned>(chosen);
    if (!issue_from(w, now)) {
      last_slot_[s] = Slot::memory_order;
      changes_ = true;
      continue;
    }
    last_slot_[s] = Slot::issued;
    changes_ = true;
    sequence_until_[s] = now + sequence_;
    if (p_.issue_width > 1 && may_issue_again(w, now)) (void)issue_from(w, now);
    // What this scheduler took is gone for the next one.
    if (s + 1 < p_.schedulers) busy |= units_taken(now);
  }
  if (profile_) [[unlikely]]
    place_slots();
}

bool Sm::may_issue_again(unsigned w, Cycle now) {
  // What shares the SM may let this instruction issue and not the next.
  if (control_ != nullptr) [[unlikely]]
    held_ = ask_control();
  return ((ready_ & ~units_taken(now) & ~operands_->barred() & ~held_) >> w & 1) != 0;
}

bool Sm::parameters_came(Context& context, Cycle now) const {
  Cycle& at = *context.parameters_at;
  if (at == sim::kNever) at = now + p_.parameter_latency;
  context.has_parameters = at <= now;
  if (context.has_parameters) return true;
  context.ready_at = at;
  return false;
}

inline void Sm::issue_plain(Context& context, unsigned w, const TimedOp& op, Cycle now) {
  exec::Warp& warp = *context.warp;
  const std::uint32_t pc = context.pc;
  select(context);
  count_issue(context, op);
  const LaneMask ran = warp.path.mask;
  count_lanes(context, op, interpreter_->step_arithmetic(*context.op, warp));
  compacted_issue_ = false;
  issue_arithmetic(context, w, op, pc, now);
  if ((warp.path.mask & ~ran) != 0) context.ready_at = now + p_.meeting_latency;
  context.ready_at = fetch_.next(w, warp.path.pc, context.ready_at, now);
  if (context.ready_at > now || warp.state != exec::WarpState::ready) return refresh(w, now);
  ready_ &= ~(WarpSet{1} << w);
  decode(context, w, now);
}

bool Sm::issue_from(unsigned w, Cycle now) {
  Context& context = contexts_[w];
  exec::Warp& warp = *context.warp;
  const TimedOp& decoded = *context.timed;
  if (decoded.plain && plain_ && warp.parts.empty() && !warp.asks_always &&
      (!decoded.reads_parameters || context.has_parameters)) {
    issue_plain(context, w, decoded, now);
    return true;
  }
  select(context);
  interpreter_->set_time(now);
  if (warp.diverged && interpreter_->gives_way(warp)) {
    // These lanes wait for others of the warp, which are elsewhere.
    if (operands_->follows()) operands_->gave_way(w, now);
    fetch(w, now);
    refresh(w, now);
    return false;
  }
  const std::uint32_t pc = warp.path.pc;
  const exec::Op& op = *context.op;
  if (decoded.reads_parameters && !parameters_came(context, now)) {
    refresh(w, now);
    return false;
  }
  if (op.kind == OpKind::load || op.kind == OpKind::store) {
    if (must_wait_for_atomic(context, op)) {
      // A thread sees its own atomics: wait until they have been performed.
      const WarpSet bit = WarpSet{1} << w;
      ready_ &= ~bit;
      waits_order_ |= bit;
      return false;
    }
  }
  const bool long_way = decoded.has_long_way && exec::takes_long_way(*interpreter_, op, warp);
  const TimedOp& timed = long_way ? context.kernel->timed->long_way(pc) : decoded;
  if (long_way) ++statistics_.long_ways[context.kernel->application];
  count_issue(context, timed);
  if (profile_) [[unlikely]]
    profile_->issued(w, pc, timed.writes,
                     static_cast<unsigned>(std::popcount(exec::Interpreter::guarded(op, warp, warp.path.mask))));
  const LaneMask followed = operands_->follows() ? exec::Interpreter::guarded(op, warp, warp.path.mask) : 0;
  if (operands_->follows()) operands_->issuing({w, pc, timed, warp, followed, false, now});
  if (op.kind == OpKind::system_call) {
    context.in_system_call = true;
    if (operands_->follows()) operands_->issued({w, pc, timed, warp, followed, false, now});
    system_calls_.push_back(w);
    refresh(w, now);
    return true;
  }
  expects_ = false;
  compacted_issue_ = !warp.parts.empty();
  if (compacted_issue_) {
    issued_parts_ = warp.parts;
    warp.block->now = now;
  }
  const std::uint64_t threads = interpreter_->thread_instructions();
  const LaneMask ran = warp.path.mask;
  interpreter_->step(warp);
  // A path has come to where it meets others: they go on together, or another path does.
  const bool met = (warp.path.mask & ~ran) != 0 && op.kind != OpKind::exit && op.kind != OpKind::barrier;
  const Cycle after = now + (met ? p_.meeting_latency.get() : 0);
  if (met) context.ready_at = after;
  const std::uint64_t lanes = interpreter_->thread_instructions() - threads;
  count_lanes(context, timed, lanes);
  if (statistics_.divided()) count_application(context.kernel->application, timed, lanes);
  if (control_ != nullptr) [[unlikely]]
    control_->issued({w, context.kernel->application, pc, static_cast<unsigned>(lanes)});

  switch (timed.unit) {
    case UnitKind::memory:
      if (op.instruction->op == isa::Opcode::fence) {
        begin_fence(context, op.instruction->scope, now);
      } else {
        issue_memory(context, w, op, pc, now);
      }
      break;
    case UnitKind::control:
      if (op.kind == OpKind::branch || op.kind == OpKind::branch_indexed || op.kind == OpKind::call ||
          op.kind == OpKind::call_indirect || op.kind == OpKind::return_) {
        context.ready_at = after + p_.branch_latency;
      }
      if (op.kind == OpKind::barrier) arrive_at_barrier(context, now);
      if (timed.registers.writes() && op.kind != OpKind::barrier) {
        expect_result(context, w, timed, pc, now, now + p_.integer.latency);
      }
      break;
    default:
      issue_arithmetic(context, w, timed, pc, now);
      break;
  }
  if (operands_->follows()) operands_->issued({w, pc, timed, warp, followed, expects_, now});
  moved_on(w, now);
  if (op.kind == OpKind::barrier || op.kind == OpKind::exit) {
    // Others of the block may have been released.
    for (WarpSet left = blocks_[context.block_slot].warps & at_barrier_; left != 0; left &= left - 1) {
      refresh(static_cast<unsigned>(std::countr_zero(left)), now);
    }
  }
  // Its scheduler comes to it again in the next cycle; with dual issue, once more in this one.
  refresh(w, now);
  return true;
}

void Sm::count_application(std::uint16_t application, const TimedOp& op, std::uint64_t lanes) {
  ++statistics_.instructions.own(application);
  statistics_.issue_slots.own(application) += op.instructions;
  statistics_.thread_instructions.own(application) += lanes;
  statistics_.register_reads.own(application) += op.reads;
  statistics_.register_writes.own(application) += op.written;
  const auto unit = static_cast<std::size_t>(op.unit);
  if (unit < statistics_.pipe_lanes.size()) statistics_.pipe_lanes[unit].own(application) += lanes;
}

void Sm::arrive_at_barrier(Context& context, Cycle now) {
  ResidentBlock& block = blocks_[context.block_slot];
  block.barrier_free_at = std::max(block.barrier_free_at, now) + p_.barrier_interval;
  const Cycle from = block.barrier_free_at + p_.barrier_latency;
  if (context.warp->state != exec::WarpState::at_barrier) context.ready_at = from;
  for (WarpSet left = block.warps & at_barrier_; left != 0; left &= left - 1) {
    Context& other = contexts_[static_cast<unsigned>(std::countr_zero(left))];
    if (other.warp->state != exec::WarpState::at_barrier) other.ready_at = std::max(other.ready_at, from);
  }
}

void Sm::issue_arithmetic(Context& context, unsigned w, const TimedOp& op, std::uint32_t pc, Cycle now) {
  // Of the pipes of its kind, the one that is free first.
  const auto u = static_cast<std::size_t>(op.unit);
  Cycle* pipes = pipe_free_at_[u].data();
  unsigned first = 0;
  for (unsigned i = 1; i < pipes_[u]; ++i) first = pipes[i] < pipes[first] ? i : first;
  const Cycle dispatch = operands_->dispatch(w, op, pipes[first], now);
  pipes[first] = dispatch + op.interval;
  Cycle free_from = pipes[0];
  for (unsigned i = 1; i < pipes_[u]; ++i) free_from = std::min(free_from, pipes[i]);
  pipe_free_from_[u] = free_from;
  if (!op.registers.writes()) return;
  expect_result(context, w, op, pc, now, dispatch + op.latency);
}

void Sm::expect_result(Context& context, unsigned w, const TimedOp& op, std::uint32_t pc, Cycle now, Cycle at) {
  if (compacted_issue_) [[unlikely]]
    return expect_compacted(context, w, op, now, at);
  expects_ = true;
  write_at(w, op, at);
  if (operands_->wants_writes()) events_.add(now, at, {EventKind::result, static_cast<std::uint8_t>(w), pc});
}

void Sm::moved_on(unsigned w, Cycle now) {
  const Context& context = contexts_[w];
  const exec::Warp& warp = *context.warp;
  if (warp.asks_always && warp.block->changed) return slots_changed(context.block_slot, now);
  if (warp.state == exec::WarpState::done) {
    warp_ended(w, now);
  } else if (warp.state == exec::WarpState::ready || !warp.asks_always) {
    fetch(w, now);
  }
}

void Sm::fetch(unsigned w, Cycle now) {
  Context& context = contexts_[w];
  context.ready_at = fetch_.next(w, context.warp->path.pc, context.ready_at, now);
}

}  // namespace heddle::core
