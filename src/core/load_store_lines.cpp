// How a memory instruction that issues becomes a group of lines, or of passes through shared memory.
#include <algorithm>
#include <bit>

#include "core/addresses.h"
#include "core/coalescing.h"
#include "core/load_store_unit.h"

namespace heddle::core {

using exec::OpKind;
using isa::Space;
using sim::Cycle;

namespace {

bool goes_around_l1(const isa::Instruction& i) {
  return i.cache == isa::CacheOp::cg || i.cache == isa::CacheOp::cv || i.is_volatile;
}

}  // namespace

MemoryInstruction& LoadStoreUnit::take(const MemoryOperation& o, Cycle now) {
  const LaneMask shared = lanes_in(o.access, Space::shared);
  const LaneMask local = lanes_in(o.access, Space::local);
  const LaneMask global = lanes_in(o.access, Space::global);
  const bool parameter = o.access.space == Space::param || (shared | local | global) == 0;
  const std::uint32_t index = instructions_.take();
  const std::uint32_t group_index = groups_.take();
  MemoryInstruction& m = instructions_.at(index);
  LineGroup& group = groups_.at(group_index);
  m = {.op = &o.op,
       .issued_at = now,
       .pc = o.pc,
       .waiting = 1,
       .application = o.kernel.application,
       .warp = static_cast<std::uint8_t>(o.warp)};
  group.clear();
  group.instruction = index;
  group.operands_at = o.operands_at;
  group.application = o.kernel.application;
  group.warp = m.warp;
  group.sequence = ++sequence_;
  if (o.parts != nullptr) group.set_homes(*o.parts);
  if (parameter || o.access.space == Space::constant) {
    m.kind = MemoryKind::constant;
    coalesce(o.access, o.access.lanes, constant_line_bytes_, group.lines);
    group.constant_later = constant_conflicts(o.access, static_cast<unsigned>(group.lines.size()));
    if (o.access.space != Space::constant) {
      const std::uint64_t base = kParameterBase + code_window(o.kernel.code_id);
      for (LineRequest& line : group.lines) line.line.address += base;
    }
  } else if (global == 0 && local == 0) {
    m.kind = MemoryKind::shared;
    const SharedMemory::Use use = shared_.use(*o.op.instruction, o.access, shared, o.block, now);
    group.shared_cycles = use.busy;
    group.shared_later = use.later;
    group.shared_until = use.not_before;
    if (use.loops)
      m.loops_until = std::max(std::max(now, o.operands_at) + p_.shared_latency + use.later, use.not_before);
    ++statistics_.shared_accesses[m.application];
    statistics_.shared_conflicts[m.application] += use.conflicts;
    if (setup_.profile != nullptr) [[unlikely]]
      setup_.profile->conflicts(o.warp, o.pc, use.conflicts);
  } else {
    const bool loads = o.op.kind == OpKind::load || o.op.kind == OpKind::texture;
    m.kind = loads ? MemoryKind::load : o.op.kind == OpKind::store ? MemoryKind::store : MemoryKind::atomic;
    make_lines(o, global, local, group);
    group.lines_per_cycle = lines_per_cycle(o, global, local, m.kind, static_cast<unsigned>(group.lines.size()));
    m.waiting = static_cast<std::uint32_t>(group.lines.size());
    outstanding_[m.application] += m.waiting;
    if (m.kind == MemoryKind::atomic) {
      m.packet = packets_.take();
      m.packet->instruction = o.op.instruction;
      m.packet->memory = o.kernel.launch->environment.memory;
      m.packet->bytes = isa::size_of(o.op.instruction->type);
      m.packet->lanes = global;
      m.packet->address = o.access.address;
    }
  }
  for (LineRequest& line : group.lines) line.first.instruction = index;
  group.kind = m.kind;
  if (study_ && m.kind == MemoryKind::load) study_->add(group.lines, group.application);
  if (checks_order_) order_.issued(group);
  if (page_waits_ && m.is_global() && page_waits_->applies()) [[unlikely]] {
    const bool goes = page_waits_->divide(group_index, now);
    too_many_wait_ = page_waits_->full();
    if (!goes) return m;
  }
  enqueue(group_index);
  return m;
}

void LoadStoreUnit::enqueue(std::uint32_t index) {
  LineGroup& group = groups_.at(index);
  if (queued_ != nullptr && group.kind != MemoryKind::shared && group.kind != MemoryKind::constant) {
    group.stage = Stage::head;
    queued_->add(index);
    coalescer_busy_ = true;
  } else {
    queue_.push_back(index);
  }
}

void LoadStoreUnit::let_go(Cycle now) {
  page_waits_->let_go(now, [this](std::uint32_t group) { enqueue(group); });
  page_waits_->tell(now);
  too_many_wait_ = page_waits_->full();
}

/// How many lines the banks of the L1's data allow in a cycle. Local memory is laid out so that the lanes of a warp
/// have a bank each.
unsigned LoadStoreUnit::lines_per_cycle(const MemoryOperation& o, LaneMask global, LaneMask local, MemoryKind kind,
                                        unsigned lines) const {
  if (p_.l1.data_banks == 0) return p_.l1.ports;
  if (kind != MemoryKind::load || lines <= 1) return 1;
  unsigned passes = 1;
  if (global != 0) passes = shared_passes({o.access, global, p_.l1.data_banks, false, p_.shared.window_bytes}).all;
  if (local != 0) passes = std::max(passes, std::max(1u, o.access.bytes / 4));
  return (lines + passes - 1) / passes;
}

/// What a constant load takes longer than one of a single word.
std::uint32_t LoadStoreUnit::constant_conflicts(const exec::MemoryAccess& access, unsigned lines) const {
  if (p_.constant_word_interval == 0) return lines - 1;
  std::uint32_t words = 0;
  for (LaneMask left = access.lanes; left != 0; ++words) {
    const std::uint64_t address = access.address[static_cast<unsigned>(std::countr_zero(left))];
    for (LaneMask others = left; others != 0; others &= others - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(others));
      if (access.address[lane] == address) left &= ~(LaneMask{1} << lane);
    }
  }
  return (words - 1) * p_.constant_word_interval;
}

