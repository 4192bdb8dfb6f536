// What an IOMMU counts: its lookups, what became of them, and how many came in each window of time.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <vector>

#include "vm/shared_mmu.h"

namespace heddle::vm {

struct IommuStatistics : sim::StatisticGroup {
  IommuStatistics(sim::StatisticGroup& parent, unsigned applications) : StatisticGroup(parent, "mmu") {
    divide(applications);
  }
  sim::ApplicationCounter requests{*this, "requests", "lookups", "Lookups asked of the shared TLB."};
  sim::ApplicationCounter tlb_hits{*this, "tlb_hits", "lookups", "Found there."};
  sim::ApplicationCounter tlb_misses{*this, "tlb_misses", "lookups", "Not found there."};
  sim::ApplicationCounter second_level_hits{*this, "second_level_hits", "lookups", "Misses found in the second level."};
  sim::ApplicationCounter merged{*this, "merged", "lookups", "Misses that joined a walk of the same page."};
  sim::ApplicationCounter waited{*this, "waited", "core cycles",
                                 "From the arrival of a request to its lookup, summed."};
  sim::ApplicationCounter walks{*this, "walks", "walks",
                                "Walks that ended with a translation that somebody waited for."};
  sim::ApplicationCounter latency{*this, "latency", "core cycles",
                                  "From a miss to its translation, summed over those."};
  sim::Counter most_waiting{*this, "most_waiting", "requests", "Most requests that waited for their lookup at once.",
                            sim::Counter::Merge::most};
  sim::Counter bank_conflicts{*this, "bank_conflicts", "requests",
                              "Requests that waited for their bank while another bank had nothing to do."};
  sim::Counter flushes{*this, "flushes", "flushes", "Times that all TLBs were emptied."};
  sim::Counter windows{*this, "windows", "windows", "Windows of time that have passed."};
  sim::Counter window_squares{*this, "window_squares", "lookups squared",
                              "Squares of the requests that came in each window, summed."};
  sim::Counter windows_over_one{*this, "windows_over_one", "windows",
                                "Windows in which more requests came than it has cycles."};
  sim::Counter window_most{*this, "window_most", "lookups", "Most requests that came in one window.",
                           sim::Counter::Merge::most};
  WalkerStatistics walker{*this, "walker"};
  /// A request comes.
  void arrived(SpaceId space, sim::Cycle now, unsigned window) {
    ++requests[space];
    const sim::Cycle number = now / window;
    if (number != window_) {
      windows += number - window_;
      window_squares += in_window_ * in_window_;
      window_most.at_least(in_window_);
      if (in_window_ > window) ++windows_over_one;
      window_ = number;
      in_window_ = 0;
    }
    ++in_window_;
  }

 private:
  sim::Cycle window_ = 0;  ///< the number of the present one
  std::uint64_t in_window_ = 0;
};

}  // namespace heddle::vm
