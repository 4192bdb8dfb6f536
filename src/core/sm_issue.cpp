// Issue: which warps are ready, which of them go, and what that costs.
#include <algorithm>
#include <bit>

#include "core/sm.h"

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
                     ((stopped_ | restoring_) & bit) != 0 || (context.fenced && !fence_done(context, w));
  if (waits != waited) scheduler_->at_barrier(static_cast<int>(w), waits);
  if (waits) {
    at_barrier_ |= bit;
    return;
  }
  context.fenced = false;
  if (context.ready_at > now) {
    fetching_ |= bit;
    if (context.ready_at == sim::kNever) return;  // the line's arrival will say
    events_.add(now, context.ready_at, {EventKind::refresh, static_cast<std::uint8_t>(w), 0});
    return;
  }
  if (operands_->follows()) operands_->fetched(w, now);
  const TimedOp& op = context.kernel->timed->at(context.warp->path.pc);
  next_unit_[static_cast<std::size_t>(context.unit)] &= ~bit;
  context.unit = op.unit;
  next_unit_[static_cast<std::size_t>(op.unit)] |= bit;
  about_to_load_ = op.loads ? about_to_load_ | bit : about_to_load_ & ~bit;
  about_to_order_ = op.orders ? about_to_order_ | bit : about_to_order_ & ~bit;
  if (!context.warp->parts.empty()) [[unlikely]] {
    if (!waits_for_records(w, op)) ready_ |= bit;
    return;
  }
  if (op.waits_for_atomics && context.atomics != 0) {
    waits_order_ |= bit;
    return;
  }
  if (context.pending.meets(op.touches)) {
    (context.pending_memory.meets(op.touches) ? waits_memory_ : waits_result_) |= bit;
    return;
  }
  ready_ |= bit;
}

void Sm::result_came(unsigned w) {
  const WarpSet bit = WarpSet{1} << w;
  if (((waits_result_ | waits_memory_) & bit) == 0) return;  // it waits for something else, or for nothing
  const Context& context = contexts_[w];
  const TimedOp& op = context.kernel->timed->at(context.warp->path.pc);
  waits_result_ &= ~bit;
  waits_memory_ &= ~bit;
  if (!context.pending.meets(op.touches)) {
    ready_ |= bit;
  } else {
    (context.pending_memory.meets(op.touches) ? waits_memory_ : waits_result_) |= bit;
  }
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
      issued_ = true;
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
      continue;
    }
    last_slot_[s] = Slot::issued;
    issued_ = true;
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

bool Sm::must_wait_for_atomic(const Context& context, const exec::Op& op) {
  const std::uint64_t filter = context.warp->parts.empty() ? context.atomic_filter : atomics_of_records(context);
  if (filter == 0) return false;
  const isa::Instruction& i = *op.instruction;
  if (i.space == isa::Space::shared || i.space == isa::Space::local || i.space == isa::Space::param ||
      i.space == isa::Space::constant)
    return false;
  const exec::MemoryAccess access = interpreter_->preview(op, *context.warp);
  for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    if ((filter & atomic_filter_bit(access.address[lane] / p_.l1.line_bytes)) != 0) return true;
  }
  return false;
}

bool Sm::parameters_came(Context& context, Cycle now) const {
  Cycle& at = *context.parameters_at;
  if (at == sim::kNever) at = now + p_.parameter_latency;
  if (at <= now) return true;
  context.ready_at = at;
  return false;
}

