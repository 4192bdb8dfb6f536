// The parameters of an L2 slice.
#pragma once

#include "memory/cache.h"
#include "memory/fill_policy.h"

namespace heddle::memory {

struct L2Parameters : CacheParameters {
  using CacheParameters::CacheParameters;
  sim::Parameter<unsigned> slices{*this,
                                  "slices",
                                  0,
                                  {0, 256},
                                  "slices",
                                  "L2 slices; 0: one at each DRAM channel. Otherwise a slice reaches any channel, and "
                                  "half of miss_latency is each way."};
  sim::Parameter<unsigned> clock_mhz{*this, "clock_mhz", 700, {1, 10000}, "MHz", "Clock of the L2."};
  sim::Parameter<unsigned> banks{*this,   "banks", 1,
                                 {1, 64}, "banks", "Lines of different banks are served in the same cycle."};
  sim::Parameter<unsigned> atomics_per_cycle{
      *this, "atomics_per_cycle", 8, {1, 128}, "lanes", "Lanes of an atomic that a bank performs per L2 cycle."};
  sim::Parameter<unsigned> miss_latency{
      *this,
      "miss_latency",
      0,
      {0, 2000},
      "core cycles",
      "What a miss costs besides the L2's latency and DRAM's own timing: to the memory controller and back."};
  sim::Parameter<unsigned> dram_queue{
      *this, "dram_queue", 32, {1, 4096}, "requests", "Requests that may wait between a slice and its DRAM channel."};
  sim::Plug<FillPolicies> fill{*this, "fill", "normal", "Whether what comes from DRAM is kept."};
  sim::Flag perfect{*this, "perfect", false, "Every access hits: an upper bound on what the memory behind could give."};
};

}  // namespace heddle::memory
