// What is known of a kernel launch: while it runs, when it has ended, when it failed.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "base/named_counters.h"
#include "base/types.h"

namespace heddle::runtime {

/// The simulated program failed. what() is the full report.
class LaunchError : public std::runtime_error {
 public:
  LaunchError(int cuda_error, std::string cuda_name, const std::string& report)
      : std::runtime_error(report), cuda_error_(cuda_error), cuda_name_(std::move(cuda_name)) {}
  [[nodiscard]] int cuda_error() const { return cuda_error_; }
  [[nodiscard]] const std::string& cuda_name() const { return cuda_name_; }

 private:
  int cuda_error_;
  std::string cuda_name_;
};

/// The launch was stopped by the caller's progress function.
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A limit on what a program may do was reached.
class LimitReached : public Interrupted {
 public:
  using Interrupted::Interrupted;
};

/// How much all launches together may do before they are stopped; 0: as much as they like.
struct Limits {
  std::uint64_t warp_instructions = 0;
  double host_seconds = 0;
};

struct Progress {
  std::string_view kernel;
  std::uint64_t launches = 0;  ///< finished before this one
  std::uint64_t blocks_done = 0;
  std::uint64_t blocks = 0;
  std::uint64_t warp_instructions = 0;  ///< of all launches
  std::uint64_t cycles = 0;             ///< simulated so far; 0 when nothing is timed
};

struct LaunchStatistics {
  std::uint64_t id = 0;  ///< counts the launches of the machine, whoever made them
  std::string kernel;
  std::uint32_t stream = 0;
  std::uint16_t application = 0;
  Dim3 grid;
  Dim3 block;
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
  std::uint64_t started_at = 0;  ///< core cycles since the machine was made; 0 when not timed
  std::uint64_t ended_at = 0;
  std::uint64_t cycles = 0;  ///< core cycles; 0 when not timed
  std::uint64_t timed_blocks =
      0;  ///< all of the grid, none, or some: the instructions are then of all, the rest of these
  /// Timed: what every counter counted meanwhile, added up over instances. When other kernels ran beside this one
  /// (`alone` is false), only the counters that can be told apart by kernel.
  NamedCounters counters;
  bool alone = true;
  double host_began = 0;    ///< seconds on the host since the machine was made
  double host_seconds = 0;  ///< until its end; launches that run side by side share them
};

}  // namespace heddle::runtime
