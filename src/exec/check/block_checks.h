// Checks of one block: shared memory and barriers.
//
// Races: accesses of two warps to a byte of shared memory, at least one of them a write, that nothing puts in order.
// Order comes from barriers (bar.sync, bar.red, bar.arrive; of all warps or of some), from the end of a warp that a
// barrier then does not wait for, and from atomics and volatile or scoped accesses to the same address, each of which
// is taken to hand on what its warp has seen. Such accesses do not race with each other. A write of the value that is
// there already races with nothing. Threads of one warp do not race with each other, but for two lanes of one store
// that write different values to one place: code that relies on a warp's threads running together is legal on GPUs that
// do that.
//
// Per word of shared memory, the last write and two reads by different warps are remembered; so nothing is found that
// is not there, but a race can be missed.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/types.h"
#include "exec/check/program_checks.h"
#include "exec/check/vector_clock.h"
#include "exec/launch.h"

namespace heddle::exec {

class BlockChecks {
 public:
  BlockChecks(ProgramChecks& checks, const ThreadBlock& block);

  void start();
  /// These lanes touch shared memory.
  void access(const CheckedAccess& access, LaneMask lanes);
  void global_atomic(const CheckedAccess& access, LaneMask lanes);

  /// A slot has come to a barrier, and is still at the instruction.
  void arrived(Warp& slot, const Op& op, unsigned barrier, LaneMask lanes);
  /// A slot that waited at a barrier may go on.
  void released(Warp& slot, unsigned barrier);
  /// All who waited there have been released.
  void opened(unsigned barrier) { barriers_[barrier] = {}; }
  void ended(const Warp& warp) { ended_.join(clocks_[warp.index]); }

 private:
  struct Touch {
    std::uint32_t moment = 0;  ///< of its warp; 0: there was none
    std::uint32_t pc = 0;
    std::uint16_t thread = 0;
    std::uint8_t bytes = 0;  ///< of the word, a bit each
    bool strong = false;     ///< an atomic, or volatile, or with a scope
  };
  struct Word {
    Touch write;
    std::array<Touch, 2> reads;
    std::uint64_t instruction = 0;  ///< that wrote it: counts all accesses of the block
  };
  struct LaneAccess {
    const CheckedAccess& access;
    unsigned lane = 0;
    std::uint64_t address = 0;  ///< in shared memory
    Touch touch;
  };

  void check_written(const LaneAccess& lane);
  void check_word(const LaneAccess& lane, std::uint64_t word);
  void read(const LaneAccess& lane, Word& word);
  void write(const LaneAccess& lane, Word& word);
  [[nodiscard]] bool in_order(unsigned warp, const Touch& before) const {
    const unsigned other = before.thread / kWarpSize;
    return before.moment == 0 || other == warp || clocks_[warp].at[other] >= before.moment;
  }
  /// Whether a store changes nothing.
  [[nodiscard]] bool is_silent(const LaneAccess& lane) const;
  void report_race(const LaneAccess& lane, const Touch& before, const char* other_did);
  void synchronise(unsigned warp, std::uint64_t key, bool acquires, bool releases);

  ProgramChecks& checks_;
  const ThreadBlock& block_;
  std::vector<bool> written_;  ///< by byte
  std::vector<Word> words_;
  std::array<VectorClock, kMostWarpsOfBlock> clocks_;
  std::array<VectorClock, kBarriers> barriers_;
  VectorClock ended_;
  std::unordered_map<std::uint64_t, VectorClock> handed_on_;  ///< by address
  std::uint64_t instruction_ = 0;
};

}  // namespace heddle::exec
