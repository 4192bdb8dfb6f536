// Broken input never breaks the parser: the fuzzer's corpus, and samples with deterministic damage.
//
// A module that parses without errors must also be consistent: every index in range. The work is bounded by a count of
// bytes, so the test takes about two seconds.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "check_module.h"
#include "parse_text.h"

namespace heddle::ptx {
namespace {

std::vector<std::string> inputs() {
  std::vector<std::filesystem::path> paths;
  for (const auto* folder : {"/ptx/samples", "/fuzz/corpus/ptx"}) {
    const std::string path = std::string(HEDDLE_TEST_SOURCE_DIR) + folder;
    if (!std::filesystem::exists(path)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(path)) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    texts.push_back(text.str());
  }
  return texts;
}

void survive(const std::string& text) {
  const Parsed parsed = parse_raw(text);
  if (parsed.diagnostics.ok()) {
    EXPECT_EQ(inconsistency_of(parsed.module), "") << text.substr(0, 2000);
  } else {
    EXPECT_FALSE(parsed.diagnostics.text().empty());
  }
}

constexpr std::size_t kBytesPerKind = 20'000'000;

/// Damages inputs in turn until the budget of bytes is used up.
template <typename Damage>
void damage_all(std::uint32_t seed, Damage&& damage) {
  const std::vector<std::string> texts = inputs();
  ASSERT_FALSE(texts.empty());
  std::mt19937 random(seed);
  std::size_t bytes = 0;
  for (std::size_t i = 0; bytes < kBytesPerKind; ++i) {
    std::string text = texts[i % texts.size()];
    bytes += text.size() + 1000;
    if (text.empty()) continue;
    damage(text, random);
    survive(text);
  }
}

std::size_t place(const std::string& text, std::mt19937& random) { return random() % text.size(); }

TEST(PtxRobustness, TheCorpusIsSurvived) {
  for (const std::string& text : inputs()) survive(text);
}

TEST(PtxRobustness, ChangedBytesAreSurvived) {
  damage_all(1, [](std::string& text, std::mt19937& random) {
    for (int i = 0; i < 4; ++i) text[place(text, random)] = static_cast<char>(random());
  });
}

TEST(PtxRobustness, ChangedPunctuationIsSurvived) {
  damage_all(2, [](std::string& text, std::mt19937& random) {
    constexpr std::string_view kMarks = "{}[](),;:.@!|+-%<>=_$\"/*0123456789 \n";
    for (int i = 0; i < 3; ++i) text[place(text, random)] = kMarks[random() % kMarks.size()];
  });
}

TEST(PtxRobustness, TruncatedTextIsSurvived) {
  damage_all(3, [](std::string& text, std::mt19937& random) { text.resize(place(text, random)); });
}

TEST(PtxRobustness, SwappedAndRepeatedPiecesAreSurvived) {
  damage_all(4, [](std::string& text, std::mt19937& random) {
    // Pieces between spaces are near enough to tokens.
    const auto piece = [&](std::size_t at) {
      const std::size_t begin =
          text.find_last_of(" \t\n", at) == std::string::npos ? 0 : text.find_last_of(" \t\n", at);
      return std::pair(begin, std::min(text.find_first_of(" \t\n", at + 1), text.size()) - begin);
    };
    for (int i = 0; i < 3; ++i) {
      const auto [from, length] = piece(place(text, random));
      const std::string copy = text.substr(from, length);
      const auto [to, replaced] = piece(place(text, random));
      text.replace(to, random() % 2 == 0 ? replaced : 0, copy);
    }
  });
}

}  // namespace
}  // namespace heddle::ptx
