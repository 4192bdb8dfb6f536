// Every instruction form that real programs use compiles to something the machine executes.
#include <fmt/format.h>

#include <fstream>

#include "compile_text.h"
#include "exec/code.h"

namespace heddle::compile {
namespace {

constexpr std::string_view kHead =
    ".const .align 16 .b8 const_data[64]; .func callee() { ret; }\n"
    ".visible .entry k(.param .align 16 .b8 in[64]) { .reg .b16 h<8>; .reg .b32 r<8>; .reg .b64 d<8>; .reg .f32 f<8>; "
    ".reg .f64 e<8>; .reg .pred p, q, s; .shared .align 16 .b8 shared_data[64]; .local .align 16 .b8 local_data[64]; "
    ".param .align 16 .b8 out[64];\nTABLE: .branchtargets A, END;\n";

std::string kernel_with(const std::string& instruction) {
  return fmt::format("{}{}\nA:\nEND: ret;\n}}", kHead, instruction);
}

TEST(OpcodeForms, EveryFormInTheListCompiles) {
  std::ifstream list(HEDDLE_COMPILE_TESTS "/opcode_forms.txt");
  ASSERT_TRUE(list);
  std::size_t forms = 0;
  for (std::string line; std::getline(list, line); ++forms) {
    Diagnostics diagnostics("form");
    const ptx::Module module = ptx::parse(module_text(kernel_with(line)), diagnostics);
    const Program program = compile(module, {}, diagnostics);
    EXPECT_TRUE(diagnostics.ok()) << line << "\n" << diagnostics.text();
    // Dead code has gone by now: lower alone shows whether the machine has the instruction.
    if (!diagnostics.ok()) continue;
    const LinearCode linear = Lowerer(module, lay_out(module, 0), 1, diagnostics).run();
    for (const isa::Instruction& i : linear.code) {
      EXPECT_NO_THROW(exec::Code({i}, linear.branch_tables)) << line;
    }
  }
  EXPECT_GT(forms, 500u);
}

TEST(OpcodeForms, TensorInstructionsAreRefusedByName) {
  for (const std::string form :
       {"wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {r0, r1, r2, r3, r4, r5, r6, r7}, [d7], r0;",
        "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {r0, r1}, {r2, r3}, {r4}, {r5, r6};",
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {r0}, [shared_data];"}) {
    const Compiled result = compile_module(kernel_with(form));
    ASSERT_EQ(result.diagnostics.count(), 1u) << form << "\n" << result.diagnostics.text();
    const Diagnostic& error = result.diagnostics.errors()[0];
    EXPECT_EQ(error.place, (SourcePlace{5, 1}));
    EXPECT_NE(error.message.find(form.substr(0, form.find(' '))), std::string::npos) << error.message;
    EXPECT_NE(error.message.find("tensor"), std::string::npos) << error.message;
  }
}

}  // namespace
}  // namespace heddle::compile
