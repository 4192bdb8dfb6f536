// heddle exec: runs a compiled CUDA program with libcudart in front of NVIDIA's.
//
// The program is started in place of this process, so that its input, output, signals and exit status are its own.
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "base/files.h"
#include "cli/commands.h"
#include "cli/elf_program.h"
#include "session/exec_options.h"
#include "session/machine.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

/// lib/heddle beside the folder of this program.
fs::path library_folder() {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  fs::path folder = program.parent_path().parent_path() / "lib/heddle";
  if (!fs::exists(folder / "libcudart.so.13", ignored))
    throw UserError(fmt::format("the CUDA runtime library is missing: {} has no libcudart.so.13", folder.string()));
  return folder;
}

/// The file that a shell would run.
fs::path find_program(const std::string& name) {
  std::error_code ignored;
  if (name.find('/') != std::string::npos) {
    if (!fs::exists(name, ignored)) throw UserError(fmt::format("cannot run '{}': there is no such file", name));
    return name;
  }
  const char* path = std::getenv("PATH");
  const std::string folders = path == nullptr ? "/usr/bin:/bin" : path;
  for (std::size_t begin = 0; begin <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    fs::path candidate = fs::path(folders.substr(begin, end - begin)) / name;
    if (access(candidate.c_str(), X_OK) == 0 && !fs::is_directory(candidate, ignored)) return candidate;
    begin = end + 1;
  }
  throw UserError(fmt::format("cannot run '{}': it is not in PATH (a program in this folder is ./{})", name, name));
}

void check_program(const fs::path& path, bool& has_rpath, std::string& library) {
  const std::string file = read_file(path.string());
  const ElfProgram program = inspect_program(std::as_bytes(std::span(file)));
  has_rpath = program.has_rpath;
  // A program without kernels registers nothing, though its runtime may be a shared library.
  const bool shared_runtime =
      program.imports_runtime || std::any_of(program.libraries.begin(), program.libraries.end(),
                                             [](const auto& name) { return name.starts_with("libcudart.so"); });
  if (program.has_gpu_code && !shared_runtime) {
    throw UserError(
        fmt::format("'{}' carries the CUDA runtime inside (nvcc links it statically unless told otherwise), so nothing "
                    "can be put in its place. Link it with the shared runtime: nvcc -cudart shared ..., or in CMake "
                    "set_target_properties(TARGET PROPERTIES CUDA_RUNTIME_LIBRARY Shared)",
                    path.string()));
  }
  for (const std::string& name : program.libraries) {
    if (!name.starts_with("libcudart.so.")) continue;
    if (name != "libcudart.so.11.0" && name != "libcudart.so.12" && name != "libcudart.so.13")
      throw UserError(
          fmt::format("'{}' needs {}; Heddle stands in for libcudart.so.11.0, libcudart.so.12 and "
                      "libcudart.so.13",
                      path.string(), name));
    library = name;
  }
}

int execute(session::ExecOptions options, const std::vector<std::string>& words) {
  if (words.empty()) throw UserError("heddle exec: no program; heddle exec [options] -- ./program arguments");
  static_cast<void>(load_machine(options.machine));  // a mistake in it is told before the program starts
  const fs::path program = find_program(words.front());
  bool has_rpath = false;
  std::string library;
  check_program(program, has_rpath, library);
  const fs::path folder = library_folder();
  if (!options.machine.statistics.empty()) options.machine.statistics = fs::absolute(options.machine.statistics);
  for (std::string* file : {&options.machine.gpu, &options.machine.design}) {
    if (file->find('/') != std::string::npos || file->ends_with(".toml")) *file = fs::absolute(*file);
  }
  const char* before = std::getenv("LD_LIBRARY_PATH");
  const std::string path = before == nullptr || *before == '\0' ? folder.string() : folder.string() + ":" + before;
  setenv("LD_LIBRARY_PATH", path.c_str(), 1);
  if (has_rpath && !library.empty()) {
    const char* preloaded = std::getenv("LD_PRELOAD");
    const std::string list = (folder / library).string() + (preloaded == nullptr ? "" : fmt::format(":{}", preloaded));
    setenv("LD_PRELOAD", list.c_str(), 1);
  }
  setenv("HEDDLE_PRESETS", fs::absolute(preset_folder()).c_str(), 1);
  setenv(session::kOptionsVariable, session::write_exec_options(options).c_str(), 1);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execv(program.c_str(), arguments.data());
  throw UserError(fmt::format("cannot run '{}': {}", program.string(), std::strerror(errno)));
}

}  // namespace

void add_exec(CLI::App& app, Action& action) {
  auto options = std::make_shared<session::ExecOptions>();
  CLI::App* command =
      app.add_subcommand("exec", "Run a compiled CUDA program: heddle exec [options] -- ./program arguments");
  session::add_exec_options(*command, *options);
  auto words = std::make_shared<std::vector<std::string>>();
  command->add_option("program", *words, "The program and its arguments, after --");
  command->callback([options, words, &action] { action = [options, words] { return execute(*options, *words); }; });
}

}  // namespace heddle::cli
