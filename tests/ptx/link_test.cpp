#include "ptx/link.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace heddle::ptx {
namespace {

constexpr const char* kHeader = ".version 7.0\n.target sm_75\n.address_size 64\n";

Module parsed(const std::string& text) {
  Diagnostics diagnostics("test");
  Module module = parse(kHeader + text, diagnostics);
  EXPECT_TRUE(diagnostics.ok()) << diagnostics.text();
  return module;
}

Module linked(const std::vector<std::string>& texts, std::string* errors = nullptr) {
  std::vector<Module> modules;
  for (const std::string& text : texts) modules.push_back(parsed(text));
  Diagnostics diagnostics("test");
  Module module = link(std::move(modules), diagnostics);
  if (errors != nullptr) *errors = diagnostics.text();
  EXPECT_TRUE(errors != nullptr || diagnostics.ok()) << diagnostics.text();
  return module;
}

const Function& function(const Module& module, const std::string& name) {
  for (const Function& f : module.functions) {
    if (f.name == name && f.has_body) return f;
  }
  throw std::runtime_error("no function " + name);
}

/// What the first instruction of that kind names.
const Operand& operand(const Function& f, const std::string& opcode, std::size_t index) {
  for (const Instruction& i : f.body) {
    if (i.opcode == opcode) return i.operands.at(index);
  }
  throw std::runtime_error("no " + opcode);
}

constexpr const char* kCaller = R"(
.extern .func (.param .b32 r) twice(.param .b32 x);
.extern .global .u32 total;
.visible .entry kernel() {
  .reg .b32 %r<3>;
  .param .b32 a; .param .b32 b;
  st.param.b32 [a], 5;
  call (b), twice, (a);
  ld.param.b32 %r1, [b];
  st.global.u32 [total], %r1;
  ret;
})";
constexpr const char* kCallee = R"(
.global .u32 own = 7;
.visible .global .u32 total = 3;
.visible .func (.param .b32 r) twice(.param .b32 x) {
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [x];
  ld.global.u32 %r2, [own];
  add.u32 %r1, %r1, %r2;
  st.param.b32 [r], %r1;
  ret;
})";

TEST(Link, MakesACallReachTheFunctionOfAnotherModule) {
  for (const auto& order : {std::vector<std::string>{kCaller, kCallee}, {kCallee, kCaller}}) {
    const Module module = linked(order);
    const Operand& callee = operand(function(module, "kernel"), "call", 1);
    ASSERT_EQ(callee.kind, Operand::Kind::function);
    EXPECT_TRUE(module.functions[callee.index].has_body);
    EXPECT_EQ(module.functions[callee.index].name, "twice");
  }
}

TEST(Link, MakesADeclarationMeanTheVariableThatIsDefined) {
  const Module module = linked({kCaller, kCallee});
  unsigned found = 0;
  for (const Instruction& i : function(module, "kernel").body) {
    if (i.mnemonic() != "st.global.u32") continue;
    EXPECT_EQ(module.variables[i.operands[0].index].initial, (std::vector<std::uint8_t>{3, 0, 0, 0}));
    ++found;
  }
  EXPECT_EQ(found, 1u);
  EXPECT_EQ(std::count_if(module.variables.begin(), module.variables.end(),
                          [](const Variable& v) { return v.name == "total"; }),
            1);
}

TEST(Link, KeepsNamesApartThatAreAModulesOwn) {
  const std::string a =
      ".global .u32 own = 1;\n.visible .entry ka() { .reg .b32 %r<2>; ld.global.u32 %r1, [own]; ret; }";
  const std::string b =
      ".global .u32 own = 2;\n.visible .entry kb() { .reg .b32 %r<2>; ld.global.u32 %r1, [own]; ret; }";
  const Module module = linked({a, b});
  EXPECT_EQ(module.variables[operand(function(module, "ka"), "ld", 1).index].initial.at(0), 1);
  EXPECT_EQ(module.variables[operand(function(module, "kb"), "ld", 1).index].initial.at(0), 2);
}

TEST(Link, TakesOneOfSeveralWeakDefinitions) {
  const std::string weak = ".weak .func helper() { ret; }\n";
  const Module module = linked(
      {weak + ".visible .entry a() { call helper, (); ret; }", weak + ".visible .entry b() { call helper, (); ret; }"});
  EXPECT_EQ(operand(function(module, "a"), "call", 1).index, operand(function(module, "b"), "call", 1).index);
}

TEST(Link, RefusesTwoDefinitionsOfOneName) {
  std::string errors;
  static_cast<void>(linked({".visible .func f() { ret; }", ".visible .func f() { ret; }"}, &errors));
  EXPECT_NE(errors.find("'f' is defined in two modules"), std::string::npos) << errors;
}

}  // namespace
}  // namespace heddle::ptx
