// Which part of a long program is timed, and which part of that is counted.
//
//     launches 0 to first_launch - 1     executed without timing
//     warm-up                            timed, not counted: fills caches
//     window                             timed and counted
//     afterwards                         the running kernel is timed to its end, the rest executed without timing
//
// A phase ends at the first look at or after its amount; looks come every 2000 core cycles and when a kernel ends.
#pragma once

#include <cstdint>
#include <map>
#include <string>

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
  std::uint64_t first_launch = 0;  ///< the first launch that is timed, counted from 0
  Amount warmup;                   ///< 0: none
  Amount window;                   ///< 0: to the end

  [[nodiscard]] bool given() const { return first_launch != 0 || warmup.value != 0 || window.value != 0; }
};

/// One sentence: what is timed and what is counted.
[[nodiscard]] std::string text(const Phases& phases);

class PhaseControl {
 public:
  explicit PhaseControl(const Phases& phases) : phases_(phases) {}

  /// Whether a launch is to be timed.
  [[nodiscard]] bool times(std::uint64_t launch) const {
    return launch >= phases_.first_launch && stage_ != Stage::after;
  }
  /// A launch is about to be timed.
  void begin(gpu::Gpu& gpu, sim::Cycle now);
  /// Looks whether the phase has ended.
  void look(gpu::Gpu& gpu, sim::Cycle now);

  enum class Stage : std::uint8_t { before, warming, counting, after };
  [[nodiscard]] Stage stage() const { return stage_; }
  [[nodiscard]] const Phases& phases() const { return phases_; }
  /// What every counter counted in the window so far; empty if it was never reached.
  [[nodiscard]] std::map<std::string, std::uint64_t> counted(gpu::Gpu& gpu) const;
  /// The same, and how far the program came.
  [[nodiscard]] std::string describe() const;

 private:
  struct Mark {
    sim::Cycle cycle = 0;
    std::uint64_t instructions = 0;
    std::map<std::string, std::uint64_t> counters;
  };
  [[nodiscard]] static bool reached(const Amount& amount, const Mark& since, std::uint64_t instructions,
                                    sim::Cycle now);
  [[nodiscard]] static Mark mark(gpu::Gpu& gpu, sim::Cycle now);

  Phases phases_;
  Stage stage_ = Stage::before;
  Mark begin_, from_, to_;
};

}  // namespace heddle::runtime
