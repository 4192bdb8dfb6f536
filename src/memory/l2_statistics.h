// What an L2 slice counts: over all, and of each application where there are several.
#pragma once

#include "memory/request.h"
#include "sim/statistic.h"

namespace heddle::memory {

/// What was asked of a slice and what became of it.
struct TrafficStatistics : sim::StatisticGroup {
  TrafficStatistics(sim::StatisticGroup& parent, const std::string& name) : StatisticGroup(parent, name) {}
  sim::Counter reads{*this, "reads", "requests", "Read requests taken by the L2."};
  sim::Counter walk_reads{*this, "walk_reads", "requests", "Reads of page-table entries."};
  sim::Counter walk_misses{*this, "walk_misses", "requests", "Of those, misses."};
  sim::Counter walk_reads_level4{*this, "walk_reads_level4", "requests", "Of those, at level 4, the root."};
  sim::Counter walk_misses_level4{*this, "walk_misses_level4", "requests", "Of those, misses."};
  sim::Counter walk_reads_level3{*this, "walk_reads_level3", "requests", "At level 3."};
  sim::Counter walk_misses_level3{*this, "walk_misses_level3", "requests", "Of those, misses."};
  sim::Counter walk_reads_level2{*this, "walk_reads_level2", "requests", "At level 2."};
  sim::Counter walk_misses_level2{*this, "walk_misses_level2", "requests", "Of those, misses."};
  sim::Counter walk_reads_level1{*this, "walk_reads_level1", "requests", "At level 1, the leaf of small pages."};
  sim::Counter walk_misses_level1{*this, "walk_misses_level1", "requests", "Of those, misses."};
  sim::Counter went_past{*this, "went_past", "requests", "Reads of page-table entries that went past the L2."};
  sim::Counter writes{*this, "writes", "requests", "Write requests taken by the L2."};
  sim::Counter atomics{*this, "atomics", "requests", "Atomic requests taken by the L2."};
  sim::Counter hits{*this, "hits", "requests", "Reads and atomics whose sectors were all in the L2."};
  sim::Counter misses{*this, "misses", "requests", "Reads and atomics that had to wait for DRAM."};
  sim::Counter instruction_reads{*this, "instruction_reads", "requests", "Of the reads, those of instruction caches."};
  sim::Counter instruction_misses{*this, "instruction_misses", "requests", "Of those, misses."};
  sim::Counter constant_reads{*this, "constant_reads", "requests", "Of the reads, those of constant caches."};
  sim::Counter constant_misses{*this, "constant_misses", "requests", "Of those, misses."};
  sim::Counter merged{*this, "merged", "requests", "Misses that joined one already in flight."};
  sim::Counter bypassed{*this, "bypassed", "requests", "Misses whose line the fill policy did not keep."};
  sim::Counter dram_reads{*this, "dram_reads", "bursts", "Bursts asked of DRAM."};
  sim::Counter writebacks{*this, "writebacks", "bursts", "Bursts of dirty data written to DRAM on eviction."};
  sim::Counter bytes_in{*this, "bytes_in", "bytes", "Data bytes received from SMs."};
  sim::Counter bytes_out{*this, "bytes_out", "bytes", "Data bytes sent to SMs."};

  void count_level(unsigned level, bool hit) {
    constexpr unsigned kLevels = 4;
    if (level == 0 || level > kLevels) return;
    sim::Counter* const of_level[] = {&walk_reads_level1, &walk_reads_level2, &walk_reads_level3, &walk_reads_level4};
    sim::Counter* const missed[] = {&walk_misses_level1, &walk_misses_level2, &walk_misses_level3, &walk_misses_level4};
    ++*of_level[level - 1];
    if (!hit) ++*missed[level - 1];
  }
  void count_read(const Request& request, bool hit) {
    ++(hit ? hits : misses);
    if (request.kind == RequestKind::atomic) {
      ++atomics;
      bytes_in += request.bytes;
      return;
    }
    ++reads;
    if (request.traffic == Traffic::instruction) {
      ++instruction_reads;
      if (!hit) ++instruction_misses;
    } else if (request.traffic == Traffic::constant) {
      ++constant_reads;
      if (!hit) ++constant_misses;
    } else if (request.traffic == Traffic::walk) {
      ++walk_reads;
      if (!hit) ++walk_misses;
      count_level(request.level, hit);
    }
  }
};

struct L2Statistics : TrafficStatistics {
  using TrafficStatistics::TrafficStatistics;
  sim::Counter stall_miss_table{*this, "stall_miss_table", "L2 cycles",
                                "The first request waited because every miss entry was taken."};
  sim::Counter stall_merge{*this, "stall_merge", "L2 cycles",
                           "The first request waited because its line's miss had its most waiters."};
  sim::Counter stall_reserved{*this, "stall_reserved", "L2 cycles",
                              "The first request waited because every way of its set waits for a fill."};
  sim::Counter stall_dram_queue{*this, "stall_dram_queue", "L2 cycles",
                                "The first request waited because the queue to DRAM was full."};
  sim::Counter stall_table{*this, "stall_table", "L2 cycles",
                           "The first request waited for room at the table behind a virtual L2."};
  sim::Counter asked_again{*this, "asked_again", "requests",
                           "Requests of a virtual L2 that wanted more of a line than had been asked for, or that the "
                           "table sent back."};
  sim::Counter replays{*this, "replays", "requests", "Accesses of synonyms, under their leading name."};
};

}  // namespace heddle::memory
