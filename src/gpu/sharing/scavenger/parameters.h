// Parameters of Scavenger (Kloosterman, "Data Resource Management in Throughput Processors", 2018, chapter 5). What the
// document leaves open is marked so; the values are those that its description lets one infer.
#pragma once

#include "sim/parameter.h"

namespace heddle::gpu::scavenger {

struct ScavengerParameters : sim::ParameterGroup {
  using ParameterGroup::ParameterGroup;
  using Cycles = sim::Parameter<unsigned>;
  using Fraction = sim::Parameter<double>;

  Fraction target{*this,       "target", 0.9,
                  {0.01, 1.0}, "",       "What the first application is to reach of its speed alone (5.6.3)."};
  sim::Flag shares{*this, "shares", true,
                   "Off: the second application never runs beside the first; to see the predictor."};

  // Table 5.1: profiles.
  Cycles min_profile{*this,           "min_profile", 20000,
                     {1, 1000000000}, "core cycles", "A profile is not shorter (Table 5.1)."};
  Cycles max_profile{*this,           "max_profile", 200000,
                     {1, 1000000000}, "core cycles", "A profile that has not settled by then starts anew (Table 5.1)."};
  Fraction tolerance{*this,        "tolerance", 0.075,
                     {0.001, 1.0}, "",          "Most that the two halves of a profile differ in IPC (5.6.4)."};
  Cycles settle{*this, "settle", 128, {1, 1000000}, "core cycles", "So long they must not differ by more (5.6.4)."};

  // Table 5.1: phases.
  Fraction min_lanes{*this, "min_lanes", 8, {0, 32}, "lanes", "Least threshold on active lanes (Table 5.1)."};
  Fraction min_accesses{*this,   "min_accesses", 2,
                        {0, 32}, "lines",        "Least threshold on lines per memory instruction (Table 5.1)."};
  Cycles min_pcs{*this,      "min_pcs", 12288,
                 {0, 65536}, "of 64K",  "Least threshold on the difference of PC histograms (Table 5.1)."};
  Fraction margin{*this, "margin", 0.1, {0, 10}, "", "Added to the difference of a profile's halves (5.4.2)."};
  Cycles element{*this, "element", 128, {1, 100000}, "core cycles", "Summed up in an element of a window (Table 5.1)."};
  Cycles elements{*this, "elements", 64, {1, 1024}, "elements", "Of a window: 8192 cycles (Table 5.1)."};
  Cycles trigger{*this,        "trigger",     500,
                 {1, 1000000}, "core cycles", "So long a threshold must be exceeded (Table 5.1)."};
  Cycles compare{*this, "compare", 8192, {1, 1000000000}, "core cycles", "How often histograms are compared (5.6.2)."};
  Cycles max_run{*this, "max_run", 262144, {1, 1000000000}, "core cycles", "Most from profile to profile (Table 5.1)."};
  sim::Flag new_kernel{*this, "new_kernel", true, "A kernel that comes to an SM starts a profile there."};
  sim::Flag exact_pcs{
      *this, "exact_pcs", false,
      "Histograms are compared in exact proportion; off: by a shift to the nearest power of two (5.6.2)."};

  // Table 5.2: controllers.
  Cycles interval{*this, "interval", 100, {1, 1000000}, "core cycles", "How often shares are adjusted (Table 5.2)."};
  Fraction proportional{*this, "proportional", 1.5, {0, 100}, "", "Gain on the short-term error (Table 5.2)."};
  Fraction integral{*this, "integral", 1.0, {0, 100}, "", "Gain on the long-term error (Table 5.2)."};
  Fraction scale{*this,  "scale",
                 0.0625, {0.0001, 1},
                 "",     "Of all warps or requests, what an error of one moves per step; open in the document."};
  Cycles short_window{*this,        "short_window", 1024,
                      {1, 1000000}, "core cycles",  "Of the short-term error; open in the document."};
  Cycles long_window{*this,        "long_window", 8192,
                     {1, 1000000}, "core cycles", "Of the long-term error; open in the document."};
  Fraction least_weight{
      *this, "least_weight", 0.05, {0, 1}, "", "Least weight of a resource, by its slack; open in the document."};
  Cycles requests{*this, "requests", 256, {2, 65536}, "lines", "On their way at once, to be divided (5.5.1.2)."};
  sim::Flag borrow{*this, "borrow", true,
                   "The first application may use what the second does not of its requests (5.5.1.2)."};

  // Table 5.2: blocks.
  Cycles block_interval{*this,           "block_interval", 8192,
                        {1, 1000000000}, "core cycles",    "How often blocks move (Table 5.2)."};
  Cycles primary_slack{*this, "primary_slack", 4, {0, 64}, "warps", "Idle warps that the first keeps (Table 5.2)."};
  Cycles secondary_slack{*this,   "secondary_slack", 8,
                         {0, 64}, "warps",           "Idle warps that the second may have (Table 5.2)."};
  Fraction step{*this, "step", 0.25, {0.01, 1}, "", "Of the difference in slack, most that moves at once (5.5.2)."};
  Fraction restart{*this,  "restart", 0.5,
                   {0, 1}, "",        "Of its warps, what the second has again after a profile (5.5.2)."};

  Cycles grace{*this,
               "grace",
               20000,
               {0, 1000000000},
               "core cycles",
               "So long an SM that the first has left stays free for its next kernel; open in the document, as long as "
               "the shortest profile."};

  // Section 5.5.3: fallback; its three values are open in the document.
  Fraction shortfall{*this,  "shortfall", 0.05,
                     {0, 1}, "",          "Below the target by more, the first runs alone for a while."};
  Cycles detect{*this, "detect", 65536, {100, 1000000000}, "core cycles", "Over so long a time of sharing."};
  Cycles alone{*this, "alone", 262144, {1, 1000000000}, "core cycles", "So long it runs alone."};
};

}  // namespace heddle::gpu::scavenger
