// What a DRAM channel counts.
#pragma once

#include "memory/dram_queue.h"
#include "sim/statistic.h"

namespace heddle::memory {

struct DramStatistics : sim::StatisticGroup {
  using sim::StatisticGroup::StatisticGroup;
  sim::ApplicationCounter reads{*this, "reads", "bursts", "Read commands."};
  sim::ApplicationCounter writes{*this, "writes", "bursts", "Write commands."};
  sim::ApplicationCounter forwarded{*this, "forwarded", "bursts",
                                    "Reads answered from a queued write to the same address."};
  sim::Counter activates{*this, "activates", "commands", "Rows opened."};
  sim::Counter precharges{*this, "precharges", "commands",
                          "Rows closed, by a command of their own or after an access."};
  sim::ApplicationCounter row_hits{*this, "row_hits", "bursts",
                                   "Column commands to a row that an earlier request opened."};
  sim::ApplicationCounter row_misses{*this, "row_misses", "bursts", "Column commands that found their bank closed."};
  sim::ApplicationCounter row_conflicts{*this, "row_conflicts", "bursts",
                                        "Column commands that found another row open."};
  sim::Counter refreshes{*this, "refreshes", "commands", "Refreshes of a rank."};
  sim::ApplicationCounter data_bus_busy{*this, "data_bus_busy", "DRAM cycles", "Cycles reserved for data on the bus."};
  sim::Counter drains{*this, "drains", "times", "Times the channel turned to draining writes."};
  sim::Counter queue_full{*this, "queue_full", "times", "Times the last room of the read or write queue was taken."};
  sim::ApplicationCounter read_latency_sum{*this, "read_latency_sum", "DRAM cycles",
                                           "Cycles from arrival to last data, over all reads."};
  sim::ApplicationCounter walk_reads{*this, "walk_reads", "bursts", "Of the reads, those of page-table entries."};
  sim::ApplicationCounter walk_row_hits{*this, "walk_row_hits", "bursts", "Of those, row hits."};
  sim::ApplicationCounter walk_latency_sum{*this, "walk_latency_sum", "DRAM cycles",
                                           "Cycles from arrival to last data, over those."};
  sim::ApplicationCounter waited{*this, "waited", "DRAM cycles",
                                 "From arrival to the column command of reads, summed."};
  sim::Formula row_hit_rate{*this, "row_hit_rate", "fraction", "Row hits per column command.",
                            [this] { return ratio(row_hits.value(), reads.value() + writes.value()); }};
  sim::Formula average_read_latency{
      *this, "average_read_latency", "DRAM cycles", "Mean cycles from arrival to last data of a read.",
      [this] { return ratio(read_latency_sum.value(), reads.value() + forwarded.value()); }};

 private:
  static double ratio(std::uint64_t a, std::uint64_t b) { return static_cast<double>(a) / static_cast<double>(b); }
};

}  // namespace heddle::memory
