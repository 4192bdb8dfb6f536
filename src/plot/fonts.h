// Fonts that a PDF carries along, so that it looks the same everywhere; publishers demand that.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "plot/truetype.h"

namespace heddle::plot {

struct Fonts {
  std::shared_ptr<const TrueTypeFont> plain;
  std::shared_ptr<const TrueTypeFont> bold;
};

/// Where fonts are looked for: $HEDDLE_FONTS if it is set, else the places where systems keep them.
[[nodiscard]] std::vector<std::string> font_folders();
/// Sans serif with bold: Liberation Sans, whose letters are as wide as Helvetica's, else DejaVu Sans. Nothing if
/// neither is there; throws UserError if one is there and cannot be used.
[[nodiscard]] std::shared_ptr<const Fonts> find_fonts();

/// A font as objects of a PDF, of which the first has the number `first`; the first is what text refers to.
class EmbeddedFont {
 public:
  explicit EmbeddedFont(std::shared_ptr<const TrueTypeFont> font) : font_(std::move(font)) {}
  /// A text as its operator takes it, "<0024>"; the glyphs will be in the file. What the font lacks becomes an empty
  /// box.
  std::string text(std::string_view utf8);
  /// How wide a text is.
  [[nodiscard]] double width(std::string_view utf8, double size) const;
  [[nodiscard]] std::vector<std::string> objects(std::size_t first) const;

 private:
  std::shared_ptr<const TrueTypeFont> font_;
  std::map<TrueTypeFont::Glyph, char32_t> used_;
};

}  // namespace heddle::plot
