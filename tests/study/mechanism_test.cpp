// What is built of each paper, as data: complete, and true about files and tests.
#include "study/mechanism.h"
#include "base/files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "base/diagnostics.h"
#include "study/claim.h"
#include "study/toml_reader.h"

namespace heddle::study {
namespace {

namespace fs = std::filesystem;

/// What the catalogues of the papers have of a kind, by paper: tests/study/catalogue.txt.
std::map<std::string, std::set<std::string>> catalogue(const std::string& wanted) {
  std::istringstream lines(
      read_file((fs::path(HEDDLE_EXPERIMENTS).parent_path() / "tests" / "study" / "catalogue.txt").string()));
  std::map<std::string, std::set<std::string>> ids;
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string kind;
    std::string paper;
    std::string id;
    words >> kind >> paper >> id;
    if (kind == wanted) ids[paper].insert(id);
  }
  EXPECT_EQ(ids.size(), 7u);
  return ids;
}

TEST(Claims, that_ship_are_all_of_the_catalogue) {
  for (const auto& [paper, ids] : catalogue("claim")) {
    SCOPED_TRACE(paper);
    std::set<std::string> there;
    for (const auto& [id, claim] : read_claims((fs::path(HEDDLE_EXPERIMENTS) / "claims" / (paper + ".toml")).string()))
      there.insert(id);
    EXPECT_EQ(there, ids);
  }
}

TEST(Mechanisms, that_ship_are_all_of_the_catalogue_and_name_files_and_tests_that_exist) {
  const fs::path root = fs::path(HEDDLE_EXPERIMENTS).parent_path();
  for (const auto& [paper, ids] : catalogue("mechanism")) {
    SCOPED_TRACE(paper);
    const fs::path file = fs::path(HEDDLE_EXPERIMENTS) / "mechanisms" / (paper + ".toml");
    const auto mechanisms = parse_mechanisms(read_file(file.string()), file.string());
    std::set<std::string> there;
    for (const Mechanism& one : mechanisms) there.insert(one.id);
    EXPECT_EQ(there, ids);
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
