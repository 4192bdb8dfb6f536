// The options of `heddle exec`, which reach libcudart inside the program through the environment.
#pragma once

#include <string>
#include <vector>

#include "session/machine_options.h"
#include "session/phase_options.h"
#include "session/profile.h"
#include "session/recorder.h"

namespace heddle::session {

struct ExecOptions {
  ExecOptions() { machine.gpu = "h200"; }  // programs of today expect a GPU of today
  MachineOptions machine;
  PhaseOptions phases;
  std::vector<std::string> reads;  ///< files that the program reads
  bool quiet = false;              ///< no summary, no progress
  std::int64_t run = 0;            ///< the row of the database that waits for what comes out; 0: a new one
  DatabaseOptions database;
  ProfileOptions profile;
};

/// The variable that carries them: as on a command line, separated by line ends or else by spaces.
inline constexpr const char* kOptionsVariable = "HEDDLE_OPTIONS";

void add_exec_options(CLI::App& command, ExecOptions& options);
/// The options as kOptionsVariable is to hold them.
[[nodiscard]] std::string write_exec_options(const ExecOptions& options);
/// Reads them back. Throws UserError.
[[nodiscard]] ExecOptions read_exec_options(const std::string& text);

}  // namespace heddle::session
