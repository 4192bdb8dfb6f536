#include "cli/exec_program.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>

#include "base/files.h"
#include "fatbin/elf_program.h"
#include "session/machine.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

/// lib/heddle beside the folder of this program, or near the Python module that this is part of.
fs::path library_folder() {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  std::vector<fs::path> folders{program.parent_path().parent_path() / "lib/heddle"};
  Dl_info self{};
  if (dladdr(reinterpret_cast<const void*>(&library_folder), &self) != 0 && self.dli_fname != nullptr) {
    const fs::path module = fs::absolute(self.dli_fname, ignored).parent_path();
    folders.push_back(module / "lib");
    for (fs::path above = module; above.has_relative_path(); above = above.parent_path())
      folders.push_back(above / "lib/heddle");
  }
  for (const fs::path& folder : folders) {
    if (fs::exists(folder / "libcudart.so.13", ignored)) return folder;
  }
  throw UserError(
      fmt::format("the CUDA runtime library is missing: {} has no libcudart.so.13", folders.front().string()));
}

bool is_runtime(const std::string& library) { return library.starts_with("libcudart.so"); }

/// A program without kernels registers nothing, though its runtime may be a shared library.
bool has_shared_runtime(const fatbin::ElfProgram& program) {
  return program.imports_runtime || std::any_of(program.libraries.begin(), program.libraries.end(), is_runtime);
}

void check_runtime(const std::string& path, const fatbin::ElfProgram& program) {
  if (program.has_gpu_code && !has_shared_runtime(program)) {
    throw UserError(
        fmt::format("'{}' carries the CUDA runtime inside (nvcc links it statically unless told otherwise), so nothing "
                    "can be put in its place. Link it with the shared runtime: nvcc -cudart shared ..., or in CMake "
                    "set_target_properties(TARGET PROPERTIES CUDA_RUNTIME_LIBRARY Shared)",
                    path));
  }
  for (const std::string& name : program.libraries) {
    constexpr std::array kThere{"libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13"};
    if (!is_runtime(name) || std::find(kThere.begin(), kThere.end(), name) != kThere.end()) continue;
    throw UserError(fmt::format("'{}' needs {}; Heddle stands in for {}", path, name, fmt::join(kThere, ", ")));
  }
}

void check_libraries(const std::string& path, const fatbin::ElfProgram& program) {
  constexpr std::array kLibraries{"libcublas",   "libcufft", "libcurand", "libcusparse", "libcusolver", "libcudnn",
                                  "libcutensor", "libnccl",  "libnpp",    "libnvrtc",    "libnvjpeg"};
  for (const std::string& name : program.libraries) {
    if (name.starts_with("libcuda.so")) {
      throw UserError(
          fmt::format("'{}' calls the CUDA driver ({}), which Heddle has not. Use the runtime's functions (cuda...) in "
                      "the place of the driver's (cu...) and link without -lcuda",
                      path, name));
    }
    if (std::none_of(kLibraries.begin(), kLibraries.end(), [&](const char* known) { return name.starts_with(known); }))
      continue;
    throw UserError(
        fmt::format("'{}' needs {}, which is machine code for NVIDIA's driver and cannot run here. Use code that is "
                    "compiled into the program instead: kernels of your own, or templates such as CUTLASS, CUB and "
                    "Thrust; then link without it",
                    path, name));
  }
}

void check_code(const std::string& path, const fatbin::ElfProgram& program) {
  const fatbin::ProgramPtx code = fatbin::ptx_of(program, ~0u);
  if (!code.modules.empty() || code.machine_code.empty()) return;
  throw UserError(
      fmt::format("'{}' holds machine code alone ({}), which only that hardware runs. Rebuild it with PTX: nvcc "
                  "-arch=compute_75 ..., or in CMake CMAKE_CUDA_ARCHITECTURES=75-virtual",
                  path, code.machine_code));
}

/// What has to come before the program's own folders.
void set_libraries(const fatbin::ElfProgram& program) {
  const fs::path folder = library_folder();
  const char* before = std::getenv("LD_LIBRARY_PATH");
  const std::string path = before == nullptr || *before == '\0' ? folder.string() : folder.string() + ":" + before;
  setenv("LD_LIBRARY_PATH", path.c_str(), 1);
  const auto library = std::find_if(program.libraries.begin(), program.libraries.end(), is_runtime);
  if (!program.has_rpath || library == program.libraries.end()) return;
  const char* preloaded = std::getenv("LD_PRELOAD");
  const std::string list = (folder / *library).string() + (preloaded == nullptr ? "" : fmt::format(":{}", preloaded));
  setenv("LD_PRELOAD", list.c_str(), 1);
}

}  // namespace

std::string find_program(const std::string& name) {
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
    if (access(candidate.c_str(), X_OK) == 0 && !fs::is_directory(candidate, ignored)) return candidate.string();
    begin = end + 1;
  }
  throw UserError(fmt::format("cannot run '{}': it is not in PATH (a program in this folder is ./{})", name, name));
}

void check_program(const std::string& file) {
  const std::string bytes = read_file(file);
  const fatbin::ElfProgram program = fatbin::inspect_program(std::as_bytes(std::span(bytes)));
  check_runtime(file, program);
  check_libraries(file, program);
  check_code(file, program);
}

void start_program(session::ExecOptions options, const std::vector<std::string>& words) {
  const std::string program = find_program(words.front());
  check_program(program);
  const std::string bytes = read_file(program);
  const fatbin::ElfProgram inspected = fatbin::inspect_program(std::as_bytes(std::span(bytes)));
  if (!options.quiet && !has_shared_runtime(inspected))
    fmt::print(stderr, "note: '{}' is not linked with the CUDA runtime: only programs that it starts can use the GPU\n",
               program);
  set_libraries(inspected);
  session::MachineOptions& machine = options.machine;
  if (!machine.statistics.empty()) machine.statistics = fs::absolute(machine.statistics);
  const std::string database = options.database.file();  // the program may change its folder before it uses the GPU
  if (!database.empty() && !options.database.path.empty()) options.database.path = fs::absolute(database);
  for (std::string& file : options.reads) file = fs::absolute(file);
  for (std::string* file : {&machine.gpu, &machine.design}) {
    if (file->find('/') != std::string::npos || file->ends_with(".toml")) *file = fs::absolute(*file);
  }
  setenv("HEDDLE_PRESETS", fs::absolute(session::preset_folder()).c_str(), 1);
  setenv(session::kOptionsVariable, session::write_exec_options(options).c_str(), 1);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execv(program.c_str(), arguments.data());
  throw UserError(fmt::format("cannot run '{}': {}", program, std::strerror(errno)));
}

}  // namespace heddle::cli
