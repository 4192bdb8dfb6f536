#include "base/toml.h"

#include <gtest/gtest.h>

namespace heddle::test {
namespace {

TEST(TomlText, TheFirstLineBeyondAsciiIsNamed) {
  EXPECT_FALSE(line_beyond_ascii("a = 1\n").has_value());
  EXPECT_FALSE(line_beyond_ascii("").has_value());
  EXPECT_EQ(line_beyond_ascii("a = 1\n\xc5\x99 = 2\n"), 2u);
  EXPECT_EQ(line_beyond_ascii("# \xc5\x99"), 1u);
}

TEST(TomlText, WrongSyntaxIsReportedWithItsPlace) {
  Diagnostics diagnostics("file.toml");
  EXPECT_FALSE(parse_toml("a = 1\nb = = 2\n", diagnostics).has_value());
  ASSERT_EQ(diagnostics.count(), 1u);
  EXPECT_EQ(diagnostics.errors()[0].place.line, 2u);
}

TEST(TomlText, TextBeyondAsciiIsRefusedBeforeItIsParsed) {
  try {
    (void)parse_toml("a = 1\n# \xc5\x99\n", "file.toml");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_EQ(std::string(error.what()),
              "file.toml:2:1: error: only ASCII is allowed in this file, in comments and strings too");
  }
}

}  // namespace
}  // namespace heddle::test
