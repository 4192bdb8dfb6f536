// What `heddle exec` wants to know about a program before it starts it, read from its ELF file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace heddle::cli {

struct ElfProgram {
  bool is_elf = false;                 ///< 64-bit little-endian, with sections; otherwise nothing else is known
  bool has_gpu_code = false;           ///< a section with a fat binary
  bool imports_runtime = false;        ///< asks for __cudaRegisterFatBinary from a shared library
  bool has_rpath = false;              ///< DT_RPATH, which comes before LD_LIBRARY_PATH
  std::vector<std::string> libraries;  ///< DT_NEEDED
};

/// Never fails: what is damaged is not there.
[[nodiscard]] ElfProgram inspect_program(std::span<const std::byte> file);

}  // namespace heddle::cli
