// The host's side of page faults: it serves them one at a time (Power et al., section 5.1 and appendix).
//
// The walker's fault register holds one address; the host's handler writes the entry and the walk is done again. Faults
// that come meanwhile wait in order. A fault of a page that has been served since needs no second visit to the host.
#pragma once

#include <deque>
#include <functional>

#include "sim/statistic.h"
#include "vm/walker.h"

namespace heddle::vm {

struct FaultParameters : sim::ParameterGroup {
  using ParameterGroup::ParameterGroup;
  sim::Parameter<unsigned> minor{*this,         "minor",
                                 5000,          {0, 1000000000},
                                 "core cycles", "Time of the host to serve a fault of a page that is in memory."};
  sim::Parameter<unsigned> major{*this,         "major",
                                 7000000,       {0, 4000000000u},
                                 "core cycles", "Time of the host to serve a fault of a page that is on disk."};
};

struct FaultStatistics : sim::StatisticGroup {
  explicit FaultStatistics(sim::StatisticGroup& parent) : StatisticGroup(parent, "faults") {}
  sim::Counter minor{*this, "minor", "faults", "Pages that were in memory but not in the page table."};
  sim::Counter major{*this, "major", "faults", "Pages that had to come from disk."};
  sim::Counter merged{*this, "merged", "faults", "Faults of pages that had been served when their turn came."};
  sim::Counter waited{*this, "waited", "core cycles", "From a fault to the retry of its walk, summed."};
  sim::Counter most_waiting{*this, "most_waiting", "faults", "Most faults that waited at once.",
                            sim::Counter::Merge::most};
};

class FaultHandler {
 public:
  /// Gives a served fault's walk back to whoever asked; called between quanta.
  using Retry = std::function<void(const WalkJob&, std::uint16_t owner, sim::Cycle now)>;

  FaultHandler(const FaultParameters& parameters, sim::StatisticGroup& statistics, Retry retry)
      : parameters_(parameters), statistics_(statistics), retry_(std::move(retry)) {}

  /// `space` is writable here because only the handler, between quanta, changes page tables.
  void add(AddressSpace& space, const WalkJob& job, std::uint16_t owner, sim::Cycle now);
  void advance(sim::Cycle now);
  [[nodiscard]] sim::Cycle wakes_at() const { return queue_.empty() ? sim::kNever : ends_at_; }

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
  Retry retry_;
  std::deque<Pending> queue_;  ///< the first is with the host
  sim::Cycle ends_at_ = sim::kNever;
};

}  // namespace heddle::vm
