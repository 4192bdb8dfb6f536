#include "cli/characteristics.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "base/toml.h"
#include "cli/commands.h"
#include "session/machine.h"

namespace heddle::cli {
namespace {

/// Calls f(key, member) for every figure: one list for reading and writing.
template <typename T, typename F>
void for_each_figure(T& c, F&& f) {
  f("elements", c.elements);
  f("footprint_bytes", c.footprint_bytes);
  f("launches", c.launches);
  f("warp_instructions", c.warp_instructions);
  f("cycles", c.cycles);
  f("memory_share", c.memory_share);
  f("lines_per_access", c.lines_per_access);
  f("pages_per_access", c.pages_per_access);
  f("l1_tlb_miss_rate", c.l1_tlb_miss_rate);
  f("l2_tlb_miss_rate", c.l2_tlb_miss_rate);
  f("memory_stall_share", c.memory_stall_share);
}

[[noreturn]] void complain(const std::string& file, const toml::node& at, const std::string& what) {
  throw UserError(fmt::format("{}:{}: {}", file, at.source().begin.line, what));
}

Characteristics read_run(const std::string& file, const toml::table& run) {
  Characteristics c;
  for_each_figure(c, [&](const char* key, auto& value) {
    using T = std::remove_reference_t<decltype(value)>;
    const toml::node* node = run.get(key);
    if (node == nullptr) complain(file, run, fmt::format("'{}' is missing", key));
    if constexpr (std::is_same_v<T, double>) {
      const auto number = node->value<double>();
      if (!number) complain(file, *node, fmt::format("'{}' must be a number", key));
      value = *number;
    } else {
      const auto number = node->value<std::int64_t>();
      if (!number || *number < 0) complain(file, *node, fmt::format("'{}' must be a whole number from 0", key));
      value = static_cast<T>(*number);
    }
  });
  return c;
}

}  // namespace

double Characteristics::translations_per_cycle() const {
  const double misses = l1_tlb_miss_rate * pages_per_access * memory_share * static_cast<double>(warp_instructions);
  return cycles == 0 ? 0.0 : misses / static_cast<double>(cycles);
}

bool Characteristics::has(workloads::Trait trait) const {
  using workloads::Trait;
  const bool translates = translations_per_cycle() >= kHighTranslationRate;
  switch (trait) {
    case Trait::kL1TlbLow:
      return l1_tlb_miss_rate < kHighMissRate;
    case Trait::kL1TlbHigh:
      return l1_tlb_miss_rate >= kHighMissRate;
    case Trait::kL2TlbLow:
      return l2_tlb_miss_rate < kHighMissRate;
    case Trait::kL2TlbHigh:
      return l2_tlb_miss_rate >= kHighMissRate;
    case Trait::kMemoryBound:
      return memory_stall_share >= 0.5;
    case Trait::kComputeBound:
      return memory_stall_share < 0.5;
    case Trait::kTranslationLow:
      return !translates;
    case Trait::kTranslationHigh:
      return translates;
    case Trait::kDivergent:
      return lines_per_access >= kDivergentLines;
    case Trait::kCoalesced:
      return lines_per_access < kDivergentLines;
  }
  return false;
}

std::string characteristics_file() {
  return (std::filesystem::path(session::preset_folder()) / "workloads" / "characteristics.toml").string();
}

MeasuredSuite read_characteristics(const std::string& file) {
  MeasuredSuite suite;
  if (std::error_code ignored; !std::filesystem::exists(file, ignored)) return suite;
  const toml::table root = parse_toml(read_file(file), file);
  suite.gpu = root["gpu"].value_or(std::string());
  for (const auto& [name, sizes] : root) {
    if (!sizes.is_table()) continue;
    for (const auto& [size, run] : *sizes.as_table()) {
      if (!run.is_table()) complain(file, run, fmt::format("'{}' must be a table", size.str()));
      suite.table[std::string(name.str())][std::string(size.str())] = read_run(file, *run.as_table());
    }
  }
  return suite;
}

void write_characteristics(const MeasuredSuite& suite, const std::string& file) {
  std::filesystem::create_directories(std::filesystem::path(file).parent_path());
  std::ofstream out(file);
  out << "# Measured by `heddle characterise`; do not edit.\n" << fmt::format("gpu = \"{}\"\n", suite.gpu);
  for (const auto& [name, sizes] : suite.table) {
    for (const auto& [size, run] : sizes) {
      out << fmt::format("\n[\"{}\".{}]\n", name, size);
      for_each_figure(run, [&](const char* key, const auto& value) {
        using T = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_same_v<T, double>) {
          out << fmt::format("{} = {:.4f}\n", key, value);
        } else {
          out << fmt::format("{} = {}\n", key, value);
        }
      });
    }
  }
  out.close();
  if (!out) throw UserError(fmt::format("cannot write '{}': {}", file, std::strerror(errno)));
}

}  // namespace heddle::cli
