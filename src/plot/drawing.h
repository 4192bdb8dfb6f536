// A drawing for print: rectangles, lines, areas and texts, in points (1/72 inch), y downwards. The same drawing becomes
// SVG and PDF; both are vectors and need no other program. Texts are set in Helvetica, which every PDF reader has, or
// in fonts that the PDF carries along.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace heddle::plot {

struct Fonts;

struct Point {
  double x = 0;
  double y = 0;
};

struct Colour {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
  friend bool operator==(const Colour& a, const Colour& b) = default;
};
inline constexpr Colour kBlack{0, 0, 0};

/// Lines over an area, so that it is told apart without colours.
enum class Hatch : std::uint8_t { none, rising, falling, crossed, level, upright, grid };

struct Rectangle {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
  Colour fill;
  Hatch hatch = Hatch::none;
  std::string tip;  ///< shown when hovered over in SVG
};

struct Line {
  Point from;
  Point to;
  double width = 0.5;
  Colour colour = kBlack;
  bool dashed = false;
};

/// Points joined by lines, or the area inside them.
struct Path {
  std::vector<Point> points;
  Colour colour;
  double width = 1;
  bool filled = false;
};

enum class Anchor : std::uint8_t { start, middle, end };

struct Text {
  Point at;  ///< on the baseline
  std::string text;
  double size = 7;
  Anchor anchor = Anchor::start;
  double turned = 0;  ///< degrees, against the clock
  bool bold = false;
};

struct Drawing {
  double width = 0;
  double height = 0;
  std::string title;
  std::vector<std::variant<Rectangle, Line, Path, Text>> shapes;  ///< later ones lie over earlier ones
};

[[nodiscard]] std::string to_svg(const Drawing& drawing);
/// A file of plain ASCII. With fonts they are in it, reduced to what is used; letters are narrowed or widened so that
/// texts are as wide as they are in Helvetica.
[[nodiscard]] std::string to_pdf(const Drawing& drawing, const Fonts* fonts = nullptr);

/// How wide a text is in Helvetica.
[[nodiscard]] double text_width(std::string_view text, double size);
/// The lines of a rectangle's hatch, cut off at its edges.
[[nodiscard]] std::vector<Line> hatch_lines(const Rectangle& rectangle);

}  // namespace heddle::plot
