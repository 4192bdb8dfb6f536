#include <fmt/format.h>

#include "plot/drawing.h"

namespace heddle::plot {
namespace {

std::string in_xml(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '<') {
      safe += "&lt;";
    } else if (c == '>') {
      safe += "&gt;";
    } else if (c == '&') {
      safe += "&amp;";
    } else if (c == '"') {
      safe += "&quot;";
    } else if (static_cast<unsigned char>(c) >= ' ') {
      safe += c;
    }
  }
  return safe;
}

std::string hex(const Colour& colour) {
  return fmt::format("#{:02x}{:02x}{:02x}", colour.red, colour.green, colour.blue);
}

std::string svg_of(const Rectangle& box) {
  std::string made = fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\" ",
                                 box.x, box.y, box.width, box.height, hex(box.fill));
  made += "stroke=\"#000000\" stroke-width=\"0.35\"";
  made += box.tip.empty() ? "/>\n" : fmt::format("><title>{}</title></rect>\n", in_xml(box.tip));
  const std::vector<Line> lines = hatch_lines(box);
  if (lines.empty()) return made;
  made += "<path d=\"";
  for (const Line& line : lines)
    made += fmt::format("M{:.2f} {:.2f}L{:.2f} {:.2f}", line.from.x, line.from.y, line.to.x, line.to.y);
  return made + fmt::format("\" stroke=\"#000000\" stroke-width=\"{}\" fill=\"none\" pointer-events=\"none\"/>\n",
                            lines[0].width);
}

std::string svg_of(const Line& line) {
  return fmt::format(
      "<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" stroke=\"{}\" stroke-width=\"{}\"{}/>\n",
      line.from.x, line.from.y, line.to.x, line.to.y, hex(line.colour), line.width,
      line.dashed ? " stroke-dasharray=\"2 2\"" : "");
}

std::string svg_of(const Path& path) {
  std::string made = path.filled ? "<polygon points=\"" : "<polyline points=\"";
  for (const Point& point : path.points) made += fmt::format("{:.2f},{:.2f} ", point.x, point.y);
  if (path.filled) return made + fmt::format("\" fill=\"{}\"/>\n", hex(path.colour));
  return made + fmt::format("\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"/>\n", hex(path.colour), path.width);
}

std::string svg_of(const Text& text) {
  const char* anchor = text.anchor == Anchor::middle ? "middle" : text.anchor == Anchor::end ? "end" : "start";
  std::string made = fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" font-size=\"{}\" text-anchor=\"{}\"", text.at.x,
                                 text.at.y, text.size, anchor);
  if (text.turned != 0)
    made += fmt::format(" transform=\"rotate({} {:.2f} {:.2f})\"", -text.turned, text.at.x, text.at.y);
  if (text.bold) made += " font-weight=\"bold\"";
  return made + fmt::format(">{}</text>\n", in_xml(text.text));
}

}  // namespace

std::string to_svg(const Drawing& drawing) {
  std::string made = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.2f}pt\" height=\"{1:.2f}pt\" viewBox=\"0 0 {0:.2f} "
      "{1:.2f}\" font-family=\"Helvetica, Arial, sans-serif\">\n<title>{2}</title>\n",
      drawing.width, drawing.height, in_xml(drawing.title));
  made += fmt::format("<rect width=\"{:.2f}\" height=\"{:.2f}\" fill=\"#ffffff\"/>\n", drawing.width, drawing.height);
  for (const auto& shape : drawing.shapes) made += std::visit([](const auto& one) { return svg_of(one); }, shape);
  return made + "</svg>\n";
}

}  // namespace heddle::plot
