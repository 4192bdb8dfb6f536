// A run as it is kept: what was asked for, what came out.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/named_counters.h"

namespace heddle::results {

/// What was asked for. Everything that can change the outcome is part of the identity; names are not: two GPUs with
/// the same effective configuration are the same machine.
struct RunDescription {
  std::string workload;
  std::string size;            ///< as the user wrote it
  std::uint64_t elements = 0;  ///< what that meant
  std::uint64_t seed = 0;
  std::string mode;                ///< "timed" or "functional"
  std::string program;             ///< what the GPU runs, e.g. the PTX; only its hash is kept
  std::string path;                ///< where a compiled program lies; empty: a workload. No part of the identity
  std::vector<std::string> reads;  ///< files that such a program reads: their bytes are part of `program`
  std::string gpu;
  std::string design;
  std::string phases;                                ///< which part was timed and counted; empty: all
  std::vector<std::string> changes;                  ///< as given to --set
  std::map<std::string, std::string> configuration;  ///< every parameter by path: the effective machine
  std::string version;                               ///< of the simulator
  unsigned threads = 1;                              ///< of the host; does not change the outcome
};

/// 32 hexadecimal digits over all that can change the outcome.
[[nodiscard]] std::string identity(const RunDescription& run);
/// 32 hexadecimal digits over a text.
[[nodiscard]] std::string hash(std::string_view text);

enum class Status : std::uint8_t {
  running,
  passed,       ///< ended, and the result was right
  wrong,        ///< ended, and the result was not
  error,        ///< the simulated program or the machine failed
  interrupted,  ///< stopped by the user
  killed,       ///< the simulator ended without saying why
};
[[nodiscard]] std::string_view to_string(Status status);

struct KernelRecord {
  std::string name;
  std::string application;
  std::uint64_t stream = 0;
  std::string grid;   ///< "8x1x1"
  std::string block;  ///< likewise
  std::uint64_t cycles = 0;
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
  double host_seconds = 0;
  NamedCounters counters;
};

/// A counter over time: how much it grew in each interval. `ends` are the cycles at which the intervals end.
struct SeriesRecord {
  std::string counter;
  std::vector<std::uint64_t> ends;
  std::vector<std::uint64_t> growth;
};

/// What a line of the program cost: a row of a run's profile (docs/line-profile.md).
struct LineRecord {
  std::string kernel;
  std::string file;  ///< empty: the whole kernel, or, without a kernel, no instruction
  std::uint32_t line = 0;
  std::string text;                             ///< that line
  std::map<std::string, std::uint64_t> counts;  ///< issue slots by reason, accesses, hits, ...

  /// "bfs.cu:34".
  [[nodiscard]] std::string place() const;
};

/// A fault of the program that a check found.
struct FindingRecord {
  std::string kind;    ///< "use after free"
  std::string kernel;  ///< as people write it
  std::string place;   ///< line of the PTX and of the source
  std::string text;    ///< all of it, in several lines
  std::uint64_t times = 1;
};

/// What one of several applications that shared a GPU did.
struct ApplicationRecord {
  std::string name;
  Status status = Status::running;
  std::string detail;
  std::uint64_t cycles = 0;  ///< until its last kernel ended; 0 when not timed
  /// Those that the machine counts apart for each application, under the names they have for all together.
  std::map<std::string, std::uint64_t> counters;
};

struct RunOutcome {
  Status status = Status::running;
  std::string detail;  ///< one sentence
  double host_seconds = 0;
  std::vector<KernelRecord> kernels;
  std::vector<ApplicationRecord> applications;  ///< empty if one ran alone
  std::map<std::string, double> statistics;     ///< totals over the run
  std::vector<SeriesRecord> series;
  std::vector<LineRecord> lines;        ///< the profile, dearest first; empty if there is none
  std::vector<FindingRecord> findings;  ///< of checks of the program
};

/// What the launches of a run come to, all together.
struct RunTotals {
  std::int64_t launches = 0;  ///< those that ended
  std::int64_t cycles = 0;    ///< 0: not timed
  std::int64_t warp_instructions = 0;
  std::int64_t thread_instructions = 0;
};
/// A timed run that was stopped counts what its last launches had done until then.
[[nodiscard]] RunTotals totals_of(const RunOutcome& outcome);

}  // namespace heddle::results
