#include "core/opcode_timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

namespace heddle::core {
namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// "FDIV", "RN", "F32".
std::vector<std::string> name_parts(const isa::Instruction& instruction) {
  const std::string text = isa::disassemble(instruction);
  const std::size_t begin = text[0] == '@' ? text.find(' ') + 1 : 0;
  return split(std::string_view(text).substr(begin, text.find(' ', begin) - begin), '.');
}

bool is_opcode(const std::string& name) {
  for (std::size_t op = 0; op < static_cast<std::size_t>(isa::Opcode::count_); ++op) {
    if (split(isa::mnemonic(static_cast<isa::Opcode>(op)), '.')[0] == name) return true;
  }
  return false;
}

}  // namespace

OpcodeTimings::OpcodeTimings(const std::string& text) {
  std::istringstream in(text);
  for (std::string word; in >> word;) (void)add(word);
}

std::string OpcodeTimings::add(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) return fmt::format("'{}' is not NAME=LATENCY/INTERVAL/INSTRUCTIONS", word);
  Entry entry;
  entry.name = split(std::string_view(word).substr(0, equals), '.');
  if (!is_opcode(entry.name[0])) return fmt::format("'{}': there is no such instruction", word);
  for (std::size_t n = 1; n < entry.name.size(); ++n) {
    if (!isa::is_part_of_names(entry.name[n]))
      return fmt::format("'{}': no instruction has '{}' in its name (see: heddle disasm)", word, entry.name[n]);
  }
  const std::vector<std::string> numbers = split(std::string_view(word).substr(equals + 1), '/');
  if (numbers.size() != 3) return fmt::format("'{}' is not NAME=LATENCY/INTERVAL/INSTRUCTIONS", word);
  std::array<std::uint16_t*, 3> to{&entry.cost.latency, &entry.cost.interval, &entry.cost.instructions};
  for (std::size_t n = 0; n < to.size(); ++n) {
    const auto [end, error] = std::from_chars(numbers[n].data(), numbers[n].data() + numbers[n].size(), *to[n]);
    if (error != std::errc() || end != numbers[n].data() + numbers[n].size() || *to[n] == 0 || *to[n] > 1000)
      return fmt::format("'{}': each number must be from 1 to 1000", word);
  }
  entries_.push_back(std::move(entry));
  return "";
}

const OpcodeTimings::Cost* OpcodeTimings::find(const isa::Instruction& instruction) const {
  if (entries_.empty()) return nullptr;
  const std::vector<std::string> parts = name_parts(instruction);
  for (const Entry& entry : entries_) {
    // The parts of the entry's name, in this order, perhaps with others between.
    auto part = entry.name.begin() + 1;
    for (auto has = parts.begin() + 1; has != parts.end() && part != entry.name.end(); ++has) {
      if (*has == *part) ++part;
    }
    const bool fits = entry.name[0] == parts[0] && part == entry.name.end();
    if (fits) return &entry.cost;
  }
  return nullptr;
}

std::string OpcodeTimings::check(const std::string& text) {
  OpcodeTimings timings("");
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    if (std::string wrong = timings.add(word); !wrong.empty()) return wrong;
  }
  return "";
}

std::string OpcodeTimings::check_long_ways(const std::string& text) {
  if (std::string wrong = check(text); !wrong.empty()) return wrong;
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    const std::vector<std::string> name = split(std::string_view(word).substr(0, word.find('=')), '.');
    const auto says = [&](const char* part) { return std::find(name.begin(), name.end(), part) != name.end(); };
    const bool divides = name[0] == "FDIV";
    const bool inverts = (name[0] == "FRCP" || name[0] == "FSQRT") && !says("F64");
    if ((!divides && !inverts) || says("APPROX") || says("FULL"))
      return fmt::format("'{}': only FDIV, FRCP.F32 and FSQRT.F32 that are no approximations have a longer way", word);
  }
  return "";
}

}  // namespace heddle::core
