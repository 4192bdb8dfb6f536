// What every chart has around it: a legend, an axis with a scale, a title beside it.
#pragma once

#include <string>
#include <vector>

#include "plot/drawing.h"
#include "plot/scale.h"

namespace heddle::plot {

inline constexpr double kEdge = 3;  ///< around the drawing

/// The look of a variant: seven hatches and eight colours, so that the pair repeats only after 56.
[[nodiscard]] Colour colour_of(std::size_t variant);
[[nodiscard]] Hatch hatch_of(std::size_t variant);

/// Words in lines that are not wider.
[[nodiscard]] std::vector<std::string> in_lines(const std::string& text, double size, double width);

/// Where the axis stands, so that ticks and the lines of its title have room.
[[nodiscard]] double axis_place(const Scale& scale, std::size_t title_lines, double font);

/// Names with samples, in as many lines as they need; the result is where it ends below.
[[nodiscard]] double paint_legend(Drawing& drawing, const std::string& title, const std::vector<std::string>& names,
                                  double left, double top, double font, bool hatched);
/// Lines across and numbers beside the axis; `bottom` is where the least value is.
void paint_scale(Drawing& drawing, const Scale& scale, double left, double right, double top, double bottom,
                 double font);
/// The lines of a title beside the axis, turned.
void paint_axis_title(Drawing& drawing, const std::vector<std::string>& lines, double middle, double font);

}  // namespace heddle::plot
