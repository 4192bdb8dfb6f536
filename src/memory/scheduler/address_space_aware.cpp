// The address-space-aware scheduler of MASK (ASPLOS 2018, section 5.4).
//
// Three queues: Golden holds reads of page-table entries and is served in the order of arrival; Silver holds data
// requests of the application whose turn it is; Normal holds the rest. Golden goes before Silver before Normal, for
// every command: a queue that has nothing that could be issued now leaves the cycle to the next one (catalogue:
// strict_priority_granularity). Inside Silver and Normal it is FR-FCFS, or row hits first and then the application that
// was served least. A request that has waited for `patience` goes before all others: the paper bounds no wait.
//
// Writes are in Silver or Normal by their application and take none of the entries, because they wait in the channel's
// write queue; they count for the turn (catalogue: writes_in_queues). Drains of writes are the channel's.
#include <algorithm>
#include <array>
#include <deque>
#include <tuple>
#include <utility>

#include "memory/dram.h"
#include "memory/scheduler/scheduler.h"
#include "memory/scheduler/served_counts.h"
#include "memory/scheduler/silver_turns.h"
#include "sim/statistic.h"

namespace heddle::memory {

namespace {

class AddressSpaceAware final : public DramScheduler {
 public:
  struct Parameters : sim::ParameterGroup {
    using ParameterGroup::ParameterGroup;
    sim::Parameter<unsigned> golden_queue{*this,     "golden_queue", 16,
                                          {1, 1024}, "requests",     "Reads of page-table entries that may wait."};
    sim::Parameter<unsigned> silver_queue{
        *this,     "silver_queue", 64,
        {0, 1024}, "requests",     "Reads of data in the Silver Queue; 0: all data are in one queue, without turns."};
    sim::Parameter<unsigned> normal_queue{*this,     "normal_queue", 192,
                                          {1, 1024}, "requests",     "Reads of data in the Normal Queue."};
    sim::Parameter<unsigned> turn{
        *this,      "turn",     500,
        {1, 65536}, "requests", "Divided among the applications: what each may put into the Silver Queue in its turn."};
    sim::Choice golden_order{
        *this, "golden_order", "fifo", {"fifo", "row-hits-first"}, "In what order the Golden Queue is served."};
    sim::Choice inside{*this,
                       "inside",
                       "fr-fcfs",
                       {"fr-fcfs", "least-served"},
                       "Between requests of one queue: the oldest, or the application that was served least; row hits "
                       "first."};
    sim::Parameter<unsigned> patience{
        *this,    "patience",
        20000,    {0, 100000000},
        "cycles", "A request that has waited so long goes before all others; 0: none does, as in the paper."};
  };
  struct Statistics : sim::StatisticGroup {
    using StatisticGroup::StatisticGroup;
    sim::Counter golden{*this, "golden", "requests", "Requests that came into the Golden Queue."};
    sim::Counter silver{*this, "silver", "requests", "Requests that came into the Silver Queue."};
    sim::Counter normal{*this, "normal", "requests", "Requests that came into the Normal Queue."};
    sim::Counter silver_full{*this, "silver_full", "requests",
                             "Reads that went into the Normal Queue because Silver was full."};
    sim::Counter turns{*this, "turns", "turns", "Times that the turn went on to the next application."};
    sim::Counter impatient{*this, "impatient", "requests", "Requests served before all others for their long wait."};
    sim::Counter waited_golden{*this, "waited_golden", "DRAM cycles", "In the Golden Queue, summed."};
    sim::Counter waited_silver{*this, "waited_silver", "DRAM cycles", "In the Silver Queue, summed."};
    sim::Counter waited_normal{*this, "waited_normal", "DRAM cycles", "In the Normal Queue, summed."};
    sim::Counter longest{*this, "longest", "DRAM cycles", "Longest wait of a request.", sim::Counter::Merge::most};
  };

  AddressSpaceAware(const sim::Context& context, const DramSchedulerSetup& setup)
      : p_(context.parameters<Parameters>()),
        statistics_(context),
        fifo_(p_.golden_order.is("fifo")),
        least_served_(p_.inside.is("least-served")),
        turns_(setup, p_.turn),
        counts_(setup.applications, kWindow) {
    if (setup.board != nullptr) setup.board->use();
  }

