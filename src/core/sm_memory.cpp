// Memory instructions as their warps see them: what they wait for before they issue, and what their end brings.
#include <algorithm>
#include <bit>

#include "core/sm.h"

namespace heddle::core {

using exec::OpKind;
using sim::Cycle;

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

void Sm::issue_memory(Context& context, unsigned w, const exec::Op& op, std::uint32_t pc, Cycle now) {
  const exec::MemoryAccess& access = interpreter_->last_access();
  const TimedOp& timed = *context.timed;
  const bool moves_data =
      op.kind == OpKind::load || op.kind == OpKind::texture || op.kind == OpKind::store || op.kind == OpKind::atomic;
  if (!moves_data) {
    // Shuffles go through the same exchange network as shared memory; prefetches have no effect.
    if (!timed.registers.writes()) return;
    ++context.in_flight;
    memory_.take_shuffle({op, access, *context.kernel, *context.share, pc, w, context.block_slot,
                          operands_->dispatch(w, timed, now, now)},
                         now);
    expects_ = true;
    write_at(w, timed, kWhenShuffled);
    return;
  }
  if (access.lanes == 0) return;
  Cycle operands = operands_->dispatch(w, timed, now, now);
  if (p_.first_access_latency != 0 && op.instruction->space != isa::Space::shared) {
    if (*context.memory_at == sim::kNever) *context.memory_at = now + p_.first_access_latency;
    operands = std::max(operands, *context.memory_at);
  }
  ++context.in_flight;
  MemoryInstruction& m = memory_.take({op, access, *context.kernel, *context.share, pc, w, context.block_slot, operands,
                                       compacted_issue_ ? &issued_parts_ : nullptr},
                                      now);
  if (m.kind == MemoryKind::shared) {
    context.ready_at = std::max(context.ready_at, m.loops_until);
    statistics_.shared_lanes[m.application] += static_cast<unsigned>(std::popcount(access.lanes));
  } else if (m.kind != MemoryKind::constant) {
    if (fences_by_round_) touch_memory(context, access);
    statistics_.memory_lanes[m.application] += static_cast<unsigned>(std::popcount(access.lanes));
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
  expects_ = expects_ || timed.registers.writes();
  write_at(w, timed, kWhenMemoryAnswers);
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
    statistics_.load_latency[m.application] += now - m.issued_at;
    ++statistics_.loads[m.application];
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
  const TimedOp& timed = context.timed[static_cast<std::int32_t>(m.pc - context.pc)];
  if (m.kind == MemoryKind::atomic) {
    if (m.op->instruction->dst[0].exists()) {
      for (LaneMask left = m.packet->lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        exec::Interpreter::write_value(*m.op, *context.warp, lane, m.packet->old[lane]);
      }
    }
    if (--context.atomics == 0) context.atomic_filter = 0;
  }
  write_at(w, timed, now);
  if (operands_->wants_writes()) operands_->wrote(w, timed, now);
  if (m.kind == MemoryKind::atomic) {
    refresh(w, now);  // it may have waited for atomics
  } else {
    result_came(w, now);
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

}  // namespace heddle::core
