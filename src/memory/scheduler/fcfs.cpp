// First come, first served: requests are served strictly in order of arrival. Every command belongs to the oldest
// request, so banks do not overlap; a lower bound to compare others with.
#include "memory/scheduler/scheduler.h"

namespace heddle::memory {

namespace {

class Fcfs final : public DramScheduler {
 public:
  [[nodiscard]] std::uint16_t choose_request(const BankView& bank) override { return bank.oldest(); }

  [[nodiscard]] bool sees_waiting() const override { return true; }

  [[nodiscard]] std::optional<std::size_t> choose_command(std::span<const DramCandidate> candidates,
                                                          DramCycle now) override {
    std::size_t oldest = 0;
    for (std::size_t i = 1; i < candidates.size(); ++i) {
      if (candidates[i].order < candidates[oldest].order) oldest = i;
    }
    if (candidates[oldest].ready_at > now) return std::nullopt;
    return oldest;
  }
};

const bool kRegisteredFcfs = DramSchedulers::instance().add<Fcfs>("fcfs", "Strictly in order of arrival.");

}  // namespace

}  // namespace heddle::memory
