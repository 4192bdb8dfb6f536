// What can be known of a compiled program without starting it, read from its ELF file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace heddle::fatbin {

struct ElfProgram {
  bool is_elf = false;                 ///< 64-bit little-endian, with sections; otherwise nothing else is known
  bool has_gpu_code = false;           ///< a section with a fat binary
  bool imports_runtime = false;        ///< asks for __cudaRegisterFatBinary from a shared library
  bool has_rpath = false;              ///< DT_RPATH, which comes before LD_LIBRARY_PATH
  std::vector<std::string> libraries;  ///< DT_NEEDED
  /// The sections that hold fat binaries, one after the other; they lie in the file that was read.
  std::vector<std::span<const std::byte>> gpu_sections;
};

/// Never fails: what is damaged is not there.
[[nodiscard]] ElfProgram inspect_program(std::span<const std::byte> file);

/// The GPU code of a program as text.
struct ProgramPtx {
  std::vector<std::string> modules;  ///< of each container, what a GPU of the asked compute capability would take
  std::string machine_code;          ///< "sm_80, sm_90": of containers that have nothing else
};
/// Throws UserError that says what is damaged.
[[nodiscard]] ProgramPtx ptx_of(const ElfProgram& program, unsigned capability);

}  // namespace heddle::fatbin
