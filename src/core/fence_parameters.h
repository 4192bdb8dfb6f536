// What fences cost.
#pragma once

#include "sim/parameter.h"

namespace heddle::core {

struct FenceParameters : sim::ParameterGroup {
  using ParameterGroup::ParameterGroup;
  sim::Choice ends{
      *this,
      "ends",
      "answers",
      {"answers", "round"},
      "answers: a fence waits for the answers to its warp's stores and atomics, then for its latency. round: one for "
      "the GPU or the host takes its latency from when it issues, or as long as the answers take; one for the block "
      "waits for no answers."};
  sim::Parameter<unsigned> latency{*this, "latency", 0, {0, 5000}, "core cycles", "Of a fence for the GPU."};
  sim::Parameter<unsigned> far_latency{*this,
                                       "far_latency",
                                       0,
                                       {0, 5000},
                                       "core cycles",
                                       "round: so much longer if its SM, since its last such fence, has accessed "
                                       "global memory whose home is the half of the L2 that is not near."};
  sim::Parameter<unsigned> idle_latency{
      *this,
      "idle_latency",
      0,
      {0, 5000},
      "core cycles",
      "round: of a fence for the GPU if its SM has accessed no global memory since its last such fence."};
  sim::Parameter<unsigned> system_latency{*this,      "system_latency", 0,
                                          {0, 50000}, "core cycles",    "Of a fence for the host as well."};
  sim::Parameter<unsigned> block_latency{*this,     "block_latency", 0,
                                         {0, 5000}, "core cycles",   "round: of a fence for the block."};
  sim::Parameter<unsigned> interval{*this,    "interval",    0,
                                    {0, 100}, "core cycles", "round: an SM takes a fence for the GPU this often."};
  sim::Flag empties_l1{*this, "empties_l1", false, "A fence for the GPU or the host drops what is clean in the L1."};

  [[nodiscard]] bool rounds() const { return ends.is("round"); }
};

}  // namespace heddle::core
