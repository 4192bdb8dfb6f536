// The host serves one fault at a time (Power et al., section 5.1 and appendix).
//
// The walker's fault register holds one address; the host's handler writes the entry and the walk is done again. Faults
// that come meanwhile wait in order. A fault of a page that has been served since needs no second visit to the host.
#include <fmt/format.h>

#include "base/diagnostics.h"
#include "base/ring.h"
#include "vm/fault_handler.h"

namespace heddle::vm {
namespace {

class SerialFaultHandler final : public FaultHandler {
 public:
  explicit SerialFaultHandler(const Setup& setup)
      : parameters_(setup.parameters), statistics_(setup.statistics), retry_(setup.retry) {
    statistics_.divide(setup.applications);
  }

  void add(AddressSpace& space, const WalkJob& job, std::uint16_t owner, sim::Cycle now) override;
  void advance(sim::Cycle now) override;
  [[nodiscard]] sim::Cycle wakes_at() const override { return queue_.empty() ? sim::kNever : ends_at_; }

 private:
  struct Pending {
    AddressSpace* space = nullptr;
    WalkJob job;
    std::uint16_t owner = 0;
    sim::Cycle faulted_at = 0;
  };
  void begin(sim::Cycle now);

  const FaultParameters& parameters_;
  FaultStatistics statistics_;
  std::function<void(const WalkJob&, std::uint16_t, sim::Cycle)> retry_;
  Ring<Pending> queue_;  ///< the first is with the host
  sim::Cycle ends_at_ = sim::kNever;
};

void SerialFaultHandler::add(AddressSpace& space, const WalkJob& job, std::uint16_t owner, sim::Cycle now) {
  queue_.push_back({&space, job, owner, now});
  statistics_.most_waiting.at_least(queue_.size());
  if (queue_.size() == 1) begin(now);
}

void SerialFaultHandler::begin(sim::Cycle now) {
  const Pending& first = queue_.front();
  switch (first.space->classify(first.job.page, first.job.write)) {
    case FaultClass::none:
      ++statistics_.merged[first.space->id()];
      ends_at_ = now;
      return;
    case FaultClass::minor:
      ++statistics_.minor[first.space->id()];
      ends_at_ = now + parameters_.minor;
      return;
    case FaultClass::major:
      ++statistics_.major[first.space->id()];
      ends_at_ = now + parameters_.major;
      return;
    case FaultClass::illegal:
      break;
  }
  // The instruction that touches such a page fails when it executes, before its translation is asked for: the page has
  // gone since.
  ends_at_ = now;
}

void SerialFaultHandler::advance(sim::Cycle now) {
  while (!queue_.empty() && ends_at_ <= now) {
    const Pending first = queue_.front();
    queue_.pop_front();
    const FaultClass what = first.space->classify(first.job.page, first.job.write);
    if (!first.job.write && (what == FaultClass::minor || what == FaultClass::major))
      first.space->serve(first.job.page);
    if (what == FaultClass::illegal)
      throw UserError(fmt::format("the page at {:#x} was freed while a kernel's access to it was under way",
                                  first.job.page.address()));
    statistics_.waited[first.space->id()] += now - first.faulted_at;
    retry_(first.job, first.owner, now);
    if (!queue_.empty()) begin(now);
  }
}

[[maybe_unused]] const bool kRegisteredSerial =
    FaultHandlers::instance().add<SerialFaultHandler>("serial", "One at a time, in the order in which they came.");

}  // namespace
}  // namespace heddle::vm
