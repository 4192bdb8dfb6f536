// Applications that share a GPU and are started again until each has ended once, until the first of them has, or until
// a window is over: what is told of each is its first run (sharing.relaunch, sharing.until and sharing.window).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "gpu/gpu.h"
#include "results/record.h"
#include "runtime/device.h"
#include "runtime/machine.h"

namespace heddle::cli {

/// A figure of applications together, for the reference.
struct SharedFigure {
  const char* name;
  const char* unit;
  const char* meaning;
  bool of_application = false;
};
/// What finish() adds to the statistics.
[[nodiscard]] const std::vector<SharedFigure>& first_run_figures();

class FirstRuns {
 public:
  /// Without a GPU, each application runs once.
  FirstRuns(runtime::Machine& machine, std::size_t applications);

  /// Now and then: whether the run goes on.
  [[nodiscard]] bool go_on(std::uint64_t cycles);
  /// Runs the program of an application for the first time, and then again as long as others have not ended once.
  void run(std::size_t application, const runtime::Device& device, const std::function<void()>& first,
           const std::function<void()>& again);
  /// When all is over: completes the records with what each first run came to, and adds it to the statistics as
  /// mix.application_N.cycles, .instructions, .ended and .all_instructions, which has what it did when started again;
  /// mix.cycles is when the last was counted.
  void finish(std::vector<results::ApplicationRecord>& records, std::map<std::string, double>& statistics);
  /// Launches that belong to the first run; all if it has not ended.
  [[nodiscard]] std::size_t launches(std::size_t application) const { return runs_[application].launches; }

 private:
  struct Run {
    bool ended = false;
    std::uint64_t cycles = 0;
    std::uint64_t instructions = 0;
    std::uint64_t all_instructions = 0;  ///< with those of further runs
    std::size_t launches = ~std::size_t{0};
    std::map<std::string, std::uint64_t> counters;  ///< of the whole GPU, when it ended
  };
  void measure(std::size_t application, std::uint64_t cycles);
  /// All comes to its end: measures those that have not ended, and what each has done.
  void measure_all(std::uint64_t cycles);
  [[nodiscard]] bool all_ended() const;
  [[nodiscard]] bool told() const { return relaunches_ || window_ != 0; }

  runtime::Machine& machine_;
  std::vector<Run> runs_;
  bool relaunches_ = false;
  bool until_first_ = false;  ///< the first of them ends the run
  std::uint64_t window_ = 0;
  std::uint64_t stopped_at_ = 0;  ///< by the window or the first application; 0: not
  std::uint64_t counted_at_ = 0;  ///< all_instructions
};

/// "gpu.l2.application_1.hits" is the second application's "gpu.l2.hits".
void count_apart(const std::map<std::string, std::uint64_t>& totals, std::size_t application,
                 results::ApplicationRecord& record);

}  // namespace heddle::cli
