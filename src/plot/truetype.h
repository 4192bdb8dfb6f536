// TrueType fonts, to be put into a PDF: only the glyphs that are used, without their hints.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace heddle::plot {

class TrueTypeFont {
 public:
  using Glyph = std::uint16_t;

  /// `name` is for messages. Throws UserError if the bytes are no such font, or one that may not be embedded.
  TrueTypeFont(std::string bytes, const std::string& name);

  /// 0, the glyph for what a font lacks, if it has none.
  [[nodiscard]] Glyph glyph(char32_t character) const;
  /// In thousandths of the size.
  [[nodiscard]] double advance(Glyph glyph) const;

  /// What a PDF says about a font, in thousandths of the size.
  struct Measures {
    double left = 0;
    double bottom = 0;
    double right = 0;
    double top = 0;
    double ascent = 0;
    double descent = 0;
  };
  [[nodiscard]] Measures measures() const;
  /// As PostScript calls it: "LiberationSans-Bold".
  [[nodiscard]] const std::string& name() const { return name_; }

  /// A font file of these glyphs and those that they are made of, under the numbers that they have here.
  [[nodiscard]] std::string subset(const std::set<Glyph>& glyphs) const;

 private:
  struct Table {
    std::size_t begin = 0;
    std::size_t size = 0;
  };

  [[nodiscard]] std::uint16_t u16(std::size_t at) const;
  [[nodiscard]] std::int16_t i16(std::size_t at) const { return static_cast<std::int16_t>(u16(at)); }
  [[nodiscard]] std::uint32_t u32(std::size_t at) const;
  [[nodiscard]] const Table& table(const char* tag) const;
  [[noreturn]] void refuse(const std::string& why) const;
  [[nodiscard]] std::string_view outline(Glyph glyph) const;
  [[nodiscard]] double thousandths(int units) const { return units * 1000.0 / units_; }
  void read_characters();
  void read_segments(std::size_t begin);
  void read_groups(std::size_t begin);
  void read_name();

  std::string bytes_;
  std::string file_;
  std::string name_;
  std::map<std::string, Table> tables_;
  std::map<char32_t, Glyph> characters_;
  int units_ = 1000;  ///< of the grid that glyphs are drawn on, for the size
  unsigned glyphs_ = 0;
  unsigned widths_ = 0;  ///< glyphs with a width of their own; later ones have that of the last
  bool long_places_ = false;
};

}  // namespace heddle::plot