  [[nodiscard]] bool accepts(const DramRequest& request) const override {
    if (request.write) return true;
    if (request.traffic == Traffic::walk) return waiting_[kGolden] < p_.golden_queue;
    return goes_silver(request.application) || waiting_[kNormal] < p_.normal_queue;
  }
  void arrived(QueuedRequest& request, DramCycle /*now*/) override {
    if (turns_.update()) ++statistics_.turns;
    if (request.traffic == Traffic::walk && !request.write) {
      request.queue = kGolden;
      if (fifo_) golden_.push_back(request.order);
      ++statistics_.golden;
    } else if (p_.silver_queue != 0 && request.application == turns_.holder() &&
               (request.write || waiting_[kSilver] < p_.silver_queue)) {
      request.queue = kSilver;
      ++statistics_.silver;
      if (turns_.inserted()) ++statistics_.turns;
    } else {
      request.queue = kNormal;
      ++statistics_.normal;
      if (p_.silver_queue != 0 && request.application == turns_.holder()) ++statistics_.silver_full;
    }
    if (!request.write) ++waiting_[request.queue];
  }

  [[nodiscard]] std::uint16_t choose_request(const BankView& bank) override {
    std::uint16_t best = bank.oldest();
    for (std::uint16_t slot = best; slot != kNoSlot; slot = bank.next(slot)) {
      if (rank(bank.request(slot), bank.row_hit(slot)) < rank(bank.request(best), bank.row_hit(best))) best = slot;
    }
    return best;
  }
  [[nodiscard]] std::optional<std::size_t> choose_command(std::span<const DramCandidate> candidates,
                                                          DramCycle now) override {
    now_ = now;
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (place(*candidates[i].request) == kBehind) continue;
      if (!best || of(candidates[i]) < of(candidates[*best])) best = i;
    }
    return best;
  }
  [[nodiscard]] bool reconsiders() const override { return true; }
  [[nodiscard]] bool update(DramCycle now) override {
    now_ = now;
    const bool decayed = least_served_ && counts_.update(now);
    return std::exchange(head_moved_, false) || decayed;
  }
  void served(const QueuedRequest& request, DramCycle now) override {
    counts_.served(request);
    if (place(request) == kImpatient) ++statistics_.impatient;
    if (request.queue == kGolden && fifo_) {
      const auto found = std::find(golden_.begin(), golden_.end(), request.order);
      head_moved_ = head_moved_ || found == golden_.begin();
      golden_.erase(found);
    }
    if (!request.write) --waiting_[request.queue];
    const std::uint64_t waited = now - request.arrival;
    (request.queue == kGolden   ? statistics_.waited_golden
     : request.queue == kSilver ? statistics_.waited_silver
                                : statistics_.waited_normal) += waited;
    statistics_.longest.at_least(waited);
  }

 private:
  enum Queue : std::uint8_t { kImpatient, kGolden, kSilver, kNormal, kBehind };
  static constexpr unsigned kWindow = 100000;  ///< of what was served, as in least-served
  using Rank = std::tuple<std::uint8_t, bool, std::uint64_t, std::uint64_t>;

  [[nodiscard]] bool goes_silver(unsigned application) const {
    return application == turns_.holder() && waiting_[kSilver] < p_.silver_queue;
  }
  /// Which queue the request counts for now; kBehind: others of the Golden Queue go first.
  [[nodiscard]] std::uint8_t place(const QueuedRequest& request) const {
    if (p_.patience != 0 && now_ >= request.arrival + p_.patience.get()) return kImpatient;
    const bool behind = fifo_ && request.queue == kGolden && request.order != golden_.front();
    return behind ? static_cast<std::uint8_t>(kBehind) : request.queue;
  }
  [[nodiscard]] Rank rank(const QueuedRequest& request, bool row_hit) const {
    const std::uint8_t queue = place(request);
    // The longest wait goes first of those that waited too long.
    if (queue == kImpatient) return {queue, false, 0, request.order};
    return {queue, !row_hit, least_served_ && queue != kGolden ? counts_.of(request) : 0, request.order};
  }
  [[nodiscard]] Rank of(const DramCandidate& candidate) const {
    return rank(*candidate.request, is_column(candidate.command));
  }

  const Parameters& p_;
  Statistics statistics_;
  bool fifo_;
  bool least_served_;
  SilverTurns turns_;
  ServedCounts counts_;
  std::array<unsigned, 4> waiting_{};  ///< reads, by queue
  std::deque<std::uint64_t> golden_;   ///< orders of the reads in the Golden Queue, as they came
  bool head_moved_ = false;            ///< another is the first of the Golden Queue now
  DramCycle now_ = 0;
};

const bool kRegisteredAddressSpaceAware = DramSchedulers::instance().add<AddressSpaceAware>(
    "address-space-aware", "Page-table entries first, then the application whose turn it is, then the rest.");

}  // namespace

}  // namespace heddle::memory
