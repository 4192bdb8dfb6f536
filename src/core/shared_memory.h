// What an access to shared memory costs: passes through its banks, what conflicts add to the latency, and atomics that
// hardware performs by a loop of compare-and-swap.
//
// Such a loop takes a round for each lane that meets another in a word or a bank; a word that many warps change is held
// for some time by each lane, one after the other. Values are computed elsewhere, when the instruction executes.
#pragma once

#include <vector>

#include "exec/interpreter.h"
#include "sim/parameter.h"
#include "sim/time.h"

namespace heddle::core {

struct SharedLoopParameters : sim::ParameterGroup {
  using ParameterGroup::ParameterGroup;
  sim::Parameter<unsigned> first{*this,     "first",       0,
                                 {0, 1000}, "core cycles", "What the first round takes longer than an atomic."};
  sim::Parameter<unsigned> wide_first{*this, "wide_first", 0, {0, 1000}, "core cycles", "Likewise of 64 bits."};
  sim::Parameter<unsigned> round{*this,     "round",       0,
                                 {0, 1000}, "core cycles", "A further round; 0: there is no loop, but an atomic."};
  sim::Parameter<unsigned> wide_round{*this, "wide_round", 0, {0, 1000}, "core cycles", "Likewise of 64 bits."};
  sim::Parameter<unsigned> hold{*this,     "hold",        0,
                                {0, 1000}, "core cycles", "Until another lane's round can change a word."};
  sim::Parameter<unsigned> wide_hold{*this, "wide_hold", 0, {0, 1000}, "core cycles", "Likewise of 64 bits."};
  sim::Parameter<unsigned> first_passes{*this,   "first_passes", 1,
                                        {1, 64}, "core cycles",  "Shared memory is busy with the first round."};
  sim::Parameter<unsigned> passes{*this,   "passes",      1,
                                  {1, 64}, "core cycles", "Shared memory is busy with each further round."};
};

struct SharedMemoryParameters : sim::ParameterGroup {
  using ParameterGroup::ParameterGroup;
  sim::Parameter<unsigned> way_latency{
      *this,   "way_latency", 1,
      {1, 16}, "core cycles", "What each further way of a bank conflict adds to an access's latency."};
  sim::Parameter<unsigned> swap_passes{
      *this,   "swap_passes", 1,
      {1, 16}, "core cycles", "Shared memory is busy so long with each way of a compare-and-swap."};
  sim::Parameter<unsigned> window_bytes{
      *this,     "window_bytes", 128,
      {32, 512}, "bytes",        "Lanes that load or store so many bytes in all go through the banks together."};
  SharedLoopParameters loop{*this, "loop",
                            "Additions of floating point, and 64-bit atomics other than exchange and compare-and-swap, "
                            "where they are loops of compare-and-swap."};
};

struct SharedAccess {
  const exec::MemoryAccess& access;
  LaneMask lanes = 0;
  unsigned banks = 32;          ///< a power of two
  bool is_atomic = false;       ///< lanes that meet in a word change it one after the other
  unsigned window_bytes = 128;  ///< lanes that ask for so many bytes go through the banks together
};
struct SharedPasses {
  unsigned all = 1;    ///< the most distinct words that any bank must serve; of an atomic, the most lanes
  unsigned least = 1;  ///< without conflicts: wide accesses are served in groups of lanes
  unsigned most_of_group = 1;
};
[[nodiscard]] SharedPasses shared_passes(const SharedAccess& shared);

class SharedMemory {
 public:
  SharedMemory(const SharedMemoryParameters& parameters, unsigned banks) : p_(parameters), banks_(banks) {}

  struct Use {
    unsigned busy = 1;        ///< cycles for which nothing else is served
    unsigned later = 0;       ///< result comes so much later than that of an access without conflicts
    sim::Cycle not_before{};  ///< result: others change the same words first
    unsigned conflicts = 0;   ///< passes for conflicts
    bool loops = false;       ///< the warp carries it out itself, and does nothing else meanwhile
  };
  /// An instruction of a block, by the block's place in the SM, takes its turn at the words it changes.
  [[nodiscard]] Use use(const isa::Instruction& instruction, const exec::MemoryAccess& access, LaneMask lanes,
                        unsigned block, sim::Cycle now);

 private:
  [[nodiscard]] Use loop(const exec::MemoryAccess& access, LaneMask lanes, const SharedPasses& passes, unsigned block,
                         sim::Cycle now);

  const SharedMemoryParameters& p_;
  unsigned banks_;
  std::vector<sim::Cycle> free_at_;  ///< by hashed word
};

}  // namespace heddle::core
