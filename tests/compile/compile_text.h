// Short ways to compile a piece of PTX in a test, whole or up to one pass.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "compile/cfg.h"
#include "compile/passes.h"
#include "compile/program.h"

namespace heddle::compile {

struct Compiled {
  Program program;
  Diagnostics diagnostics{"test.ptx"};

  /// Indices of the instructions with this opcode.
  [[nodiscard]] std::vector<std::uint32_t> all(isa::Opcode op) const {
    std::vector<std::uint32_t> found;
    for (std::uint32_t pc = 0; pc < program.code.size(); ++pc) {
      if (program.code[pc].op == op) found.push_back(pc);
    }
    return found;
  }
  [[nodiscard]] const isa::Instruction& first(isa::Opcode op) const { return program.code.at(all(op).at(0)); }
  /// The first instruction that came from this PTX line.
  [[nodiscard]] std::uint32_t at_line(std::uint32_t line) const {
    for (std::uint32_t pc = 0; pc < program.code.size(); ++pc) {
      if (program.code[pc].line == line) return pc;
    }
    return isa::kNoPc;
  }
  [[nodiscard]] std::string listing() const {
    std::string text;
    for (const isa::Instruction& i : program.code) text += isa::disassemble(i) + "\n";
    return text;
  }
};

/// A module whose header is line 1 and whose `text` begins in line 2.
inline std::string module_text(std::string_view text) {
  return ".version 8.0 .target sm_80 .address_size 64\n" + std::string(text);
}

inline Compiled compile_module(std::string_view text, const CompileOptions& options = {}) {
  Compiled result;
  const ptx::Module module = ptx::parse(module_text(text), result.diagnostics);
  EXPECT_TRUE(result.diagnostics.ok()) << result.diagnostics.text();
  result.program = compile(module, options, result.diagnostics);
  return result;
}

inline Compiled good_module(std::string_view text, const CompileOptions& options = {}) {
  Compiled result = compile_module(text, options);
  EXPECT_TRUE(result.diagnostics.ok()) << result.diagnostics.text();
  return result;
}

// Registers of the bodies below, in line 2; the body begins in line 3.
inline constexpr std::string_view kRegisters =
    ".visible .entry k(.param .u64 in, .param .u32 count) { .reg .b16 h<4>; .reg .b32 %r<100>; .reg .b64 %d<20>; "
    ".reg .f32 %f<20>; .reg .pred %p<20>; .shared .align 8 .b8 shared_data[256];\n";

inline std::string body_text(std::string_view body) { return std::string(kRegisters) + std::string(body) + "\n}"; }

/// Keeps the order of the PTX unless the test is about scheduling.
inline Compiled good_body(std::string_view body, bool schedules = false) {
  CompileOptions options;
  options.schedule = schedules;
  return good_module(body_text(body), options);
}

/// The blocks of the module's first function with a body, as the passes see them at first.
inline MachineFunction blocks_of(std::string_view text) {
  Diagnostics diagnostics("test.ptx");
  const ptx::Module module = ptx::parse(module_text(text), diagnostics);
  const ModuleLayout layout = lay_out(module, 0x100000000);
  for (std::uint32_t f = 0; f < module.functions.size(); ++f) {
    if (!module.functions[f].has_body) continue;
    MachineFunction function = build_blocks(Lowerer(module, layout, f, diagnostics).run());
    EXPECT_TRUE(diagnostics.ok()) << diagnostics.text();
    return function;
  }
  ADD_FAILURE() << "no function in " << text;
  return {};
}

inline MachineFunction body_blocks(std::string_view body) { return blocks_of(body_text(body)); }

}  // namespace heddle::compile
