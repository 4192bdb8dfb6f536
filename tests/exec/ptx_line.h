// A warp that executes one line of the conformance set's PTX: enough of the language for those lines, and no more.
//
// Registers are found by name; predicates are masks; `rd` and `rs` name one memory cell per lane. Every instruction
// goes through find_alu or apply_atomic, which are what is tested.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "exec/alu.h"

namespace heddle::test {

class PtxWarp {
 public:
  using Row = std::array<std::uint64_t, kWarpSize>;

  /// Declares a register; the bits above its width are filled with noise, which no instruction may look at.
  void declare(const std::string& name, isa::Type type);
  void set(const std::string& name, const Row& values);
  [[nodiscard]] Row get(const std::string& name) const;

  /// Executes the statements of a line. Throws std::runtime_error on what it cannot translate.
  void execute(std::string_view line);

 private:
  struct Variable {
    isa::Type type = isa::Type::b32;
    Row row{};
  };
  void statement(std::string text);
  void run_alu(isa::Instruction instruction, const std::vector<std::string>& operands, LaneMask active);
  void run_memory(const isa::Instruction& instruction, const std::string& name,
                  const std::vector<std::string>& operands, LaneMask active);

  std::map<std::string, Variable> registers_;
  std::map<std::string, LaneMask> predicates_;
  Row memory_{};
};

/// An instruction from its dotted name, e.g. "mad.lo.s32"; operands are left out.
[[nodiscard]] isa::Instruction translate(std::string_view name);
[[nodiscard]] isa::Type type_named(std::string_view name);

}  // namespace heddle::test
