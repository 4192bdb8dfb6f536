// PDF 1.4: one page as large as the drawing, one stream of drawing operators, and two fonts: those that every reader
// has, or parts of two TrueType fonts.
#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <optional>

#include "plot/drawing.h"
#include "plot/fonts.h"

namespace heddle::plot {
namespace {

/// In the encoding of the fonts, which is that of Latin 1 here; what it lacks becomes a question mark.
std::string in_latin(std::string_view text) {
  std::string made;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x80u) {
      made += static_cast<char>(byte);
    } else if ((byte == 0xc2u || byte == 0xc3u) && i + 1 < text.size()) {
      made += static_cast<char>(((byte & 0x3u) << 6u) | (static_cast<unsigned char>(text[++i]) & 0x3fu));
    } else if ((byte & 0xc0u) != 0x80u) {
      made += '?';
    }
  }
  return made;
}

/// A text between brackets; bytes outside of ASCII as octal numbers, so that the whole file is plain text.
std::string in_brackets(std::string_view text) {
  std::string made = "(";
  for (const char c : in_latin(text)) {
    if (c == '(' || c == ')' || c == '\\') {
      made += fmt::format("\\{}", c);
    } else if (c >= ' ' && c <= '~') {
      made += c;
    } else {
      made += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    }
  }
  return made + ")";
}

/// Writes the operators of a page whose y goes upwards.
class PageWriter {
 public:
  PageWriter(double height, const Fonts* fonts) : height_(height) {
    if (fonts == nullptr) return;
    plain_.emplace(fonts->plain);
    bold_.emplace(fonts->bold);
  }

  void operator()(const Rectangle& box) {
    out_ += fmt::format("{} rg 0 0 0 RG 0.35 w {:.2f} {:.2f} {:.2f} {:.2f} re B\n", of(box.fill), box.x,
                        height_ - box.y - box.height, box.width, box.height);
    const std::vector<Line> lines = hatch_lines(box);
    for (const Line& line : lines) segment(line);
    if (!lines.empty()) out_ += "S\n";
  }

  void operator()(const Line& line) {
    out_ += fmt::format("{} RG {} w{}", of(line.colour), line.width, line.dashed ? " [2 2] 0 d\n" : "\n");
    segment(line);
    out_ += line.dashed ? "S [] 0 d\n" : "S\n";
  }

  void operator()(const Path& path) {
    if (path.points.empty()) return;
    out_ += path.filled ? fmt::format("{} rg\n", of(path.colour))
                        : fmt::format("{} RG {} w\n", of(path.colour), path.width);
    for (std::size_t i = 0; i < path.points.size(); ++i)
      out_ += fmt::format("{:.2f} {:.2f} {}\n", path.points[i].x, height_ - path.points[i].y, i == 0 ? "m" : "l");
    out_ += path.filled ? "f\n" : "S\n";
  }

  void operator()(const Text& text) {
    const double angle = text.turned * std::numbers::pi / 180;
    const double width = text_width(text.text, text.size);
    const double back = text.anchor == Anchor::middle ? width / 2 : text.anchor == Anchor::end ? width : 0;
    const double across = std::cos(angle);
    const double up = std::sin(angle);
    std::optional<EmbeddedFont>& font = text.bold ? bold_ : plain_;
    const double own = font ? font->width(text.text, text.size) : width;
    const std::string narrowed = own > 0 ? fmt::format(" {:.1f} Tz", 100 * width / own) : "";
    out_ += fmt::format("BT 0 0 0 rg /{} {} Tf{} {:.4f} {:.4f} {:.4f} {:.4f} {:.2f} {:.2f} Tm {} Tj ET\n",
                        text.bold ? "F2" : "F1", text.size, font ? narrowed : "", across, up, -up, across,
                        text.at.x - back * across, height_ - text.at.y - back * up,
                        font ? font->text(text.text) : in_brackets(text.text));
  }

  [[nodiscard]] const std::string& text() const { return out_; }

  /// The objects of both fonts; `first` is the number of the first, and becomes that of the bold one in `bold`.
  [[nodiscard]] std::vector<std::string> fonts(std::size_t first, std::size_t& bold) const {
    const auto standard = [](const char* name) {
      return fmt::format("<< /Type /Font /Subtype /Type1 /BaseFont /{} /Encoding /WinAnsiEncoding >>", name);
    };
    bold = first + 1;
    if (!plain_) return {standard("Helvetica"), standard("Helvetica-Bold")};
    std::vector<std::string> all = plain_->objects(first);
    bold = first + all.size();
    for (std::string& object : bold_->objects(bold)) all.push_back(std::move(object));
    return all;
  }

 private:
  void segment(const Line& line) {
    out_ += fmt::format("{:.2f} {:.2f} m {:.2f} {:.2f} l\n", line.from.x, height_ - line.from.y, line.to.x,
                        height_ - line.to.y);
  }
  [[nodiscard]] static std::string of(const Colour& colour) {
    return fmt::format("{:.3f} {:.3f} {:.3f}", colour.red / 255.0, colour.green / 255.0, colour.blue / 255.0);
  }
  double height_;
  std::string out_;
  std::optional<EmbeddedFont> plain_;
  std::optional<EmbeddedFont> bold_;
};

}  // namespace

std::string to_pdf(const Drawing& drawing, const Fonts* fonts) {
  PageWriter page(drawing.height, fonts);
  for (const auto& shape : drawing.shapes) std::visit(page, shape);
  constexpr std::size_t kFirstFont = 6;
  std::size_t bold = 0;
  const std::vector<std::string> font_objects = page.fonts(kFirstFont, bold);
  std::vector<std::string> objects{
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      fmt::format("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {:.2f} {:.2f}] /Contents 4 0 R /Resources << /Font << "
                  "/F1 {} 0 R /F2 {} 0 R >> >> >>",
                  drawing.width, drawing.height, kFirstFont, bold),
      fmt::format("<< /Length {} >>\nstream\n{}endstream", page.text().size(), page.text()),
      fmt::format("<< /Title {} /Producer (Heddle) >>", in_brackets(drawing.title)),
  };
  objects.insert(objects.end(), font_objects.begin(), font_objects.end());
  std::string file = "%PDF-1.4\n";
  std::string places = "0000000000 65535 f \n";
  for (std::size_t i = 0; i < objects.size(); ++i) {
    places += fmt::format("{:010} 00000 n \n", file.size());
    file += fmt::format("{} 0 obj\n{}\nendobj\n", i + 1, objects.at(i));
  }
  const std::size_t table = file.size();
  file += fmt::format("xref\n0 {}\n{}trailer\n<< /Size {} /Root 1 0 R /Info 5 0 R >>\nstartxref\n{}\n%%EOF\n",
                      objects.size() + 1, places, objects.size() + 1, table);
  return file;
}

}  // namespace heddle::plot
