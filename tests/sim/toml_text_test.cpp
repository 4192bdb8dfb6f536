#include "base/toml_text.h"

#include <gtest/gtest.h>

namespace heddle::test {
namespace {

TEST(TomlText, TheFirstLineBeyondAsciiIsNamed) {
  EXPECT_FALSE(line_beyond_ascii("a = 1\n").has_value());
  EXPECT_FALSE(line_beyond_ascii("").has_value());
  EXPECT_EQ(line_beyond_ascii("a = 1\n\xc5\x99 = 2\n"), 2u);
  EXPECT_EQ(line_beyond_ascii("# \xc5\x99"), 1u);
}

}  // namespace
}  // namespace heddle::test
