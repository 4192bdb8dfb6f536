// What is built of each paper, as data: complete, and true about files and tests.
#include "study/mechanism.h"
#include "base/files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "base/diagnostics.h"
#include "study/toml_reader.h"

namespace heddle::study {
namespace {

namespace fs = std::filesystem;

TEST(Mechanisms, that_ship_are_all_of_the_catalogue_and_name_files_and_tests_that_exist) {
  const fs::path root = fs::path(HEDDLE_EXPERIMENTS).parent_path();
  // How many the catalogue of each paper has.
  const std::map<std::string, std::size_t> papers{{"mask", 51},    {"pichai", 61},    {"power", 37},
                                                  {"regless", 66}, {"scavenger", 44}, {"virtual-caching", 52},
                                                  {"warppool", 35}};
  for (const auto& [paper, count] : papers) {
    SCOPED_TRACE(paper);
    const fs::path file = fs::path(HEDDLE_EXPERIMENTS) / "mechanisms" / (paper + ".toml");
    const auto mechanisms = parse_mechanisms(read_file(file.string()), file.string());
    EXPECT_EQ(mechanisms.size(), count);
    for (const Mechanism& one : mechanisms) {
      if (one.state == BuildState::not_built) continue;
      EXPECT_TRUE(fs::exists(root / one.source)) << one.id << ": " << one.source;
      EXPECT_TRUE(fs::exists(root / one.test)) << one.id << ": " << one.test;
      EXPECT_TRUE(one.test.starts_with("tests/")) << one.id;
    }
  }
}

TEST(Mechanisms, need_a_source_and_a_test_or_a_reason) {
  const auto complaint = [](const std::string& entry) -> std::string {
    try {
      (void)parse_mechanisms("paper = 'p'\n[[mechanism]]\nid = 'a'\nsays = 's'\n" + entry, "p.toml");
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(complaint("state = 'built'\nsource = 'a'\ntest = 'b'"), "");
  EXPECT_EQ(complaint("state = 'not built'\nreason = 'r'"), "");
  EXPECT_NE(
      complaint("state = 'built'\nsource = 'a'").find("p.toml:3:6: error: mechanism.id: what is built names the test"),
      std::string::npos);
  EXPECT_NE(complaint("state = 'partly'\nsource = 'a'\ntest = 'b'").find("says the reason"), std::string::npos);
  EXPECT_NE(complaint("state = 'done'").find("must be \"built\", \"partly\" or \"not built\""), std::string::npos);
  EXPECT_NE(complaint("state = 'not built'\nreason = 'r'\n[[mechanism]]\nid = 'a'\nsays = 's'\nstate = 'not built'\n"
                      "reason = 'r'")
                .find("'a' is there twice"),
            std::string::npos);
}

}  // namespace
}  // namespace heddle::study
