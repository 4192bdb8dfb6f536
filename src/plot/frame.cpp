#include "plot/frame.h"

#include <algorithm>
#include <array>
#include <sstream>

namespace heddle::plot {
namespace {

/// Okabe and Ito, "Color Universal Design" (2008), without black, which bars do not take well, and with grey.
constexpr std::array<Colour, 8> kColours{{{0x00, 0x72, 0xb2},
                                          {0xe6, 0x9f, 0x00},
                                          {0x00, 0x9e, 0x73},
                                          {0xcc, 0x79, 0xa7},
                                          {0x56, 0xb4, 0xe9},
                                          {0xd5, 0x5e, 0x00},
                                          {0xf0, 0xe4, 0x42},
                                          {0xbb, 0xbb, 0xbb}}};
constexpr std::array<Hatch, 7> kHatches{Hatch::none,  Hatch::rising,  Hatch::falling, Hatch::crossed,
                                        Hatch::level, Hatch::upright, Hatch::grid};
constexpr Colour kGridColour{0xdd, 0xdd, 0xdd};
constexpr double kSwatch = 8;

}  // namespace

Colour colour_of(std::size_t variant) { return kColours.at(variant % kColours.size()); }
Hatch hatch_of(std::size_t variant) { return kHatches.at(variant % kHatches.size()); }

std::vector<std::string> in_lines(const std::string& text, double size, double width) {
  std::vector<std::string> lines;
  std::istringstream words(text);
  std::string word;
  while (words >> word) {
    if (!lines.empty() && text_width(lines.back() + " " + word, size) <= width) {
      lines.back() += " " + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

double axis_place(const Scale& scale, std::size_t title_lines, double font) {
  double ticks = 0;
  for (const double tick : scale.ticks()) ticks = std::max(ticks, text_width(scale.text_of(tick), font));
  return kEdge + static_cast<double>(title_lines) * (font + 1) + 2 + ticks + 3;
}

double paint_legend(Drawing& drawing, const std::string& title, const std::vector<std::string>& names, double left,
                    double top, double font, bool hatched) {
  double x = left;
  double y = top + font;
  if (!title.empty()) {
    drawing.shapes.emplace_back(Text{{x, y}, title, font, Anchor::start, 0, true});
    x += text_width(title, font) * 1.08 + 6;  // bold is a little wider
  }
  for (std::size_t v = 0; v < names.size(); ++v) {
    const double width = kSwatch + 2 + text_width(names[v], font) + 8;
    if (x + width > drawing.width && x > left) {
      x = left;
      y += font + 3;
    }
    drawing.shapes.emplace_back(
        Rectangle{x, y - font + 1, kSwatch, font - 1, colour_of(v), hatched ? hatch_of(v) : Hatch::none, ""});
    drawing.shapes.emplace_back(Text{{x + kSwatch + 2, y}, names[v], font, Anchor::start, 0, false});
    x += width;
  }
  return y + 4;
}

void paint_scale(Drawing& drawing, const Scale& scale, double left, double right, double top, double bottom,
                 double font) {
  for (const double tick : scale.ticks()) {
    const double y = bottom - (tick - scale.low) / (scale.high - scale.low) * (bottom - top);
    drawing.shapes.emplace_back(Line{{left, y}, {right, y}, 0.4, kGridColour, false});
    drawing.shapes.emplace_back(Text{{left - 3, y + font * 0.35}, scale.text_of(tick), font, Anchor::end, 0, false});
  }
}

void paint_axis_title(Drawing& drawing, const std::vector<std::string>& lines, double middle, double font) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const double x = kEdge + (static_cast<double>(i) + 1) * (font + 1) - 1;
    drawing.shapes.emplace_back(Text{{x, middle}, lines[i], font, Anchor::middle, 90, false});
  }
}

}  // namespace heddle::plot
