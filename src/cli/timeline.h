// --timeline: what a run did over time, as a file that Perfetto and chrome://tracing open (JSON trace events).
//
// One track per stream with the kernels; one process per SM with a track per block slot; counters sampled every few
// thousand cycles: instructions per cycle, what each SM's issue slots (its warps) waited for, DRAM data, translation.
// One microsecond in the viewer is one core cycle.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpu/gpu.h"
#include "runtime/device.h"

namespace heddle::cli {

struct TimelineOptions {
  std::string file;  ///< empty: none
  std::uint64_t from = 0;
  std::uint64_t to = ~std::uint64_t{0};
  std::uint64_t most = 200'000;  ///< events
};

void add_timeline_options(CLI::App& command, TimelineOptions& options);

class Timeline {
 public:
  /// Attaches to a device that has not run anything yet. Throws UserError if nothing is timed.
  Timeline(const TimelineOptions& options, runtime::Device& device);
  ~Timeline();
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  /// Samples the counters; called between quanta.
  void sample(std::uint64_t now);
  /// Writes the file. The result is one sentence about what was left out; empty if nothing was.
  [[nodiscard]] std::string write(const runtime::Device& device);

 private:
  struct Track;
  void emit(const std::string& event);
  void write_kernels(const runtime::Device& device);
  void write_blocks(gpu::Gpu& gpu, const runtime::Device& device);

  TimelineOptions options_;
  std::vector<Track> tracks_;
  std::vector<std::string> events_;
  std::uint64_t dropped_ = 0;
  std::uint64_t last_ = 0;
};

}  // namespace heddle::cli
