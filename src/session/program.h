// Compiled programs as runs: what one is called with, and what makes it the same as another.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gpu/parameters.h"
#include "results/record.h"
#include "runtime/phases.h"
#include "session/machine_options.h"

namespace heddle::session {

/// The words of a line as a shell reads them: quotes and backslashes, but nothing is replaced. Throws UserError if a
/// quote is not closed.
[[nodiscard]] std::vector<std::string> split_words(const std::string& line);
/// A line that split_words() makes these of.
[[nodiscard]] std::string join_words(std::span<const std::string> words);

/// What is kept of a run of a program. It is told from others by the bytes of its file, by its arguments and by the
/// bytes of the files `reads`, wherever they lie. Throws UserError if one of those cannot be read. `file` is what is
/// read, `path` how it can be called again; `gpu` is nullptr if nothing is timed.
[[nodiscard]] results::RunDescription describe_program(const std::string& file, const std::string& path,
                                                       std::span<const std::string> arguments,
                                                       const std::vector<std::string>& reads,
                                                       const MachineOptions& machine, const runtime::Phases& phases,
                                                       const gpu::GpuParameters* gpu);

}  // namespace heddle::session
