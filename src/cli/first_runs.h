// Applications that share a GPU and are started again until each has ended once, or until a window is over: what is
// told of each is its first run (sharing.relaunch and sharing.window).
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
  /// mix.application_N.cycles, .instructions and .ended.
  void finish(std::vector<results::ApplicationRecord>& records, std::map<std::string, double>& statistics);
  /// Launches that belong to the first run; all if it has not ended.
  [[nodiscard]] std::size_t launches(std::size_t application) const { return runs_[application].launches; }

 private:
  struct Run {
    bool ended = false;
    std::uint64_t cycles = 0;
    std::uint64_t instructions = 0;
    std::size_t launches = ~std::size_t{0};
    std::map<std::string, std::uint64_t> counters;  ///< of the whole GPU, when it ended
  };
  void measure(std::size_t application, std::uint64_t cycles);
  [[nodiscard]] bool told() const { return relaunches_ || window_ != 0; }

  runtime::Machine& machine_;
  std::vector<Run> runs_;
  bool relaunches_ = false;
  std::uint64_t window_ = 0;
  std::uint64_t stopped_at_ = 0;  ///< by the window; 0: it is not over
};

/// "gpu.l2.application_1.hits" is the second application's "gpu.l2.hits".
void count_apart(const std::map<std::string, std::uint64_t>& totals, std::size_t application,
                 results::ApplicationRecord& record);

}  // namespace heddle::cli
