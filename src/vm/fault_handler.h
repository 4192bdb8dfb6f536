// Plug point: the host's side of page faults.
//
// A walk that finds no translation comes here; when its page has been brought in, it is given back and done again. All
// of it happens between quanta, where page tables may change.
#pragma once

#include <functional>

#include "sim/statistic.h"
#include "vm/walker.h"

namespace heddle::vm {

class FaultHandler;
struct FaultHandlerSetup;
using FaultHandlers = sim::Registry<FaultHandler, const FaultHandlerSetup&>;

struct FaultParameters : sim::ParameterGroup {
  using ParameterGroup::ParameterGroup;
  sim::Plug<FaultHandlers> handler{*this, "handler", "serial", "In what order the host serves faults."};
  sim::Parameter<unsigned> minor{*this,         "minor",
                                 5000,          {0, 1000000000},
                                 "core cycles", "Time of the host to serve a fault of a page that is in memory."};
  sim::Parameter<unsigned> major{*this,         "major",
                                 7000000,       {0, 4000000000u},
                                 "core cycles", "Time of the host to serve a fault of a page that is on disk."};
};

struct FaultStatistics : sim::StatisticGroup {
  explicit FaultStatistics(sim::StatisticGroup& parent) : StatisticGroup(parent, "faults") {}
  sim::ApplicationCounter minor{*this, "minor", "faults", "Pages that were in memory but not in the page table."};
  sim::ApplicationCounter major{*this, "major", "faults", "Pages that had to come from disk."};
  sim::ApplicationCounter merged{*this, "merged", "faults",
                                 "Faults of pages that had been served when their turn came."};
  sim::ApplicationCounter waited{*this, "waited", "core cycles", "From a fault to the retry of its walk, summed."};
  sim::Counter most_waiting{*this, "most_waiting", "faults", "Most faults that waited at once.",
                            sim::Counter::Merge::most};
};

struct FaultHandlerSetup {
  const FaultParameters& parameters;
  sim::StatisticGroup& statistics;
  /// Gives a served fault's walk back to whoever asked; called between quanta.
  std::function<void(const WalkJob&, std::uint16_t owner, sim::Cycle now)> retry;
  unsigned applications = 1;  ///< with more than one, each is counted apart
};

class FaultHandler {
 public:
  using Setup = FaultHandlerSetup;
  virtual ~FaultHandler() = default;
  /// `space` is writable here because only the handler, between quanta, changes page tables.
  virtual void add(AddressSpace& space, const WalkJob& job, std::uint16_t owner, sim::Cycle now) = 0;
  virtual void advance(sim::Cycle now) = 0;
  /// When advance() has something to do.
  [[nodiscard]] virtual sim::Cycle wakes_at() const = 0;
};

}  // namespace heddle::vm
