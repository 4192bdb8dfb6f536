#include "plot/fonts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "base/files.h"

namespace heddle::plot {
namespace {

/// The characters of a text; what is no UTF-8 is left out.
std::u32string characters_of(std::string_view utf8) {
  std::u32string all;
  for (std::size_t i = 0; i < utf8.size();) {
    const auto first = static_cast<unsigned char>(utf8[i++]);
    const unsigned more = first < 0x80u ? 0 : (first & 0xe0u) == 0xc0u ? 1 : (first & 0xf0u) == 0xe0u ? 2 : 3;
    if ((first & 0xc0u) == 0x80u || first >= 0xf8u || i + more > utf8.size()) continue;
    char32_t character = more == 0 ? first : first & (0x3fu >> more);
    for (unsigned k = 0; k < more; ++k) character = character << 6u | (static_cast<unsigned char>(utf8[i++]) & 0x3fu);
    all += character;
  }
  return all;
}

/// In two bytes, or in four as two surrogates.
std::string in_utf16(char32_t character) {
  if (character < 0x10000) return fmt::format("{:04X}", static_cast<std::uint32_t>(character));
  const auto rest = static_cast<std::uint32_t>(character) - 0x10000u;
  return fmt::format("{:04X}{:04X}", 0xd800u + (rest >> 10u), 0xdc00u + (rest & 0x3ffu));
}

/// Six letters that tell subsets of a font apart, as PDF wants them.
std::string tag_of(const std::map<TrueTypeFont::Glyph, char32_t>& used) {
  std::uint64_t sum = 0;
  for (const auto& [glyph, character] : used) sum = sum * 65599u + glyph;
  std::string tag;
  for (int i = 0; i < 6; ++i, sum /= 26u) tag += static_cast<char>('A' + static_cast<char>(sum % 26u));
  return tag;
}

/// Four bytes as five characters, so that the file stays plain text and fits into a report.
std::string in_ascii85(std::string_view bytes) {
  constexpr std::size_t kGroup = 4;
  constexpr std::size_t kGroupsInLine = 15;
  std::string made;
  for (std::size_t i = 0; i < bytes.size(); i += kGroup) {
    const std::size_t count = std::min(kGroup, bytes.size() - i);
    std::uint32_t value = 0;
    for (std::size_t k = 0; k < kGroup; ++k)
      value = value << 8u | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    if (value == 0 && count == kGroup) {
      made += 'z';
    } else {
      std::string digits(kGroup + 1, '!');
      for (std::size_t d = digits.size(); d-- > 0; value /= 85u) digits[d] = static_cast<char>('!' + value % 85u);
      made += digits.substr(0, count + 1);
    }
    if ((i / kGroup + 1) % kGroupsInLine == 0) made += '\n';
  }
  return made + "~>";
}

std::string stream(const std::string& bytes, const std::string& entries = "") {
  return fmt::format("<< /Length {}{} >>\nstream\n{}\nendstream", bytes.size(), entries, bytes);
}

/// Which character each glyph is, so that text can be searched and copied.
std::string unicode_map(const std::map<TrueTypeFont::Glyph, char32_t>& used) {
  std::string map =
      "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n"
      "/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n"
      "/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n";
  constexpr std::size_t kMost = 100;  // in one list
  std::size_t left = used.size();
  std::size_t room = 0;
  for (const auto& [glyph, character] : used) {
    if (room == 0) {
      room = std::min(kMost, left);
      map += fmt::format("{} beginbfchar\n", room);
    }
    map += fmt::format("<{:04X}> <{}>\n", glyph, in_utf16(character));
    --left;
    if (--room == 0) map += "endbfchar\n";
  }
  return map + "endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend";
}

}  // namespace

std::vector<std::string> font_folders() {
  if (const char* chosen = std::getenv("HEDDLE_FONTS"); chosen != nullptr && *chosen != '\0') return {chosen};
  return {"/usr/share/fonts/truetype/liberation",
          "/usr/share/fonts/truetype/liberation2",
          "/usr/share/fonts/liberation-sans",
          "/usr/share/fonts/liberation",
          "/usr/share/fonts/truetype/dejavu",
          "/usr/share/fonts/dejavu-sans-fonts",
          "/usr/share/fonts/dejavu",
          "/usr/share/fonts/TTF"};
}

std::shared_ptr<const Fonts> find_fonts() {
  constexpr std::array<std::array<const char*, 2>, 2> kFamilies{
      {{"LiberationSans-Regular.ttf", "LiberationSans-Bold.ttf"}, {"DejaVuSans.ttf", "DejaVuSans-Bold.ttf"}}};
  for (const auto& family : kFamilies) {
    for (const std::string& folder : font_folders()) {
      const auto path = [&](const char* name) { return (std::filesystem::path(folder) / name).string(); };
      std::error_code unknown;
      if (!std::filesystem::exists(path(family[0]), unknown) || !std::filesystem::exists(path(family[1]), unknown))
        continue;
      const auto read = [&](const char* name) {
        return std::make_shared<const TrueTypeFont>(read_file(path(name)), path(name));
      };
      return std::make_shared<const Fonts>(Fonts{read(family[0]), read(family[1])});
    }
  }
  return nullptr;
}

std::string EmbeddedFont::text(std::string_view utf8) {
  std::string made = "<";
  for (const char32_t character : characters_of(utf8)) {
    const TrueTypeFont::Glyph glyph = font_->glyph(character);
    used_.emplace(glyph, glyph == 0 ? U'\ufffd' : character);
    made += fmt::format("{:04X}", glyph);
  }
  return made + ">";
}

double EmbeddedFont::width(std::string_view utf8, double size) const {
  double sum = 0;
  for (const char32_t character : characters_of(utf8)) sum += font_->advance(font_->glyph(character));
  return sum * size / 1000;
}

std::vector<std::string> EmbeddedFont::objects(std::size_t first) const {
  const std::string name = fmt::format("{}+{}", tag_of(used_), font_->name());
  std::set<TrueTypeFont::Glyph> glyphs;
  std::string widths;
  for (const auto& [glyph, character] : used_) {
    glyphs.insert(glyph);
    widths += fmt::format("{} [{:.0f}] ", glyph, font_->advance(glyph));
  }
  const TrueTypeFont::Measures m = font_->measures();
  const std::string file = font_->subset(glyphs);
  constexpr int kSymbolic = 4;  // its characters are its own
  constexpr int kUsualStem = 80;
  return {
      fmt::format("<< /Type /Font /Subtype /Type0 /BaseFont /{} /Encoding /Identity-H /DescendantFonts [{} 0 R] "
                  "/ToUnicode {} 0 R >>",
                  name, first + 1, first + 4),
      fmt::format("<< /Type /Font /Subtype /CIDFontType2 /BaseFont /{} /CIDSystemInfo << /Registry (Adobe) /Ordering "
                  "(Identity) /Supplement 0 >> /FontDescriptor {} 0 R /CIDToGIDMap /Identity /DW 0 /W [{}] >>",
                  name, first + 2, widths),
      fmt::format("<< /Type /FontDescriptor /FontName /{} /Flags {} /FontBBox [{:.0f} {:.0f} {:.0f} {:.0f}] "
                  "/ItalicAngle 0 /Ascent {:.0f} /Descent {:.0f} /CapHeight {:.0f} /StemV {} /FontFile2 {} 0 R >>",
                  name, kSymbolic, m.left, m.bottom, m.right, m.top, m.ascent, m.descent, m.ascent, kUsualStem,
                  first + 3),
      stream(in_ascii85(file), fmt::format(" /Filter /ASCII85Decode /Length1 {}", file.size())),
      stream(unicode_map(used_)),
  };
}

}  // namespace heddle::plot
