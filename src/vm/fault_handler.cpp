#include "vm/fault_handler.h"

#include <fmt/format.h>

#include "base/diagnostics.h"

namespace heddle::vm {

void FaultHandler::add(AddressSpace& space, const WalkJob& job, std::uint16_t owner, sim::Cycle now) {
  queue_.push_back({&space, job, owner, now});
  statistics_.most_waiting.at_least(queue_.size());
  if (queue_.size() == 1) begin(now);
}

void FaultHandler::begin(sim::Cycle now) {
  const Pending& first = queue_.front();
  switch (first.space->classify(first.job.page)) {
    case FaultClass::none:
      ++statistics_.merged;
      ends_at_ = now;
      return;
    case FaultClass::minor:
      ++statistics_.minor;
      ends_at_ = now + parameters_.minor;
      return;
    case FaultClass::major:
      ++statistics_.major;
      ends_at_ = now + parameters_.major;
      return;
    case FaultClass::illegal:
      break;
  }
  // The instruction that touches such a page fails when it executes, before its translation is asked for: the page has
  // gone since.
  ends_at_ = now;
}

void FaultHandler::advance(sim::Cycle now) {
  while (!queue_.empty() && ends_at_ <= now) {
    const Pending first = queue_.front();
    queue_.pop_front();
    const FaultClass what = first.space->classify(first.job.page);
    if (what == FaultClass::minor || what == FaultClass::major) first.space->serve(first.job.page);
    if (what == FaultClass::illegal)
      throw UserError(fmt::format("the page at {:#x} was freed while a kernel's access to it was under way",
                                  first.job.page.address()));
    statistics_.waited += now - first.faulted_at;
    retry_(first.job, first.owner, now);
    if (!queue_.empty()) begin(now);
  }
}

}  // namespace heddle::vm
