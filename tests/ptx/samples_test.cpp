// Whole modules as compilers and people write them.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "parse_text.h"

namespace heddle::ptx {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::filesystem::path> samples() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(HEDDLE_TEST_SOURCE_DIR "/ptx/samples"))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// White space collapsed and comments gone, as PTX stands in binaries.
std::string collapsed(const std::string& text) {
  std::string result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t quote = line.find('"');
    const std::size_t comment = line.find("//");
    if (comment != std::string::npos && comment < quote) line.resize(comment);
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first != std::string::npos) result += line.substr(first) + " ";
  }
  return result;
}

TEST(PtxSamples, EverySampleParses) {
  ASSERT_GE(samples().size(), 6u);
  for (const auto& path : samples()) {
    const Parsed parsed = parse_raw(text_of(path));
    EXPECT_TRUE(parsed.diagnostics.ok()) << path << "\n" << parsed.diagnostics.text();
    EXPECT_FALSE(parsed.module.functions.empty()) << path;
  }
}

TEST(PtxSamples, EverySampleMeansTheSameOnOneLine) {
  for (const auto& path : samples()) {
    const Parsed spread = parse_raw(text_of(path));
    const Parsed flat = parse_raw(collapsed(text_of(path)));
    EXPECT_TRUE(flat.diagnostics.ok()) << path << "\n" << flat.diagnostics.text();
    ASSERT_EQ(spread.module.functions.size(), flat.module.functions.size()) << path;
    for (std::size_t i = 0; i < spread.module.functions.size(); ++i) {
      const Function& a = spread.module.functions[i];
      const Function& b = flat.module.functions[i];
      ASSERT_EQ(a.body.size(), b.body.size()) << path << " " << a.name;
      EXPECT_EQ(a.registers.size(), b.registers.size());
      EXPECT_EQ(a.labels.size(), b.labels.size());
      for (std::size_t j = 0; j < a.body.size(); ++j) EXPECT_EQ(a.body[j].mnemonic(), b.body[j].mnemonic());
    }
  }
}

TEST(PtxSamples, LocationsComeWithDebugData) {
  const Parsed parsed = parse_raw(text_of(HEDDLE_TEST_SOURCE_DIR "/ptx/samples/debug.ptx"));
  ASSERT_FALSE(parsed.module.source_files.empty());
  bool has_line = false;
  for (const Instruction& instruction : parsed.module.functions.back().body)
    has_line = has_line || instruction.source_line > 0;
  EXPECT_TRUE(has_line);
}

}  // namespace
}  // namespace heddle::ptx
