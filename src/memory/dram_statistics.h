// What a DRAM channel counts.
#pragma once

#include "memory/dram_queue.h"
#include "sim/statistic.h"

namespace heddle::memory {

struct DramStatistics : sim::StatisticGroup {
  using sim::StatisticGroup::StatisticGroup;
  sim::Counter reads{*this, "reads", "bursts", "Read commands."};
  sim::Counter writes{*this, "writes", "bursts", "Write commands."};
  sim::Counter forwarded{*this, "forwarded", "bursts", "Reads answered from a queued write to the same address."};
  sim::Counter activates{*this, "activates", "commands", "Rows opened."};
  sim::Counter precharges{*this, "precharges", "commands",
                          "Rows closed, by a command of their own or after an access."};
  sim::Counter row_hits{*this, "row_hits", "bursts", "Column commands to a row that an earlier request opened."};
  sim::Counter row_misses{*this, "row_misses", "bursts", "Column commands that found their bank closed."};
  sim::Counter row_conflicts{*this, "row_conflicts", "bursts", "Column commands that found another row open."};
  sim::Counter refreshes{*this, "refreshes", "commands", "Refreshes of a rank."};
  sim::Counter data_bus_busy{*this, "data_bus_busy", "DRAM cycles", "Cycles reserved for data on the bus."};
  sim::Counter drains{*this, "drains", "times", "Times the channel turned to draining writes."};
  sim::Counter queue_full{*this, "queue_full", "times", "Times the last room of the read or write queue was taken."};
  sim::Counter read_latency_sum{*this, "read_latency_sum", "DRAM cycles",
                                "Cycles from arrival to last data, over all reads."};
  sim::Counter walk_reads{*this, "walk_reads", "bursts", "Of the reads, those of page-table entries."};
  sim::Counter walk_row_hits{*this, "walk_row_hits", "bursts", "Of those, row hits."};
  sim::Counter walk_latency_sum{*this, "walk_latency_sum", "DRAM cycles",
                                "Cycles from arrival to last data, over those."};
  sim::Formula row_hit_rate{*this, "row_hit_rate", "fraction", "Row hits per column command.",
                            [this] { return ratio(row_hits.value(), reads.value() + writes.value()); }};
  sim::Formula average_read_latency{
      *this, "average_read_latency", "DRAM cycles", "Mean cycles from arrival to last data of a read.",
      [this] { return ratio(read_latency_sum.value(), reads.value() + forwarded.value()); }};

 private:
  static double ratio(std::uint64_t a, std::uint64_t b) { return static_cast<double>(a) / static_cast<double>(b); }
};

/// What a channel did for one of several applications.
struct DramApplicationStatistics : sim::StatisticGroup {
  using sim::StatisticGroup::StatisticGroup;
  sim::Counter reads{*this, "reads", "bursts", "Read commands for this application."};
  sim::Counter writes{*this, "writes", "bursts", "Write commands for this application."};
  sim::Counter walk_reads{*this, "walk_reads", "bursts", "Of the reads, those of page-table entries."};
  sim::Counter row_hits{*this, "row_hits", "bursts", "Its column commands to a row that an earlier request opened."};
  sim::Counter waited{*this, "waited", "DRAM cycles", "From arrival to the column command of its reads, summed."};

  void count(const QueuedRequest& request, bool row_hit, DramCycle now) {
    ++(request.write ? writes : reads);
    if (row_hit) ++row_hits;
    if (request.write) return;
    if (request.traffic == Traffic::walk) ++walk_reads;
    waited += now - request.arrival;
  }
};

}  // namespace heddle::memory