bool Sm::issue_from(unsigned w, Cycle now) {
  Context& context = contexts_[w];
  exec::Warp& warp = *context.warp;
  interpreter_->select(*context.kernel->launch);
  interpreter_->set_time(now);
  if (warp.diverged && interpreter_->gives_way(warp)) {
    // These lanes wait for others of the warp, which are elsewhere.
    fetch(w, now);
    refresh(w, now);
    return false;
  }
  const std::uint32_t pc = warp.path.pc;
  const exec::Op& op = context.kernel->launch->config.code->at(pc);
  const TimedOp& timed = context.kernel->timed->at(pc);
  if (timed.reads_parameters && !parameters_came(context, now)) {
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
  ++statistics_.instructions;
  ++context.share->instructions;
  statistics_.issue_slots += timed.instructions;
  sequence_ = timed.instructions;
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
  compacted_issue_ = !warp.parts.empty();
  if (compacted_issue_) {
    issued_parts_ = warp.parts;
    warp.block->now = now;
  }
  const std::uint64_t threads = interpreter_->thread_instructions();
  interpreter_->step(warp);
  const std::uint64_t lanes = interpreter_->thread_instructions() - threads;
  statistics_.thread_instructions += lanes;
  context.share->thread_instructions += lanes;
  if (!by_application_.empty()) {
    ++by_application_[context.kernel->application]->instructions;
    by_application_[context.kernel->application]->thread_instructions += lanes;
  }
  if (control_ != nullptr) [[unlikely]]
    control_->issued({w, context.kernel->application, pc, static_cast<unsigned>(lanes)});
  statistics_.register_reads += timed.reads;
  statistics_.register_writes += timed.written;
  const auto unit = static_cast<std::size_t>(timed.unit);
  if (unit < statistics_.pipe_lanes.size()) statistics_.pipe_lanes[unit] += lanes;

  switch (timed.unit) {
    case UnitKind::memory:
      if (op.instruction->op == isa::Opcode::fence) {
        context.fenced = true;
        context.flush = 0;
        context.fence_flushes = op.instruction->scope != isa::Scope::cta;
      } else {
        issue_memory(context, w, op, pc, now);
      }
      break;
    case UnitKind::control:
      if (op.kind == OpKind::branch || op.kind == OpKind::branch_indexed || op.kind == OpKind::call ||
          op.kind == OpKind::call_indirect || op.kind == OpKind::return_) {
        context.ready_at = now + p_.branch_latency;
      }
      if (op.kind == OpKind::barrier) arrive_at_barrier(context, now);
      if (!timed.writes.empty() && op.kind != OpKind::barrier) {
        expect_result(context, w, timed, pc, now, now + p_.integer.latency);
      }
      break;
    default:
      issue_arithmetic(context, w, timed, pc, now);
      break;
  }
  if (operands_->follows()) operands_->issued({w, pc, timed, warp, followed, context.pending.meets(timed.writes), now});
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
  const auto end = pipe_free_at_[u].begin() + pipes_[u];
  const auto pipe = std::min_element(pipe_free_at_[u].begin(), end);
  const Cycle dispatch = operands_->dispatch(w, op, *pipe, now);
  *pipe = dispatch + op.interval;
  pipe_free_from_[u] = *std::min_element(pipe_free_at_[u].begin(), end);
  if (op.writes.empty()) return;
  expect_result(context, w, op, pc, now, dispatch + op.latency);
}

void Sm::expect_result(Context& context, unsigned w, const TimedOp& op, std::uint32_t pc, Cycle now, Cycle at) {
  if (compacted_issue_) [[unlikely]]
    return expect_compacted(context, w, op, now, at);
  context.pending.unite(op.writes);
  events_.add(now, at, {EventKind::result, static_cast<std::uint8_t>(w), pc});
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

void Sm::issue_memory(Context& context, unsigned w, const exec::Op& op, std::uint32_t pc, Cycle now) {
  const exec::MemoryAccess& access = interpreter_->last_access();
  const TimedOp& timed = context.kernel->timed->at(pc);
  const bool moves_data =
      op.kind == OpKind::load || op.kind == OpKind::texture || op.kind == OpKind::store || op.kind == OpKind::atomic;
  if (!moves_data) {
    // Shuffles go through the same exchange network as shared memory; prefetches have no effect.
    if (timed.writes.empty()) return;
    ++context.in_flight;
    memory_.take_shuffle({op, access, *context.kernel, *context.share, pc, w, operands_->dispatch(w, timed, now, now)},
                         now);
    context.pending.unite(timed.writes);
    return;
  }
  if (access.lanes == 0) return;
  Cycle operands = operands_->dispatch(w, timed, now, now);
  if (p_.first_access_latency != 0 && op.instruction->space != isa::Space::shared) {
    if (*context.memory_at == sim::kNever) *context.memory_at = now + p_.first_access_latency;
    operands = std::max(operands, *context.memory_at);
  }
  ++context.in_flight;
  MemoryInstruction& m = memory_.take(
      {op, access, *context.kernel, *context.share, pc, w, operands, compacted_issue_ ? &issued_parts_ : nullptr}, now);
  if (m.kind == MemoryKind::shared) {
    statistics_.shared_lanes += static_cast<unsigned>(std::popcount(access.lanes));
  } else if (m.kind != MemoryKind::constant) {
    statistics_.memory_lanes += static_cast<unsigned>(std::popcount(access.lanes));
    if (!by_application_.empty()) {
      ++by_application_[context.kernel->application]->memory_instructions;
      by_application_[context.kernel->application]->line_requests += m.waiting;
    }
    if (control_ != nullptr) [[unlikely]]
      control_->accessed(context.kernel->application, m.waiting);
  }
  switch (m.kind) {
    case MemoryKind::load:
      if (++context.long_loads == 1) scheduler_->long_latency(static_cast<int>(w), true);
      break;
    case MemoryKind::store:
      if (!compacted_issue_) ++context.stores;
      break;
    case MemoryKind::atomic:
      fill_packet(context, op, *m.packet);
      if (compacted_issue_) break;
      for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        context.atomic_filter |= atomic_filter_bit(access.address[lane] / p_.l1.line_bytes);
      }
      ++context.atomics;
      break;
    default:
      break;
  }
  if (compacted_issue_) [[unlikely]]
    return took_compacted(m, context, timed, access);
  if (!timed.writes.empty()) {
    context.pending.unite(timed.writes);
    context.pending_memory.unite(timed.writes);
  }
}

void Sm::fill_packet(const Context& context, const exec::Op& op, memory::AtomicPacket& packet) {
  for (LaneMask left = packet.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const exec::Warp& home = compacted_issue_ ? exec::home_in(issued_parts_, lane) : *context.warp;
    packet.operand[lane] = interpreter_->source_value(op, home, 1, lane, packet.bytes);
    packet.second[lane] = op.sources > 2 ? interpreter_->source_value(op, home, 2, lane, packet.bytes) : 0;
  }
}

void Sm::memory_done(const MemoryInstruction& m, Cycle now) {
  const unsigned w = m.warp;
  Context& context = contexts_[w];
  --context.in_flight;
  if (m.kind == MemoryKind::load) {
    statistics_.load_latency += now - m.issued_at;
    ++statistics_.loads;
    context.share->load_latency += now - m.issued_at;
    if (profile_) [[unlikely]]
      profile_->loaded(w, m.pc, now - m.issued_at);
    ++context.share->loads;
    if (--context.long_loads == 0) scheduler_->long_latency(static_cast<int>(w), false);
  }
  if (m.record != MemoryInstruction::kNoRecord) [[unlikely]]
    return compacted_done(m, now);
  if (m.kind == MemoryKind::store) {
    --context.stores;
    if (context.fenced && context.stores == 0) refresh(w, now);
    return;
  }
  const TimedOp& timed = context.kernel->timed->at(m.pc);
  if (m.kind == MemoryKind::atomic) {
    if (m.op->instruction->dst[0].exists()) {
      for (LaneMask left = m.packet->lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        exec::Interpreter::write_value(*m.op, *context.warp, lane, m.packet->old[lane]);
      }
    }
    if (--context.atomics == 0) context.atomic_filter = 0;
  }
  context.pending.subtract(timed.writes);
  context.pending_memory.subtract(timed.writes);
  if (operands_->wants_writes()) operands_->wrote(w, timed, now);
  if (m.kind == MemoryKind::atomic) {
    refresh(w, now);  // it may have waited for atomics
  } else {
    result_came(w);
  }
}

void Sm::flush_advanced(Cycle now) {
  for (WarpSet left = flush_waiters_; left != 0; left &= left - 1) {
    const auto w = static_cast<unsigned>(std::countr_zero(left));
    if (!memory_.l1().flushed(contexts_[w].flush)) continue;
    flush_waiters_ &= ~(WarpSet{1} << w);
    refresh(w, now);
  }
}

void Sm::fetch(unsigned w, Cycle now) {
  Context& context = contexts_[w];
  context.ready_at = fetch_.next(w, context.warp->path.pc, context.ready_at, now);
}

bool Sm::fence_done(Context& context, unsigned w) {
  if (context.stores != 0 || context.atomics != 0) return false;
  if (!context.warp->parts.empty() && records_write(context)) return false;
  if (!context.fence_flushes || memory_.l1().clean()) return true;
  if (context.flush == 0) {
    context.flush = memory_.l1().flush();
    flush_waiters_ |= WarpSet{1} << w;
  }
  return memory_.l1().flushed(context.flush);
}

}  // namespace heddle::core
