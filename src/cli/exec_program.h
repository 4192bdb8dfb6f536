// Starting a compiled CUDA program with libcudart in front of NVIDIA's.
#pragma once

#include <string>
#include <vector>

#include "session/exec_options.h"

namespace heddle::cli {

/// The file that a shell would run. Throws UserError.
[[nodiscard]] std::string find_program(const std::string& name);

/// Throws UserError, with what to do about it, if the file is a program that cannot be run here: the CUDA runtime
/// inside, machine code alone, libraries that need NVIDIA's driver.
void check_program(const std::string& file);

/// Puts the program in the place of this process, so that its input, output, signals and exit status are its own.
/// Throws UserError if that cannot be.
[[noreturn]] void start_program(session::ExecOptions options, const std::vector<std::string>& words);

}  // namespace heddle::cli
