// --timeline: what a run did over time, as a file that Perfetto and chrome://tracing open (JSON trace events).
//
// One track per stream with the kernels, in a process of its own for each of several applications; one process per SM
// with a track per block slot; counters sampled every few thousand cycles: instructions per cycle, what each SM's issue
// slots (its warps) waited for, DRAM data, translation, power by component where energy is known. One microsecond in
// the viewer is one core cycle.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpu/gpu.h"
#include "runtime/launch.h"

namespace CLI {  // NOLINT(readability-identifier-naming): as CLI11 names it
class App;
}

namespace heddle::cli {

struct TimelineOptions {
  std::string file;  ///< empty: none
  std::uint64_t from = 0;
  std::uint64_t to = ~std::uint64_t{0};
  std::uint64_t step = 2000;     ///< core cycles between samples, at least a quantum
  std::uint64_t most = 200'000;  ///< events, not counting the names of processes and tracks
};

void add_timeline_options(CLI::App& command, TimelineOptions& options);

class Timeline {
 public:
  /// Attaches to a GPU that has not run anything yet. Throws UserError if there is none: nothing is timed then.
  Timeline(const TimelineOptions& options, gpu::Gpu* gpu);
  ~Timeline();
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  /// Samples the counters; called between quanta.
  void sample(std::uint64_t now);
  /// An application and its launches.
  struct Program {
    std::string name;
    std::span<const runtime::LaunchStatistics> launches;
  };
  /// Writes the file. The result is one sentence about what was left out; empty if nothing was.
  [[nodiscard]] std::string write(const std::vector<Program>& programs);

 private:
  struct Track;
  void add_counters(const std::string& track, int process, std::uint64_t at, const std::string& values);
  void sample_power(std::uint64_t begin, std::uint64_t now, bool shown);
  void emit(const std::string& event);
  /// Names are never left out: without them viewers show numbers.
  void name_process(int process, const std::string& name);
  void name_track(int process, std::uint64_t track, const std::string& name);
  void write_kernels(int process, const Program& program);
  void write_blocks(const std::vector<Program>& programs);

  TimelineOptions options_;
  gpu::Gpu* gpu_;
  std::vector<Track> tracks_;
  std::vector<std::string> names_;
  std::set<std::pair<int, std::uint64_t>> named_;  ///< tracks
  std::vector<std::string> events_;
  std::uint64_t dropped_ = 0;
  std::map<std::string, double> taken_uj_;  ///< by component, up to the last sample
  std::uint64_t last_ = 0;
};

}  // namespace heddle::cli
