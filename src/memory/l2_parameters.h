// The parameters of an L2 slice.
#pragma once

#include "memory/cache.h"
#include "memory/fill_policy.h"
#include "memory/lifetimes.h"

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
  sim::Parameter<unsigned> atomic_interval{*this,       "atomic_interval",
                                           1,           {1, 100},
                                           "L2 cycles", "A bank is busy with an atomic request for at least so long."};
  sim::Parameter<unsigned> atomic_word_lanes{
      *this, "atomic_word_lanes", 128, {1, 128}, "lanes", "Of those, lanes that change the same word."};
  sim::Parameter<unsigned> atomic_word_latency{
      *this,
      "atomic_word_latency",
      0,
      {0, 100},
      "core cycles",
      "For each further lane that changes the same word the answer comes so much later."};
  sim::Parameter<unsigned> write_merges{
      *this,   "write_merges", 1,
      {1, 64}, "requests",     "Writes of one line that follow each other and are taken together."};
  sim::Parameter<unsigned> miss_latency{
      *this,
      "miss_latency",
      0,
      {0, 2000},
      "core cycles",
      "What a miss costs besides the L2's latency and DRAM's own timing: to the memory controller and back."};
  sim::Parameter<unsigned> dram_queue{
      *this,
      "dram_queue",
      32,
      {1, 4096},
      "requests",
      "Requests that may wait between a slice and its DRAM channel, besides those on the way, which holds one for each "
      "core cycle of miss_latency."};
  sim::Plug<FillPolicies> fill{*this, "fill", "normal", "Whether what comes from DRAM is kept."};
  sim::Flag host_writes{*this, "host_writes", false,
                        "What the host copies or fills stays in the L2, and so does code when it is loaded; without "
                        "address translation only."};
  sim::Parameter<unsigned> copied_latency{
      *this,
      "copied_latency",
      0,
      {0, 2000},
      "core cycles",
      "The first read of a line that a copy of the host left in the L2 takes so much longer."};
  sim::Parameter<unsigned> halves{*this,
                                  "halves",
                                  1,
                                  {1, 2},
                                  "halves",
                                  "The L2 is one, or two halves of which each is near to half of "
                                  "the SMs and keeps copies of the other's lines for them."};
  sim::Parameter<unsigned> far_latency{
      *this,     "far_latency", 0,
      {0, 2000}, "core cycles", "What an access takes longer that must go to the half that is not near."};
  sim::Parameter<unsigned> lifetime_step = make_lifetime_step(*this);
  sim::Flag perfect{*this, "perfect", false, "Every access hits: an upper bound on what the memory behind could give."};
};

}  // namespace heddle::memory
