// Widths of Helvetica's characters, in thousandths of the size, from the font's published metrics (Adobe, AFM 002.000).
#include <array>
#include <cstdint>

#include "plot/drawing.h"

namespace heddle::plot {
namespace {

constexpr char kFirstCharacter = ' ';
constexpr std::array<std::uint16_t, 95> kWidths{
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584};
constexpr std::uint16_t kOtherWidth = 556;

}  // namespace

double text_width(std::string_view text, double size) {
  double sum = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xc0u) == 0x80u) continue;  // a later byte of a character
    const auto index = static_cast<std::size_t>(byte - static_cast<unsigned char>(kFirstCharacter));
    sum +=
        byte >= static_cast<unsigned char>(kFirstCharacter) && index < kWidths.size() ? kWidths.at(index) : kOtherWidth;
  }
  return sum * size / 1000;
}

}  // namespace heddle::plot
