// Where a machine instruction comes from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::runtime {

struct LoadedModule;

struct CodePlace {
  std::string module;  ///< as it was loaded
  std::uint32_t ptx_line = 0;
  std::string ptx;          ///< that line, if it is at hand
  std::string source_file;  ///< from .loc; empty: unknown
  std::uint32_t source_line = 0;
  std::string function;     ///< that contains it, as the PTX names it
  std::string instruction;  ///< as the machine has it
  std::string text;         ///< for people: "saxpy.ptx:40 (saxpy.cu:12)"
};

[[nodiscard]] CodePlace place_of(const LoadedModule& module, std::uint32_t pc);
/// Lines without white space at their ends.
[[nodiscard]] std::vector<std::string> split_lines(std::string_view text);

}  // namespace heddle::runtime
