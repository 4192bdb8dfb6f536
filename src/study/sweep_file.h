// A sweep: axes, and the runs they span.
//
//   description = "How much L1 do graph codes want?"
//   workloads = ["bfs", "spmv"]          # workloads or programs must be there
//   programs = ["./saxpy {size}"]        # compiled programs with their arguments; {size} and {seed} stand for the axes
//   reads = ["graph-{size}.txt"]         # files that the programs read: a run is told from others by these as well
//   sizes = ["tiny", 5000]               # default: small
//   seeds = [1, 2]                       # default: 1
//   inputs = ["uniform", "road"]         # default: each workload's own
//   gpus = ["fermi-gtx480"]              # names of presets or files; default: fermi-gtx480
//   designs = ["no-mmu"]                 # default: none
//   threads = 1
//   functional = false
//   start_kernel, skip, warmup, window, kernels    # what of each run is timed, as 'heddle run' takes it
//   require = ["sm.l1.kib * 1 >= 16"]    # conditions as in 'heddle results'; all must hold
//   [parameters]                         # any parameter: a value, or several
//   sm.l1.kib = [16, 48]
//   [[exclude]]                          # leaves out the runs that match every key
//   workload = "bfs"
//   "sm.l1.kib" = 48
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace heddle::study {

/// What of a run is timed and counted, as 'heddle run' takes it; texts may end in "cycles".
struct Window {
  std::uint64_t start_kernel = 0;
  std::uint64_t skip = 0;
  std::string warmup;
  std::string window;
  std::string kernels;  ///< a regular expression; empty: all
};

/// One run of a sweep, as the user would ask for it.
struct Point {
  std::string program;             ///< a compiled program with its arguments, in the place of a workload; empty: none
  std::vector<std::string> reads;  ///< files that it reads
  std::string workload;
  std::string size = "small";
  std::uint64_t seed = 1;
  std::string input;  ///< kind of input; empty: the workload's own
  Window window;
  std::string gpu = "fermi-gtx480";
  std::string design;
  std::vector<std::string> changes;  ///< "path=value"
  unsigned threads = 1;
  bool functional = false;
};

struct Sweep {
  std::string name;
  std::string description;
  std::vector<Point> points;
};

inline constexpr std::size_t kMostPoints = 1'000'000;

/// Throws UserError with every mistake, each with line, column and key.
[[nodiscard]] Sweep read_sweep(const std::string& path);
[[nodiscard]] Sweep parse_sweep(const std::string& text, const std::string& name);

/// For handing runs to another process.
[[nodiscard]] std::string to_json(const std::vector<Point>& points);
[[nodiscard]] std::vector<Point> points_from_json(const std::string& text);

}  // namespace heddle::study
