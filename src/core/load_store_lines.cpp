// The lines that a memory instruction touches.
#include "core/addresses.h"
#include "core/coalescing.h"
#include "core/load_store_unit.h"

namespace heddle::core {

namespace {

bool goes_around_l1(const isa::Instruction& i) {
  return i.cache == isa::CacheOp::cg || i.cache == isa::CacheOp::cv || i.is_volatile;
}

}  // namespace

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
