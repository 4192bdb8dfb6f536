// Sizes of heartwall's templates, windows and work arrays, and where each lies in the scratch memory of a point.
#pragma once

struct HeartGeometry {
  int frame_rows, frame_columns;
  int template_half, window_half;
  int template_side;  // T = 2 * half + 1
  int window_side;    // W
  int full_side;      // C = W + T - 1: every overlap of template and window
  int padded_side;    // W + 2 T - 1: the window with zeros around it
  int most_move;      // per frame
  // Offsets in words.
  int window_at, convolution_at, cumulative_at, strip_at, sums_at, squares_at, words;
};

inline HeartGeometry heart_geometry(int frame_side, int template_half, int window_half) {
  HeartGeometry g{};
  g.frame_rows = g.frame_columns = frame_side;
  g.template_half = template_half;
  g.window_half = window_half;
  g.template_side = 2 * template_half + 1;
  g.window_side = 2 * window_half + 1;
  g.full_side = g.window_side + g.template_side - 1;
  g.padded_side = g.window_side + 2 * g.template_side - 1;
  g.most_move = window_half - template_half;
  const int full = g.full_side * g.full_side;
  g.window_at = 0;
  g.convolution_at = g.window_side * g.window_side;
  g.cumulative_at = g.convolution_at + full;
  g.strip_at = g.cumulative_at + g.padded_side * g.padded_side;
  g.sums_at = g.strip_at + g.full_side * g.padded_side;
  g.squares_at = g.sums_at + full;
  g.words = g.squares_at + full;
  return g;
}
