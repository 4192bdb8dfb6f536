// A font as real ones are, made here byte by byte; and what becomes of it in a PDF.
#include "plot/fonts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

#include "base/diagnostics.h"
#include "plot/bar_chart.h"

namespace heddle::plot {
namespace {

using Bytes = std::string;

void add16(Bytes& to, int value) {
  to += static_cast<char>((static_cast<unsigned>(value) >> 8u) & 0xffu);
  to += static_cast<char>(static_cast<unsigned>(value) & 0xffu);
}
void add32(Bytes& to, std::uint32_t value) {
  add16(to, static_cast<int>(value >> 16u));
  add16(to, static_cast<int>(value & 0xffffu));
}
Bytes words(std::initializer_list<int> values) {
  Bytes made;
  for (const int value : values) add16(made, value);
  return made;
}
unsigned word(const Bytes& of, std::size_t at) {
  return static_cast<unsigned>(static_cast<unsigned char>(of[at])) << 8u | static_cast<unsigned char>(of[at + 1]);
}
std::uint32_t twice(const Bytes& of, std::size_t at) { return word(of, at) << 16u | word(of, at + 2); }

/// A shape of one point, with so many bytes of hints.
Bytes simple(int hints) {
  Bytes shape = words({1, 11, -20, 30, 40, 0, hints});
  shape += Bytes(static_cast<std::size_t>(hints), '\x77') + Bytes("\x01\x05\x06\x00", 4);
  return shape;
}

/// Glyphs: 0 the box, 1 'a', 2 'b', 3 unused, 4 an a with a ring, of 1 and 2. Two of the five have widths of their own.
Bytes sample_font(int rights = 0) {
  constexpr int kArguments = 0x0001;
  constexpr int kMore = 0x0020;
  constexpr int kHints = 0x0100;
  const Bytes composite =
      words({-1, 11, 0, 30, 40, kArguments | kMore, 1, 0, 0, kArguments | kHints, 2, 5, 6, 1}) + "hh";
  std::map<std::string, Bytes> tables;
  tables["OS/2"] = words({4, 500, 400, 5, rights});
  tables["cmap"] = words({0, 1, 3, 1, 0, 12}) + words({4, 40, 0, 6, 0, 0, 0}) + words({'b', 0xe5, 0xffff, 0}) +
                   words({'a', 0xe5, 0xffff}) + words({1 - 'a', 4 - 0xe5, 1}) + words({0, 0, 0});
  tables["head"] = Bytes(18, '\1') + words({2000}) + Bytes(16, '\0') + words({-100, -200, 1900, 1800}) +
                   Bytes(6, '\0') + words({0, 0});
  tables["hhea"] = Bytes(4, '\0') + words({1600, -400}) + Bytes(26, '\0') + words({2});
  tables["hmtx"] = words({1000, 1, 1200, 2, 3, 3, 3});
  tables["maxp"] = words({1, 0, 5});
  tables["name"] = words({0, 1, 18, 3, 1, 0x409, 6, 8, 0}) + Bytes("\0T\0e\0-\0x", 8);
  Bytes& places = tables["loca"];
  for (const Bytes& shape : {simple(0), simple(3) + Bytes(1, '\0'), simple(8), simple(2), composite}) {
    add16(places, static_cast<int>(tables["glyf"].size() / 2));
    tables["glyf"] += shape;
    tables["glyf"].resize((tables["glyf"].size() + 1) / 2 * 2);
  }
  add16(places, static_cast<int>(tables["glyf"].size() / 2));
  Bytes file = words({1, 0, static_cast<int>(tables.size()), 0, 0, 0});
  std::size_t at = file.size() + 16 * tables.size();
  for (const auto& [tag, bytes] : tables) {
    file += tag;
    add32(file, 0);
    add32(file, static_cast<std::uint32_t>(at));
    add32(file, static_cast<std::uint32_t>(bytes.size()));
    at += bytes.size();
  }
  for (const auto& [tag, bytes] : tables) file += bytes;
  return file;
}

Bytes table_of(const Bytes& font, const std::string& tag) {
  for (unsigned i = 0; i < word(font, 4); ++i) {
    const std::size_t entry = 12 + std::size_t{16} * i;
    if (font.substr(entry, 4) == tag) return font.substr(twice(font, entry + 8), twice(font, entry + 12));
  }
  return "";
}

/// As the PDF reference (1.7, 7.4.3) says it is read.
Bytes from_ascii85(const std::string& text) {
  Bytes made;
  std::uint32_t value = 0;
  std::size_t digits = 0;
  const auto flush = [&](std::size_t bytes) {
    for (std::size_t k = 0; k < bytes; ++k) made += static_cast<char>((value >> (24u - 8u * k)) & 0xffu);
    value = 0;
    digits = 0;
  };
  for (const char c : text) {
    if (c == '\n') continue;
    if (c == '~') break;
    if (c == 'z') {
      flush(4);
      continue;
    }
    value = value * 85u + static_cast<std::uint32_t>(c - '!');
    if (++digits == 5) flush(4);
  }
  const std::size_t rest = digits;
  for (std::size_t k = rest; rest != 0 && k < 5; ++k) value = value * 85u + 84u;
  if (rest != 0) flush(rest - 1);
  return made;
}

std::string font_complaint(const std::function<void()>& attempt) {
  try {
    attempt();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(Fonts, a_font_says_its_glyphs_widths_and_name) {
  const TrueTypeFont font(sample_font(), "sample");
  EXPECT_EQ(font.glyph('a'), 1);
  EXPECT_EQ(font.glyph('b'), 2);
  EXPECT_EQ(font.glyph('c'), 0);
  EXPECT_EQ(font.glyph(0xe5), 4);
  EXPECT_EQ(font.advance(0), 500);
  EXPECT_EQ(font.advance(1), 600);
  EXPECT_EQ(font.advance(4), 600);  // that of the last with one of its own
  EXPECT_EQ(font.name(), "Te-x");
  EXPECT_EQ(font.measures().bottom, -100);
  EXPECT_EQ(font.measures().ascent, 800);
}

TEST(Fonts, a_subset_has_the_glyphs_and_their_parts_under_the_same_numbers_without_hints) {
  const TrueTypeFont font(sample_font(), "sample");
  const Bytes one = font.subset({1});
  EXPECT_EQ(word(table_of(one, "maxp"), 4), 2u);
  const Bytes made = font.subset({4});
  EXPECT_EQ(word(table_of(made, "maxp"), 4), 5u);
  const Bytes places = table_of(made, "loca");
  const Bytes shapes = table_of(made, "glyf");
  EXPECT_EQ(word(table_of(made, "head"), 50), 1u);
  ASSERT_EQ(places.size(), 24u);
  const auto shape = [&](std::size_t g) {
    return shapes.substr(twice(places, 4 * g), twice(places, 4 * g + 4) - twice(places, 4 * g));
  };
  EXPECT_EQ(shape(1).substr(0, 18), simple(0));
  EXPECT_EQ(shape(2).substr(0, 18), simple(0));
  EXPECT_EQ(shape(3), "");
  EXPECT_EQ(shape(4).substr(0, 26), words({-1, 11, 0, 30, 40, 0x21, 1, 0, 0, 0x01, 2, 5, 6}));
  EXPECT_LE(shape(4).size(), 28u);
  const Bytes widths = table_of(made, "hmtx");
  EXPECT_EQ(word(widths, 4 * 4), 1200u);
  EXPECT_EQ(word(widths, 4 * 4 + 2), 11u);  // where the shape begins
  // The whole file adds up to the number that the format demands.
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < made.size(); i += 4) sum += twice(made, i);
  EXPECT_EQ(sum, 0xb1b0afbau);
}

TEST(Fonts, what_cannot_be_embedded_says_why) {
  const auto said = [](const Bytes& bytes) { return font_complaint([&] { const TrueTypeFont font(bytes, "x.ttf"); }); };
  EXPECT_EQ(said(sample_font()), "");
  EXPECT_EQ(said(sample_font(2)), "x.ttf: this font cannot be embedded: its maker does not allow it");
  EXPECT_EQ(said("OTTO" + Bytes(40, '\0')), "x.ttf: this font cannot be embedded: it is no TrueType font");
  const Bytes whole = sample_font();
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(said(whole.substr(0, size)), "") << "cut off after " << size << " bytes";
}

TEST(Fonts, a_damaged_font_is_refused_or_subset_but_does_no_harm) {
  const Bytes whole = sample_font();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char value : {'\0', '\x7f', '\xff'}) {
      Bytes damaged = whole;
      damaged[at] = value;
      static_cast<void>(font_complaint([&] {
        const TrueTypeFont font(damaged, "x.ttf");
        static_cast<void>(font.subset({0, 1, 2, 3, 4}));
      }));
    }
  }
}

Fonts sample_fonts() {
  const auto font = std::make_shared<const TrueTypeFont>(sample_font(), "sample");
  return {font, font};
}

TEST(Fonts, a_pdf_carries_its_fonts_and_every_object_is_where_the_table_says) {
  Drawing drawing{200, 100, "title", {}};
  drawing.shapes.emplace_back(Text{{10, 20}, "ab\xc3\xa5z", 7, Anchor::start, 0, false});
  drawing.shapes.emplace_back(Text{{10, 40}, "b", 7, Anchor::start, 0, true});
  const Fonts fonts = sample_fonts();
  const std::string pdf = to_pdf(drawing, &fonts);
  EXPECT_EQ(pdf.find("Helvetica"), std::string::npos);
  EXPECT_NE(pdf.find("<0001000200040000> Tj"), std::string::npos);
  // As wide as in Helvetica: 556 + 556 + 556 + 500 where the font has 600 + 600 + 600 + 500.
  EXPECT_NE(pdf.find("/F1 7 Tf 94.3 Tz"), std::string::npos);
  EXPECT_NE(pdf.find("<0004> <00E5>"), std::string::npos);
  EXPECT_NE(pdf.find("/W [0 [500] 1 [600] 2 [600] 4 [600] ]"), std::string::npos);
  EXPECT_NE(pdf.find("+Te-x /Encoding /Identity-H"), std::string::npos);
  const std::size_t table = std::stoul(pdf.substr(pdf.rfind("startxref\n") + 10));
  ASSERT_EQ(pdf.substr(table, 5), "xref\n");
  const unsigned count = static_cast<unsigned>(std::stoul(pdf.substr(table + 7))) - 1;
  EXPECT_EQ(count, 15u);
  std::size_t line = pdf.find("65535 f \n", table) + 9;
  std::size_t files = 0;
  for (unsigned i = 1; i <= count; ++i, line += 20) {
    const std::size_t begin = std::stoul(pdf.substr(line, 10));
    const std::string expected = fmt::format("{} 0 obj\n", i);
    ASSERT_EQ(pdf.substr(begin, expected.size()), expected);
    const std::size_t length_at = pdf.find("/Length1 ", begin);
    if (length_at == std::string::npos || length_at > pdf.find("endobj", begin)) continue;
    ++files;
    const std::size_t length = std::stoul(pdf.substr(length_at + 9));
    const std::size_t stream = pdf.find("stream\n", begin) + 7;
    const std::size_t coded = std::stoul(pdf.substr(pdf.find("/Length ", begin) + 8));
    const Bytes font = from_ascii85(pdf.substr(stream, coded));
    EXPECT_EQ(font.size(), length);
    EXPECT_EQ(word(table_of(font, "maxp"), 4), files == 1 ? 5u : 3u);
    EXPECT_EQ(pdf.substr(stream + coded, 10), "\nendstream");
  }
  EXPECT_EQ(files, 2u);
  for (const char c : pdf) ASSERT_TRUE(c == '\n' || (c >= ' ' && c <= '~'));
}

TEST(Fonts, what_lies_in_the_folder_is_found_liberation_first) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("heddle-fonts-{}", getpid());
  std::filesystem::create_directories(folder);
  setenv("HEDDLE_FONTS", folder.c_str(), 1);
  EXPECT_EQ(font_folders(), std::vector<std::string>{folder.string()});
  EXPECT_EQ(find_fonts(), nullptr);
  const auto put = [&](const char* name, const Bytes& bytes) {
    std::ofstream(folder / name, std::ios::binary) << bytes;
  };
  put("DejaVuSans.ttf", sample_font());
  EXPECT_EQ(find_fonts(), nullptr);  // bold is missing
  put("DejaVuSans-Bold.ttf", sample_font());
  ASSERT_NE(find_fonts(), nullptr);
  EXPECT_EQ(find_fonts()->bold->name(), "Te-x");
  put("LiberationSans-Regular.ttf", "no font");
  put("LiberationSans-Bold.ttf", "no font");
  EXPECT_NE(font_complaint([] { (void)find_fonts(); }).find("LiberationSans-Regular.ttf: this font cannot be embedded"),
            std::string::npos);
  unsetenv("HEDDLE_FONTS");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace heddle::plot
