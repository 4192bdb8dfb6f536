// Parameters of RegLess (core/operands/regless) and of the regions that code is cut into for it. What the document
// leaves open is said with its decision; sections are those of Kloosterman 2018, chapter 4.
#pragma once

#include <algorithm>

#include "isa/regions.h"
#include "sim/parameter.h"

namespace heddle::core {

struct RegLessParameters : sim::ParameterGroup {
  using ParameterGroup::ParameterGroup;
  sim::Parameter<unsigned> entries{*this,       "entries",   512,
                                   {32, 65536}, "registers", "Registers of a warp that an SM stages (section 4.6.2)."};
  sim::Parameter<unsigned> region_registers{
      *this,
      "region_registers",
      0,
      {0, 255},
      "registers",
      "Most registers live at once in a region; 0: a quarter of a shard's entries, but at least 8 (Algorithm 1 states "
      "no value)."};
  sim::Parameter<unsigned> region_instructions{
      *this,   "region_instructions", 6,
      {1, 64}, "instructions",        "A cut leaves so many before it, if it can (section 4.4.2)."};
  sim::Flag split_loads{*this, "split_loads", true, "Loads from memory and their first uses go into regions apart."};
  sim::Choice soft{*this,
                   "soft",
                   "hidden",
                   {"hidden", "printed"},
                   "Which definitions are soft: all that lanes which do not run may need, or Algorithm 2 as printed, "
                   "which misses some; with independent threads, all that lanes may need anywhere."};
  sim::Parameter<unsigned> scan{*this,   "scan",  1,
                                {1, 64}, "warps", "Warps on the stack that are tried in a cycle, from the top."};
  sim::Choice bank_warp{*this,
                        "bank_warp",
                        "local",
                        {"local", "global"},
                        "The warp's number in (warp + register) mod 8: in its shard, or in the SM."};
  sim::Choice l1_first{*this,
                       "l1_first",
                       "data",
                       {"data", "registers"},
                       "Who has the L1 first in a cycle: lines of the load/store unit, or registers."};
  sim::Flag oversubscribe{*this, "oversubscribe", false, "Blocks need no register file to be resident (section 4.7)."};
  sim::Flag compressor{*this, "compressor", true, "Registers that follow a pattern are compressed on eviction."};
  sim::Parameter<unsigned> compressor_lines{
      *this,   "compressor_lines",
      12,      {1, 256},
      "lines", "Compressed lines that a shard holds (Table 4.1 has 48 for four shards)."};
  sim::Parameter<unsigned> bit_latency{*this,   "bit_latency", 1,
                                       {0, 64}, "core cycles", "Looking whether a register is compressed."};
  sim::Parameter<unsigned> expand_latency{
      *this, "expand_latency", 2, {0, 64}, "core cycles", "Finding a compressed line and expanding a register of it."};
  sim::Parameter<unsigned> compress_latency{
      *this, "compress_latency", 3, {0, 64}, "core cycles", "Trying the patterns on a register that is evicted."};

  [[nodiscard]] unsigned entries_per_shard(unsigned shards) const { return entries / shards; }
  [[nodiscard]] unsigned lines_per_bank(unsigned shards) const { return entries / shards / isa::kRegionBanks; }
  [[nodiscard]] unsigned registers_per_region(unsigned shards) const {
    if (region_registers != 0) return region_registers;
    return std::max(8u, entries_per_shard(shards) / 4);
  }
};

}  // namespace heddle::core
