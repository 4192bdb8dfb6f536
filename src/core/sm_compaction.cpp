// What an SM does differently where the lanes of a slot are from several warps (exec/divergence/compaction.h).
//
// Threads move from slot to slot, so what they wait for goes with them: every instruction in flight is a record with
// its lanes and the warps that they are from, and a slot waits for those records that have a thread of its own.
#include <algorithm>
#include <bit>

#include "core/sm.h"

namespace heddle::core {

using sim::Cycle;

namespace {

bool share_a_thread(const std::vector<exec::SlotPart>& one, const std::vector<exec::SlotPart>& other) {
  return std::any_of(one.begin(), one.end(), [&](const exec::SlotPart& a) {
    return std::any_of(other.begin(), other.end(),
                       [&](const exec::SlotPart& b) { return a.warp == b.warp && (a.lanes & b.lanes) != 0; });
  });
}

}  // namespace

template <typename Function>
void Sm::for_each_record(const Context& context, Function&& f) const {
  for (const std::uint32_t index : blocks_[context.block_slot].records) {
    const CompactedIssue& record = compacted_.at(index);
    if (share_a_thread(record.parts, context.warp->parts)) f(record);
  }
}

bool Sm::waits_for_records(unsigned w, const TimedOp& op) {
  bool order = false;
  bool memory = false;
  bool result = false;
  for_each_record(contexts_[w], [&](const CompactedIssue& record) {
    order = order || (op.waits_for_atomics && record.filter != 0);
    if (record.timed->writes.meets(op.touches)) (record.from_memory ? memory : result) = true;
  });
  if (!order && !memory && !result) return false;
  (order ? waits_order_ : memory ? waits_memory_ : waits_result_) |= WarpSet{1} << w;
  return true;
}

std::uint32_t Sm::take_record(const Context& context, const TimedOp& timed) {
  const std::uint32_t index = compacted_.take();
  CompactedIssue& record = compacted_.at(index);
  record.parts = issued_parts_;
  record.timed = &timed;
  record.filter = 0;
  record.block_slot = context.block_slot;
  record.from_memory = record.stores = false;
  blocks_[context.block_slot].records.push_back(index);
  return index;
}

void Sm::release_record(std::uint32_t index, Cycle now) {
  const std::uint32_t slot = compacted_.at(index).block_slot;
  std::erase(blocks_[slot].records, index);
  compacted_.release(index);
  const WarpSet waits = waits_result_ | waits_memory_ | waits_order_;
  for (WarpSet left = blocks_[slot].warps & (waits | at_barrier_); left != 0; left &= left - 1) {
    const auto w = static_cast<unsigned>(std::countr_zero(left));
    if ((waits >> w & 1) != 0 || contexts_[w].fenced) refresh(w, now);
  }
}

void Sm::expect_compacted(const Context& context, unsigned w, const TimedOp& timed, Cycle now, Cycle at) {
  const std::uint32_t index = take_record(context, timed);
  events_.add(now, at, {EventKind::compacted_result, static_cast<std::uint8_t>(w), index});
}

void Sm::compacted_result(unsigned w, std::uint32_t index, Cycle now) {
  if (operands_->wants_writes()) operands_->wrote(w, *compacted_.at(index).timed, now);
  release_record(index, now);
}

void Sm::took_compacted(MemoryInstruction& m, const Context& context, const TimedOp& timed,
                        const exec::MemoryAccess& access) {
  m.record = take_record(context, timed);
  CompactedIssue& record = compacted_.at(m.record);
  record.from_memory = true;
  record.stores = m.kind == MemoryKind::store;
  for (LaneMask left = m.kind == MemoryKind::atomic ? access.lanes : 0; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    record.filter |= atomic_filter_bit(access.address[lane] / p_.l1.line_bytes);
  }
}

void Sm::compacted_done(const MemoryInstruction& m, Cycle now) {
  const CompactedIssue& record = compacted_.at(m.record);
  if (m.kind == MemoryKind::atomic && m.op->instruction->dst[0].exists()) {
    for (const exec::SlotPart& part : record.parts) {
      for (LaneMask left = m.packet->lanes & part.lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        exec::Interpreter::write_value(*m.op, *part.warp, lane, m.packet->old[lane]);
      }
    }
  }
  if (m.kind != MemoryKind::store && operands_->wants_writes()) operands_->wrote(m.warp, *record.timed, now);
  release_record(m.record, now);
}

std::uint64_t Sm::atomics_of_records(const Context& context) const {
  std::uint64_t filter = 0;
  for_each_record(context, [&](const CompactedIssue& record) { filter |= record.filter; });
  return filter;
}

bool Sm::records_write(const Context& context) const {
  bool some = false;
  for_each_record(context, [&](const CompactedIssue& record) { some = some || record.stores || record.filter != 0; });
  return some;
}

void Sm::slots_changed(std::uint32_t slot, Cycle now) {
  blocks_[slot].block->changed = false;
  tell_coalescer(blocks_[slot]);
  for (WarpSet left = blocks_[slot].warps; left != 0; left &= left - 1) {
    const auto w = static_cast<unsigned>(std::countr_zero(left));
    Context& context = contexts_[w];
    if (context.warp->state == exec::WarpState::done) {
      warp_ended(w, now);
    } else if (context.warp->state == exec::WarpState::ready) {
      context.ready_at = std::max(context.ready_at, now + p_.branch_latency + context.warp->formed_after);
      context.warp->formed_after = 0;
      fetch(w, now);
    }
    refresh(w, now);
  }
}

void Sm::tell_coalescer(const ResidentBlock& block) {
  if (!memory_.refuses_some()) return;
  for (WarpSet left = block.warps; left != 0; left &= left - 1) {
    const auto w = static_cast<unsigned>(std::countr_zero(left));
    const std::vector<exec::SlotPart>& parts = contexts_[w].warp->parts;
    WarpSet homes = parts.empty() ? WarpSet{1} << w : 0;
    for (const exec::SlotPart& part : parts) homes |= WarpSet{1} << part.warp->context;
    memory_.slot_has(w, homes);
  }
}

}  // namespace heddle::core
