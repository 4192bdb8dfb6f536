// The functional scheduler: runs the blocks of a launch on this thread when nothing is timed.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "exec/interpreter.h"
#include "exec/waiting.h"

namespace heddle::exec {

/// One block runs at a time while it makes progress. A block that spends its slice without ending may be waiting for
/// another one, so more blocks are then let in, in order, and all take turns: what works on a GPU because blocks run
/// side by side works here too.
class GridRun {
 public:
  GridRun(Launch& launch, std::uint64_t first);

  /// Goes on; starts no more blocks once `enough` warp instructions have been executed. Returns false, to be called
  /// again, when nothing happens but waiting for something outside: another launch, or the host. Throws ProgramFault.
  [[nodiscard]] bool run(std::uint64_t enough = ~std::uint64_t{0});
  /// The first block that was not run.
  [[nodiscard]] std::uint64_t next_block() const { return next_; }
  /// After run() returned false.
  [[nodiscard]] const EndlessWait& waits_at() const { return *waits_; }

 private:
  void admit();
  /// Gives every running block a turn, a long one if it is alone. Returns whether some have ended.
  bool take_turns(bool alone);
  /// Gives every running block a turn and looks at what they do.
  [[nodiscard]] bool only_waits();

  Launch& launch_;
  Interpreter interpreter_;
  sim::StatisticGroup counts_{"functional"};  ///< nobody asks for them: nothing is timed
  std::unique_ptr<DivergenceUnit> divergence_;
  std::vector<std::unique_ptr<ThreadBlock>> running_;
  std::vector<std::unique_ptr<ThreadBlock>> idle_;
  std::uint64_t next_;
  std::uint64_t last_event_ = 0;  ///< when a block last ended or was let in, in instructions
  std::uint64_t last_look_ = 0;   ///< for waiting
  std::optional<EndlessWait> waits_;
};

/// Adds the warps of a block to what is known to wait endlessly. Returns false if one of them does something else.
[[nodiscard]] bool add_waiting(const Interpreter& interpreter, const ThreadBlock& block, EndlessWait& waits);

/// Throws a ProgramFault if all that is left of the block waits at barriers that nobody will open.
void check_deadlock(const ThreadBlock& block);
/// Throws a ProgramFault if the block's launch has executed more warp instructions than it may.
void check_limit(const ThreadBlock& block, std::uint64_t instructions);

}  // namespace heddle::exec
