// Compiled programs: how they are called, what their kernels are called.
#include <gtest/gtest.h>

#include "base/diagnostics.h"
#include "base/kernel_name.h"
#include "session/program.h"

namespace heddle {
namespace {

using Words = std::vector<std::string>;

TEST(ProgramCalls, AreReadAsAShellReadsThem) {
  EXPECT_EQ(session::split_words("./saxpy 1000  -v"), (Words{"./saxpy", "1000", "-v"}));
  EXPECT_EQ(session::split_words(R"(./a 'one word' "two \"words\"" x\ y "")"),
            (Words{"./a", "one word", "two \"words\"", "x y", ""}));
  EXPECT_THROW((void)session::split_words("./a 'open"), UserError);
}

TEST(ProgramCalls, AreWrittenSoThatTheyCanBeReadAgain) {
  const Words words{"./a", "one word", "", "it's", "a\"b\\c", "--size=5"};
  EXPECT_EQ(session::split_words(session::join_words(words)), words);
  EXPECT_EQ(session::join_words(Words{"1000", "--fast"}), "1000 --fast");
}

TEST(KernelNames, AreThoseOfTheSource) {
  EXPECT_EQ(kernel_name("_Z5scalePfi"), "scale(float*, int)");
  EXPECT_EQ(kernel_name("_Z5scaleIfEvPT_i"), "scale<float>(float*, int)");
  EXPECT_EQ(short_kernel_name("_Z5scaleIfEvPT_i"), "scale<float>");
  EXPECT_EQ(short_kernel_name("_ZN12_GLOBAL__N_14stepEv"), "(anonymous namespace)::step");
  EXPECT_EQ(kernel_name("vector_add"), "vector_add");
  EXPECT_EQ(short_kernel_name("_Znonsense"), "_Znonsense");
}

}  // namespace
}  // namespace heddle
