// Row hits first inside a bank, but banks in turn: the next bank, cyclically, that has any command ready. Fair to banks
// and not to requests: a request behind a long queue waits longer than under fr-fcfs. The order of DRAMsim3.
#include "memory/scheduler/scheduler.h"

namespace heddle::memory {

namespace {

class BankRoundRobin final : public DramScheduler {
 public:
  [[nodiscard]] std::uint16_t choose_request(const BankView& bank) override {
    if (!bank.open()) return bank.oldest();
    for (std::uint16_t slot = bank.oldest(); slot != kNoSlot; slot = bank.next(slot)) {
      if (bank.row_hit(slot)) return slot;
    }
    return bank.oldest();
  }

  [[nodiscard]] std::optional<std::size_t> choose_command(std::span<const DramCandidate> candidates,
                                                          DramCycle) override {
    std::optional<std::size_t> best;
    unsigned best_distance = kBanks;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const unsigned distance = (candidates[i].request->bank - last_ - 1u) % kBanks;
      if (distance < best_distance) {
        best_distance = distance;
        best = i;
      }
    }
    if (best) last_ = candidates[*best].request->bank;
    return best;
  }

 private:
  static constexpr unsigned kBanks = 64;  // the most a channel has; banks that do not exist are never candidates
  unsigned last_ = kBanks - 1;
};

const bool kRegisteredBankRoundRobin =
    DramSchedulers::instance().add<BankRoundRobin>("bank-round-robin", "Row hits first in each bank, banks in turn.");

}  // namespace

}  // namespace heddle::memory
