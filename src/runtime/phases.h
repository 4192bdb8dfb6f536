// Which part of a long program is timed, and which part of that is counted.
//
//     launches 0 to first_launch - 1     executed without timing
//     kernels of other names             likewise, at any time
//     skip                               executed without timing, to the end of a block
//     warm-up                            timed, not counted: fills caches
//     window                             timed and counted
//     afterwards                         blocks that run are timed to their end, the rest executed without timing
//
// A timed phase ends at the first look at or after its amount; looks come every 2000 core cycles and when a kernel
// ends. A kernel can so be timed in part. Its blocks are independent of each other, so the result is the same; a
// cooperative launch, whose blocks are not, is timed whole or not at all.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <regex>
#include <string>

#include "sim/statistic.h"
#include "sim/time.h"

namespace heddle::gpu {
class Gpu;
}

namespace heddle::runtime {

/// A stretch of a timed run.
struct Amount {
  enum class Unit : std::uint8_t { instructions, cycles };
  std::uint64_t value = 0;
  Unit unit = Unit::instructions;  ///< warp instructions or core cycles
};

struct Phases {
  std::uint64_t first_launch = 0;  ///< the first launch that can be timed, counted from 0
  std::uint64_t skip = 0;          ///< warp instructions from there that are not timed
  Amount warmup;                   ///< 0: none
  Amount window;                   ///< 0: to the end
  std::string kernels{};           ///< a regular expression: only kernels whose name it finds are timed; empty: all

  [[nodiscard]] bool given() const {
    return first_launch != 0 || skip != 0 || warmup.value != 0 || window.value != 0 || !kernels.empty();
  }
};

/// One sentence: what is timed and what is counted.
[[nodiscard]] std::string text(const Phases& phases);

class PhaseControl {
 public:
  /// Throws UserError if the names of kernels are no regular expression.
  explicit PhaseControl(const Phases& phases);

  /// Whether a launch of this kernel is to be timed, apart from what is still to be skipped.
  [[nodiscard]] bool times(std::uint64_t launch, const std::string& kernel) const {
    return launch >= phases_.first_launch && stage_ != Stage::after && (!kernels_ || matches(kernel));
  }
  /// Warp instructions still to be executed without timing before anything is timed.
  [[nodiscard]] std::uint64_t skip_left() const { return skip_left_; }
  void skipped(std::uint64_t warp_instructions) { skip_left_ -= std::min(skip_left_, warp_instructions); }
  /// A launch is about to be timed.
  void begin(gpu::Gpu& gpu, sim::Cycle now);
  /// Looks whether the phase has ended; at the end of the window, stops the dispatch of blocks.
  void look(gpu::Gpu& gpu, sim::Cycle now);

  /// A launch has ended, of whose blocks some were timed.
  void add_blocks(std::uint64_t timed, std::uint64_t all) {
    timed_blocks_ += timed;
    untimed_blocks_ += all - timed;
  }

  enum class Stage : std::uint8_t { before, warming, counting, after };
  [[nodiscard]] Stage stage() const { return stage_; }
  [[nodiscard]] const Phases& phases() const { return phases_; }
  /// What every counter counted in the window so far; empty if it was never reached.
  [[nodiscard]] std::map<std::string, std::uint64_t> counted(gpu::Gpu& gpu) const;
  /// Writes every statistic of the window so far, as JSON, with a note that says so.
  void write_statistics(std::ostream& out, gpu::Gpu& gpu) const;
  /// What was asked for and how far the program came.
  [[nodiscard]] std::string describe() const;
  [[nodiscard]] std::uint64_t timed_blocks() const { return timed_blocks_; }
  [[nodiscard]] std::uint64_t untimed_blocks() const { return untimed_blocks_; }

 private:
  [[nodiscard]] bool matches(const std::string& kernel) const;
  struct Mark {
    sim::Cycle cycle = 0;
    std::uint64_t instructions = 0;
    sim::CounterTable::Values counters;
  };
  [[nodiscard]] static bool reached(const Amount& amount, const Mark& since, std::uint64_t instructions,
                                    sim::Cycle now);
  [[nodiscard]] static Mark mark(gpu::Gpu& gpu, sim::Cycle now);
  [[nodiscard]] bool has_window() const { return stage_ == Stage::counting || stage_ == Stage::after; }
  [[nodiscard]] sim::CounterTable::Values window_values(gpu::Gpu& gpu) const;

  Phases phases_;
  std::optional<std::regex> kernels_;
  std::uint64_t skip_left_;
  Stage stage_ = Stage::before;
  std::uint64_t timed_blocks_ = 0;
  std::uint64_t untimed_blocks_ = 0;
  Mark begin_, from_, to_;
};

}  // namespace heddle::runtime
