// Short ways to parse a piece of PTX in a test.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "ptx/module.h"

namespace heddle::ptx {

struct Parsed {
  Module module;
  Diagnostics diagnostics{"test"};

  [[nodiscard]] const Function& function(std::size_t index = 0) const { return module.functions.at(index); }
  [[nodiscard]] const Instruction& instruction(std::size_t index = 0) const { return function().body.at(index); }
  [[nodiscard]] const Operand& operand(std::size_t index) const { return instruction().operands.at(index); }
  [[nodiscard]] std::string first_error() const {
    return diagnostics.errors().empty() ? std::string() : diagnostics.errors().front().message;
  }
};

inline Parsed parse_raw(std::string_view text) {
  Parsed result;
  result.module = parse(text, result.diagnostics);
  return result;
}

/// A module whose header is line 1 and whose `text` begins in line 2.
inline Parsed parse_module(std::string_view text) {
  return parse_raw(".version 8.0 .target sm_80 .address_size 64\n" + std::string(text));
}

inline Parsed good_module(std::string_view text) {
  Parsed result = parse_module(text);
  EXPECT_TRUE(result.diagnostics.ok()) << result.diagnostics.text() << text;
  return result;
}

// Registers for the bodies below, in line 2; the body begins in line 3.
inline constexpr std::string_view kRegisters =
    ".global .u32 table[8]; .global .texref picture; .entry kernel(.param .u64 input) { .reg .b32 a, b, c, %r<10>; "
    ".reg .b64 d; .reg .f32 f, g; .reg .pred p, q; .reg .v4 .f32 v;\n";

inline Parsed parse_body(std::string_view body) {
  return parse_module(std::string(kRegisters) + std::string(body) + "\n}");
}

inline Parsed good_body(std::string_view body) {
  Parsed result = parse_body(body);
  EXPECT_TRUE(result.diagnostics.ok()) << result.diagnostics.text() << body;
  return result;
}

/// The one error of a body: its place and that its message contains `part`.
inline void expect_error(const Parsed& parsed, SourcePlace place, std::string_view part) {
  ASSERT_EQ(parsed.diagnostics.count(), 1u) << parsed.diagnostics.text();
  const Diagnostic& error = parsed.diagnostics.errors().front();
  EXPECT_EQ(error.place, place) << parsed.diagnostics.text();
  EXPECT_NE(error.message.find(part), std::string::npos) << error.message;
}

}  // namespace heddle::ptx
