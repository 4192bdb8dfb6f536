// Application-aware: row hits first, then the application that has been served least lately, then the oldest. It stands
// for the scheduler of Jog et al. (MEMSYS 2015), which MASK is compared with and of which the paper says nothing but
// the name (section 7.3; catalogue: alt_scheduler_integration).
#include <algorithm>
#include <tuple>

#include "memory/scheduler/scheduler.h"
#include "memory/scheduler/served_counts.h"

namespace heddle::memory {

namespace {

class LeastServed final : public DramScheduler {
 public:
  struct Parameters : sim::ParameterGroup {
    using ParameterGroup::ParameterGroup;
    sim::Parameter<unsigned> window{*this,    "window",
                                    100000,   {1, 1000000000},
                                    "cycles", "What an application has been served counts half as much after so long."};
  };
  LeastServed(const sim::Context& context, const DramSchedulerSetup& setup)
      : counts_(setup.applications, context.parameters<Parameters>().window) {}

  [[nodiscard]] std::uint16_t choose_request(const BankView& bank) override {
    std::uint16_t best = bank.oldest();
    for (std::uint16_t slot = best; slot != kNoSlot; slot = bank.next(slot)) {
      if (rank(bank, slot) < rank(bank, best)) best = slot;
    }
    return best;
  }
  [[nodiscard]] std::optional<std::size_t> choose_command(std::span<const DramCandidate> candidates,
                                                          DramCycle) override {
    const auto rank_of = [&](const DramCandidate& one) {
      return std::tuple(!is_column(one.command), counts_.of(*one.request), one.order);
    };
    const auto best = std::min_element(candidates.begin(), candidates.end(), [&](const auto& one, const auto& other) {
      return rank_of(one) < rank_of(other);
    });
    return static_cast<std::size_t>(best - candidates.begin());
  }
  [[nodiscard]] bool update(DramCycle now) override { return counts_.update(now); }
  void served(const QueuedRequest& request, DramCycle) override { counts_.served(request); }

 private:
  [[nodiscard]] std::tuple<bool, std::uint64_t, std::uint64_t> rank(const BankView& bank, std::uint16_t slot) const {
    const QueuedRequest& request = bank.request(slot);
    return {!bank.row_hit(slot), counts_.of(request), request.order};
  }

  ServedCounts counts_;
};

const bool kRegisteredLeastServed = DramSchedulers::instance().add<LeastServed>(
    "least-served", "Row hits first, then the application that was served least lately.");

}  // namespace

}  // namespace heddle::memory
