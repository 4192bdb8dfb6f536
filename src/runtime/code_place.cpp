#include "runtime/code_place.h"

#include <algorithm>
#include <filesystem>

#include "runtime/loaded_module.h"

namespace heddle::runtime {

CodePlace place_of(const LoadedModule& module, std::uint32_t pc) {
  CodePlace place;
  const isa::Instruction& instruction = module.program.code.at(pc);
  place.module = module.program.name;
  place.ptx_line = instruction.line;
  if (instruction.line != 0 && instruction.line <= module.text.size()) place.ptx = module.text[instruction.line - 1];
  if (instruction.source_line != 0 && instruction.source_file < module.program.source_files.size()) {
    const std::filesystem::path file(module.program.source_files[instruction.source_file]);
    place.source_file = file.lexically_normal().string();
    place.source_line = instruction.source_line;
  }
  if (const compile::CodeRange* function = module.program.function_at(pc)) place.function = function->name;
  place.instruction = isa::disassemble(instruction);
  place.text = module.program.place(pc);
  return place;
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    constexpr std::string_view kWhite = " \t\r";
    const std::size_t first = line.find_first_not_of(kWhite);
    line = first == std::string_view::npos ? "" : line.substr(first, line.find_last_not_of(kWhite) - first + 1);
    std::string& added = lines.emplace_back(line);
    std::replace(added.begin(), added.end(), '\t', ' ');
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace heddle::runtime
