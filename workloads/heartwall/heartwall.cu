// Tracking of points on the wall of a heart as in Rodinia: one launch per frame, one block per point, one long kernel
// of many stages with a barrier after each. Template and window are correlated at every overlap; local sums and sums of
// squares come from cumulative sums, down the columns and along the rows. Intermediate arrays lie in global memory. All
// loops go round in steps of the block's size, most have bounds that differ between threads.
#include "heddle_cuda.h"

#include "geometry.h"

static const int kThreads = 256;
static const float kKeep = 0.87f;  // of the old template in an update

__device__ static int clamped(int value, int limit) { return value < 0 ? 0 : value < limit ? value : limit - 1; }

__device__ static float pixel(const float* frame, const HeartGeometry& g, int row, int column) {
  return frame[clamped(row, g.frame_rows) * g.frame_columns + clamped(column, g.frame_columns)];
}

// out[y][x] = sum of the template-sized piece of the window (or of its squares) that overlap (y, x) covers.
__device__ static void local_sums(const HeartGeometry& g, float* scratch, float* out, bool squares) {
  const float* window = scratch + g.window_at;
  float* cumulative = scratch + g.cumulative_at;
  float* strip = scratch + g.strip_at;
  const int t = g.template_side, w = g.window_side, c = g.full_side, p = g.padded_side;
  for (int i = threadIdx.x; i < p * p; i += kThreads) {
    const int row = i / p - t, column = i % p - t;
    float value = 0.0f;
    if (row >= 0 && row < w && column >= 0 && column < w) value = window[row * w + column];
    cumulative[i] = squares ? value * value : value;
  }
  __syncthreads();
  for (int column = threadIdx.x; column < p; column += kThreads) {
    float sum = 0.0f;
    for (int row = 0; row < p; ++row) {
      sum += cumulative[row * p + column];
      cumulative[row * p + column] = sum;
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < c * p; i += kThreads) strip[i] = cumulative[i + t * p] - cumulative[i];
  __syncthreads();
  for (int row = threadIdx.x; row < c; row += kThreads) {
    float sum = 0.0f;
    for (int column = 0; column < p; ++column) {
      sum += strip[row * p + column];
      strip[row * p + column] = sum;
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < c * c; i += kThreads) {
    const int at = i / c * p + i % c;
    out[i] = strip[at + t] - strip[at];
  }
  __syncthreads();
}

// The template, turned by 180 degrees, as a convolution wants it.
__device__ static void take_template(const HeartGeometry& g, const float* frame, int row, int column, float* turned) {
  const int t = g.template_side;
  for (int i = threadIdx.x; i < t * t; i += kThreads) {
    turned[i] = pixel(frame, g, row + g.template_half - i / t, column + g.template_half - i % t);
  }
}

__device__ static void convolve(const HeartGeometry& g, const float* turned, const float* window, float* out) {
  const int t = g.template_side, w = g.window_side, c = g.full_side;
  for (int i = threadIdx.x; i < c * c; i += kThreads) {
    const int y = i / c, x = i % c;
    const int first_row = max(0, y - (w - 1)), last_row = min(t - 1, y);
    const int first_column = max(0, x - (w - 1)), last_column = min(t - 1, x);
    float sum = 0.0f;
    for (int a = first_row; a <= last_row; ++a) {
      for (int b = first_column; b <= last_column; ++b) {
        sum = fmaf(turned[a * t + b], window[(y - a) * w + x - b], sum);
      }
    }
    out[i] = sum;
  }
}

extern "C" __global__ void __launch_bounds__(kThreads)
    heartwall_track(HeartGeometry g, const float* frame, int frame_number, int update_template, int* locations,
                    float* templates, float* scratch_memory) {
  __shared__ float part[kThreads], part_squares[kThreads];
  __shared__ float template_sum, template_deviation;
  __shared__ float best_value[kThreads];
  __shared__ int best_at[kThreads];
  const int t = g.template_side, w = g.window_side, c = g.full_side;
  int* location = locations + 2 * blockIdx.x;
  float* turned = templates + blockIdx.x * t * t;
  float* scratch = scratch_memory + (size_t)blockIdx.x * g.words;
  if (frame_number == 0) {
    take_template(g, frame, location[0], location[1], turned);
    return;
  }
  float* window = scratch + g.window_at;
  for (int i = threadIdx.x; i < w * w; i += kThreads) {
    window[i] = pixel(frame, g, location[0] - g.window_half + i / w, location[1] - g.window_half + i % w);
  }
  __syncthreads();
  float* convolution = scratch + g.convolution_at;
  convolve(g, turned, window, convolution);
  __syncthreads();
  float* sums = scratch + g.sums_at;
  float* squares = scratch + g.squares_at;
  local_sums(g, scratch, sums, false);
  local_sums(g, scratch, squares, true);

  // Sum and deviation of the template: a column per thread, then one thread adds up.
  for (int column = threadIdx.x; column < t; column += kThreads) {
    float sum = 0.0f, square = 0.0f;
    for (int row = 0; row < t; ++row) {
      const float value = turned[row * t + column];
      sum += value;
      square = fmaf(value, value, square);
    }
    part[column] = sum;
    part_squares[column] = square;
  }
  __syncthreads();
  const float count = (float)(t * t);
  if (threadIdx.x == 0) {
    float sum = 0.0f, square = 0.0f;
    for (int column = 0; column < t; ++column) {
      sum += part[column];
      square += part_squares[column];
    }
    template_sum = sum;
    template_deviation = sqrtf(fmaxf(fmaf(-sum, sum / count, square), 0.0f));
  }
  __syncthreads();

  // The correlation of each overlap within reach, and the best one of each row.
  const int centre = g.window_half + g.template_half;
  for (int i = threadIdx.x; i < c * c; i += kThreads) {
    const float sum = sums[i];
    const float variance = fmaxf(fmaf(-sum, sum / count, squares[i]), 0.0f);
    const float scale = sqrtf(variance) * template_deviation;
    const int dy = i / c - centre, dx = i % c - centre;
    float value = scale > 0.0f ? fmaf(-sum, template_sum / count, convolution[i]) / scale : 0.0f;
    if (dy * dy + dx * dx > g.most_move * g.most_move) value = 0.0f;
    convolution[i] = value;
  }
  __syncthreads();
  for (int row = threadIdx.x; row < c; row += kThreads) {
    float best = -2.0f;
    int at = 0;
    for (int column = 0; column < c; ++column) {
      if (convolution[row * c + column] > best) {
        best = convolution[row * c + column];
        at = column;
      }
    }
    best_value[row] = best;
    best_at[row] = at;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    int best = 0;
    for (int row = 1; row < c; ++row) {
      if (best_value[row] > best_value[best]) best = row;
    }
    location[0] = clamped(location[0] + best - centre, g.frame_rows);
    location[1] = clamped(location[1] + best_at[best] - centre, g.frame_columns);
  }
  __syncthreads();
  if (!update_template) return;
  for (int i = threadIdx.x; i < t * t; i += kThreads) {
    const float fresh = pixel(frame, g, location[0] + g.template_half - i / t, location[1] + g.template_half - i % t);
    turned[i] = fmaf(kKeep, turned[i], (1.0f - kKeep) * fresh);
  }
}