void LoadStoreUnit::take_shuffle(const MemoryOperation& o, Cycle now) {
  const std::uint32_t index = instructions_.take();
  const std::uint32_t group_index = groups_.take();
  instructions_.at(index) = {.op = &o.op,
                             .issued_at = now,
                             .pc = o.pc,
                             .waiting = 1,
                             .warp = static_cast<std::uint8_t>(o.warp),
                             .kind = MemoryKind::shared};
  LineGroup& group = groups_.at(group_index);
  group.clear();
  group.instruction = index;
  group.operands_at = o.operands_at;
  group.kind = MemoryKind::shared;
  group.shared_cycles = 1;
  group.shared_later = 0;
  group.shared_until = 0;
  queue_.push_back(group_index);
}

void LoadStoreUnit::make_lines(const MemoryOperation& o, LaneMask global, LaneMask local, LineGroup& group) {
  group.cached = local != 0 || (p_.l1.enabled && !goes_around_l1(*o.op.instruction));
  group.local = local != 0;
  const QueuedCoalescer::Patterns patterns = queued_ == nullptr ? QueuedCoalescer::Patterns{} : queued_->patterns();
  if (global != 0) coalesce(o.access, global, p_.l1.line_bytes, group.lines);
  if (patterns.wanted) find_patterns(o.access, 0, false, patterns.whole, group.lines);
  if (local != 0) {
    const auto of_warp = [&](unsigned warp, LaneMask lanes) {
      const std::uint64_t context = std::uint64_t{setup_.sm} * p_.warps + warp;
      const std::uint64_t base = local_memory(o.kernel.application, o.kernel.launch->config.local_bytes, context);
      const std::size_t first = group.lines.size();
      coalesce_local(o.access, lanes, base, p_.l1.line_bytes, group.lines);
      if (patterns.wanted) find_patterns(o.access, first, true, patterns.whole, group.lines);
    };
    if (o.parts == nullptr) {
      of_warp(o.warp, local);
    } else {
      for (const exec::SlotPart& part : *o.parts) of_warp(part.warp->context, local & part.lanes);
    }
  }
  if (setup_.checker != nullptr) data_[o.kernel.application] = o.kernel.launch->environment.memory;
  ++statistics_.memory_instructions[o.kernel.application];
  ++o.share.memory_instructions;
  statistics_.line_requests[o.kernel.application] += group.lines.size();
  o.share.line_requests += group.lines.size();
  const unsigned pages = count_pages(group.lines);
  statistics_.page_requests[o.kernel.application] += pages;
  if (setup_.profile != nullptr) [[unlikely]]
    setup_.profile->accessed(o.warp, o.pc, group.lines.size(), pages);
  if (o.kernel.observer != nullptr && global != 0) (*o.kernel.observer)(setup_.sm, o.access, global);
  if (!translation_ && !virtual_ && o.kernel.launch->environment.memory->has_aliases()) {
    // Page tables bring the names of a byte together where there are any.
    for (LineRequest& line : group.lines) {
      if (!is_fixed(line.line)) line.line = {o.kernel.launch->environment.memory->one_name(line.line.address)};
    }
  }
}

memory::LineTag LoadStoreUnit::leading_name(const LineGroup& group, memory::LineTag tag) {
  if (!tag.is_virtual()) return tag;
  // A store goes by its own name, and a load that goes by another might overtake it.
  if (group.kind != MemoryKind::load || changes_ != 0) return tag;
  const std::optional<memory::LineTag> leading = synonyms_.find(tag);
  if (leading) ++statistics_.l1_renamed[group.application];
  return leading.value_or(tag);
}

}  // namespace heddle::core
