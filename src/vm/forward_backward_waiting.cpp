// Misses that the forward-backward table cannot serve yet: they are asked for again, wait in their slice until they are
// told to go on, or wait for the host.
#include <fmt/format.h>

#include "base/diagnostics.h"
#include "vm/forward_backward.h"

namespace heddle::vm {

using memory::LineTag;
using sim::Cycle;

void ForwardBackward::ask_again(std::uint32_t job, Cycle now) {
  const Message& message = jobs_[job].message;
  ++counters_.busy;
  command(message.slice, {.kind = Command::Kind::again, .token = message.token}, now);
  end(job, now);
}

void ForwardBackward::tell_to_wait(std::uint32_t job, Cycle now) {
  const Message& message = jobs_[job].message;
  ++counters_.busy;
  told_to_wait_.insert(key(message.line));
  command(message.slice, {.kind = Command::Kind::wait, .token = message.token}, now);
  end(job, now);
}

void ForwardBackward::send_away(std::uint32_t job, Cycle now) {
  if (!setup_.tells_synonyms || going_ == 0) return ask_again(job, now);
  sent_away_.push_back(jobs_[job].message.line);
  tell_to_wait(job, now);
}

/// Slices ask again for what they were told to keep of the page.
void ForwardBackward::let_go(SpaceId space, VirtPage page, PageSize size, Cycle now) {
  bool any = false;
  for (std::uint64_t part = 0; part < pages_in(size); part += pages_in(granule_))
    any |= told_to_wait_.erase((page.number + part) | std::uint64_t{space} << 48) != 0;
  if (!any) return;
  const LineTag line(memory::VirtLine{page.address()}, space);
  for (std::size_t slice = 0; slice < setup_.slices->slices(); ++slice)
    command(static_cast<std::uint16_t>(slice),
            {.kind = Command::Kind::go, .line = line, .bits = kPageBits + order_of(size)}, now);
}

/// A write to a page that must not be written: the host hears of it once, and decides.
void ForwardBackward::deny(std::uint32_t job, Cycle now) {
  const Message& message = jobs_[job].message;
  const VirtPage page = first_page(vm::page_of(message.line.virtual_line().address), page_size_);
  const AddressSpace& space = setup_.memory.space(message.line.space());
  if (space.classify(page, true) == FaultClass::none && !space.may_write(page)) {
    throw UserError(fmt::format("protection fault: SM {} writes {:#x} of address space {}, which is read-only",
                                message.sm, message.line.virtual_line().address, message.line.space()));
  }
  const std::uint32_t index = find(message.line);
  // What is on its way out may wait for this one to make room.
  if (index != kNone && table_.at(index).state != FbtState::open) return tell_to_wait(job, now);
  ++counters_.denied;
  std::vector<std::uint32_t>& waiting = denied_[whole_key(message.line.space(), page)];
  waiting.push_back(job);
  if (waiting.size() > 1) return;
  faults_.push_back(
      {.space = &space, .page = page, .missed_at = now, .starts_at = now, .warp = message.warp, .write = true});
}

}  // namespace heddle::vm
