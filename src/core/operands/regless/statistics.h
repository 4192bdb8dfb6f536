// What RegLess counts: events of the staging units, compressors and the way to the L1, and what regions are like.
#pragma once

#include "sim/statistic.h"

namespace heddle::core {

struct RegLessStatistics : sim::StatisticGroup {
  using StatisticGroup::StatisticGroup;
  sim::Counter reads{*this, "reads", "registers", "Operands read from staging units."};
  sim::Counter writes{*this, "writes", "registers", "Results written to staging units."};
  sim::Counter fills{*this, "fills", "registers", "Preloaded registers written to staging units."};
  sim::Counter tag_lookups{*this, "tag_lookups", "lookups", "Lookups in the tags of staging units."};
  sim::Counter preloads{*this, "preloads", "registers", "Registers preloaded, wherever they came from."};
  sim::Counter preloads_staged{*this, "preloads_staged", "registers", "Of those, found in the staging unit."};
  sim::Counter preloads_buffer{*this, "preloads_buffer", "registers", "Taken back from a write-back buffer."};
  sim::Counter preloads_empty{*this, "preloads_empty", "registers", "Had no value yet."};
  sim::Counter preloads_compressor{*this, "preloads_compressor", "registers", "Came from the compressor."};
  sim::Counter preloads_l1{*this, "preloads_l1", "registers", "Came from the L1."};
  sim::Counter preloads_l2{*this, "preloads_l2", "registers", "Came from the L2 or DRAM."};
  sim::Counter invalidations{*this, "invalidations", "registers", "Registers invalidated when a region began."};
  sim::Counter evictions{*this, "evictions", "registers", "Dirty registers that left a staging unit."};
  sim::Counter evictions_compressed{*this, "evictions_compressed", "registers", "Of those, compressed."};
  sim::Counter bit_lookups{*this, "bit_lookups", "lookups", "Lookups in the vectors of compressed registers."};
  sim::Counter compressor_accesses{*this, "compressor_accesses", "accesses", "Reads and writes of compressed lines."};
  sim::Counter compressor_misses{*this, "compressor_misses", "lines",
                                 "Of those, lines that were not in the compressor."};
  sim::Counter l1_loads{*this, "l1_loads", "requests", "Registers asked of the L1."};
  sim::Counter l1_stores{*this, "l1_stores", "requests", "Registers written to the L1."};
  sim::Counter l1_drops{*this, "l1_drops", "requests", "Registers that the L1 was told to forget."};
  sim::Counter l1_line_loads{*this, "l1_line_loads", "requests", "Compressed lines asked of the L1."};
  sim::Counter l1_line_stores{*this, "l1_line_stores", "requests", "Compressed lines written to the L1."};
  sim::Counter l1_waits{*this, "l1_waits", "core cycles", "A shard had a request and the L1 did not take it."};
  sim::Counter regions{*this, "regions", "regions", "Regions that warps have run."};
  sim::Counter regions_left{
      *this, "regions_left", "regions",
      "Regions that did not run when they could, because their lanes wait for others of the warp."};
  sim::Counter region_instructions{*this, "region_instructions", "warp instructions", "Instructions of those."};
  sim::Counter region_cycles{*this, "region_cycles", "core cycles",
                             "From activation to the last result of a region, summed over regions."};
  sim::Counter active_cycles{*this, "active_cycles", "core cycles",
                             "From the last preload to the last issue of a region, summed over regions."};
  sim::Counter preload_cycles{*this, "preload_cycles", "core cycles",
                              "From activation to the last preload of a region, summed over regions."};
  sim::Counter stack_cycles{*this, "stack_cycles", "core cycles", "On the warp stack, summed over regions."};
  sim::Counter longest_wait{*this, "longest_wait", "core cycles", "The longest that a warp was on the stack.",
                            sim::Counter::Merge::most};
  sim::Counter refusals{*this, "refusals", "times", "The warp on top of a stack was tried and did not fit."};
  sim::Counter metadata_words{*this, "metadata_words", "instructions", "Metadata instructions decoded."};

  // Of kernels that have run, each counted once by each SM that ran a block of it.
  sim::Counter static_regions{*this, "static_regions", "regions", "Regions in the code of kernels."};
  sim::Counter static_instructions{*this, "static_instructions", "instructions", "Instructions of those."};
  sim::Counter static_words{*this, "static_words", "instructions", "Metadata instructions of those."};
  sim::Counter static_preloads{*this, "static_preloads", "registers", "Registers that those preload."};
  sim::Counter static_live{*this, "static_live", "registers", "Registers live at once, summed over those."};
  sim::Counter static_live_squares{*this, "static_live_squares", "registers squared",
                                   "Their squares: with the sum, the standard deviation."};
  sim::Counter static_live_most{*this, "static_live_most", "registers", "Most registers live at once in a region.",
                                sim::Counter::Merge::most};
  sim::Counter static_bank_most{*this, "static_bank_most", "registers",
                                "Registers that a region needs of the bank it needs most of, summed over those."};
  sim::Counter static_conflicts{*this, "static_conflicts", "registers",
                                "Registers that instructions of those read of a bank of which they read another."};
  sim::Counter static_interior{*this, "static_interior", "values", "Values that are born and die in one region."};
  sim::Counter static_inputs{*this, "static_inputs", "values", "Values that come into a region."};
  sim::Counter static_outputs{*this, "static_outputs", "values", "Values that a region writes and that go on."};
  sim::Counter static_ends_block{*this, "static_ends_block", "regions", "Regions that end with their block."};
  sim::Counter static_ends_load{*this, "static_ends_load", "regions",
                                "Regions that end so that a load and its first use are apart."};
  sim::Counter static_ends_registers{*this, "static_ends_registers", "regions",
                                     "Regions that end because more registers do not fit."};
  sim::Counter static_ends_meeting{*this, "static_ends_meeting", "regions", "Regions that end at a barrier or call."};
};

}  // namespace heddle::core
