// What an L2 slice counts. Stalls are of its one queue, and so of no application.
#pragma once

#include <bit>

#include "memory/request.h"
#include "sim/statistic.h"

namespace heddle::memory {

struct L2Statistics : sim::StatisticGroup {
  L2Statistics(sim::StatisticGroup& parent, const std::string& name) : StatisticGroup(parent, name) {}
  sim::ApplicationCounter reads{*this, "reads", "requests", "Read requests taken by the L2."};
  sim::ApplicationCounter walk_reads{*this, "walk_reads", "requests", "Reads of page-table entries."};
  sim::ApplicationCounter walk_misses{*this, "walk_misses", "requests", "Of those, misses."};
  sim::ApplicationCounter walk_reads_level4{*this, "walk_reads_level4", "requests", "Of those, at level 4, the root."};
  sim::ApplicationCounter walk_misses_level4{*this, "walk_misses_level4", "requests", "Of those, misses."};
  sim::ApplicationCounter walk_reads_level3{*this, "walk_reads_level3", "requests", "At level 3."};
  sim::ApplicationCounter walk_misses_level3{*this, "walk_misses_level3", "requests", "Of those, misses."};
  sim::ApplicationCounter walk_reads_level2{*this, "walk_reads_level2", "requests", "At level 2."};
  sim::ApplicationCounter walk_misses_level2{*this, "walk_misses_level2", "requests", "Of those, misses."};
  sim::ApplicationCounter walk_reads_level1{*this, "walk_reads_level1", "requests",
                                            "At level 1, the leaf of small pages."};
  sim::ApplicationCounter walk_misses_level1{*this, "walk_misses_level1", "requests", "Of those, misses."};
  sim::ApplicationCounter went_past{*this, "went_past", "requests",
                                    "Reads of page-table entries that went past the L2."};
  sim::ApplicationCounter writes{*this, "writes", "requests", "Write requests taken by the L2."};
  sim::ApplicationCounter atomics{*this, "atomics", "requests", "Atomic requests taken by the L2."};
  sim::ApplicationCounter hits{*this, "hits", "requests", "Reads and atomics whose sectors were all in the L2."};
  sim::ApplicationCounter misses{*this, "misses", "requests", "Reads and atomics that had to wait for DRAM."};
  sim::ApplicationCounter instruction_reads{*this, "instruction_reads", "requests",
                                            "Of the reads, those of instruction caches."};
  sim::ApplicationCounter instruction_misses{*this, "instruction_misses", "requests", "Of those, misses."};
  sim::ApplicationCounter constant_reads{*this, "constant_reads", "requests",
                                         "Of the reads, those of constant caches."};
  sim::ApplicationCounter constant_misses{*this, "constant_misses", "requests", "Of those, misses."};
  sim::ApplicationCounter merged{*this, "merged", "requests", "Misses that joined one already in flight."};
  sim::ApplicationCounter bypassed{*this, "bypassed", "requests", "Misses whose line the fill policy did not keep."};
  sim::ApplicationCounter dram_reads{*this, "dram_reads", "bursts", "Bursts asked of DRAM."};
  sim::ApplicationCounter writebacks{*this, "writebacks", "bursts",
                                     "Bursts of dirty data written to DRAM on eviction."};
  sim::ApplicationCounter bytes_in{*this, "bytes_in", "bytes", "Data bytes received from SMs."};
  sim::ApplicationCounter bytes_out{*this, "bytes_out", "bytes", "Data bytes sent to SMs."};
  sim::ApplicationCounter far_reads{*this, "far_reads", "requests",
                                    "Reads of an L2 of two halves that went to the half that is not near."};
  sim::ApplicationCounter copy_reads{*this, "copy_reads", "requests",
                                     "Reads of the other half's lines that found a copy in the near half."};
  sim::ApplicationCounter far_changes{
      *this, "far_changes", "requests",
      "Stores and atomics that went to the half that is not near, or took a copy away there."};
  sim::ApplicationCounter sectors{*this, "sectors", "sectors",
                                  "Sectors of 32 bytes that loads, stores and atomics of programs touch."};

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
  sim::ApplicationCounter asked_again{
      *this, "asked_again", "requests",
      "Requests of a virtual L2 that wanted more of a line than had been asked for, or that the "
      "table sent back."};
  sim::ApplicationCounter replays{*this, "replays", "requests", "Accesses of synonyms, under their leading name."};

  void count_level(const Request& request, bool hit) {
    constexpr unsigned kLevels = 4;
    if (request.level == 0 || request.level > kLevels) return;
    sim::ApplicationCounter* const of_level[] = {&walk_reads_level1, &walk_reads_level2, &walk_reads_level3,
                                                 &walk_reads_level4};
    sim::ApplicationCounter* const missed[] = {&walk_misses_level1, &walk_misses_level2, &walk_misses_level3,
                                               &walk_misses_level4};
    ++(*of_level[request.level - 1])[request.application];
    if (!hit) ++(*missed[request.level - 1])[request.application];
  }
  void count_sectors(const Request& request) {
    sectors[request.application] += static_cast<unsigned>(std::popcount(request.sectors));
  }
  void count_read(const Request& request, bool hit) {
    const std::uint16_t application = request.application;
    ++(hit ? hits : misses)[application];
    if (request.traffic == Traffic::data) count_sectors(request);
    if (request.kind == RequestKind::atomic) {
      ++atomics[application];
      bytes_in[application] += request.bytes;
      return;
    }
    ++reads[application];
    if (request.traffic == Traffic::instruction) {
      ++instruction_reads[application];
      if (!hit) ++instruction_misses[application];
    } else if (request.traffic == Traffic::constant) {
      ++constant_reads[application];
      if (!hit) ++constant_misses[application];
    } else if (request.traffic == Traffic::walk) {
      ++walk_reads[application];
      if (!hit) ++walk_misses[application];
      count_level(request, hit);
    }
  }
};

}  // namespace heddle::memory
