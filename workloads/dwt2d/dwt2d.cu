// The forward 5/3 wavelet transform of JPEG 2000, as in Rodinia: the image's colours are parted, then each level of
// each colour is one launch. A block works down a strip of 64 columns and 64 rows, eight rows at a time: it loads them
// with two columns more on the left and one on the right, transforms the rows in shared memory, and then every thread
// goes down its own column with the last rows in registers. Edges are mirrored.
#include "heddle_cuda.h"

static const int kStrip = 64;
static const int kWindow = 8;
static const int kLoaded = kStrip + 3;

// Bytes red, green, blue become three arrays of integers around zero.
extern "C" __global__ void dwt2d_components(const unsigned char* __restrict__ image, int pixels, int* red, int* green,
                                            int* blue) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pixels) return;
  red[i] = (int)image[3 * i] - 128;
  green[i] = (int)image[3 * i + 1] - 128;
  blue[i] = (int)image[3 * i + 2] - 128;
}

__device__ static int mirrored(int i, int size) {
  if (size == 1) return 0;
  const int period = 2 * (size - 1);
  i = abs(i) % period;
  return i < size ? i : period - i;
}

// `out` has the level's four bands side by side; the smooth one also goes to `smooth`, the next level's input.
extern "C" __global__ void __launch_bounds__(kStrip)
    dwt2d_forward(const int* __restrict__ in, int columns, int rows, int* out, int out_stride, int* smooth) {
  __shared__ int window[kWindow][kLoaded];
  const int thread = threadIdx.x;
  const int left = blockIdx.x * kStrip, top = blockIdx.y * kStrip;
  const int smooth_columns = (columns + 1) / 2, smooth_rows = (rows + 1) / 2;
  const int column = left + thread;
  const int band_x = column % 2 == 0 ? column / 2 : smooth_columns + column / 2;
  // The last even row, the odd row behind it, and the detail above them.
  int even = 0, odd = 0, detail_above = 0;
  const int end = min(top + kStrip + 1, rows + 2);
  for (int first = top - 2; first < end; first += kWindow) {
    for (int r = 0; r < kWindow; ++r) {
      const int row = mirrored(first + r, rows);
      for (int c = thread; c < kLoaded; c += kStrip) {
        window[r][c] = in[row * columns + mirrored(left - 2 + c, columns)];
      }
    }
    __syncthreads();
    // Details of the rows: odd places, the one left of the strip included.
    for (int i = thread; i < kWindow * (kStrip / 2 + 1); i += kStrip) {
      const int r = i / (kStrip / 2 + 1), c = 2 * (i % (kStrip / 2 + 1)) + 1;
      window[r][c] -= (window[r][c - 1] + window[r][c + 1]) >> 1;
    }
    __syncthreads();
    for (int i = thread; i < kWindow * (kStrip / 2); i += kStrip) {
      const int r = i / (kStrip / 2), c = 2 * (i % (kStrip / 2)) + 2;
      window[r][c] += (window[r][c - 1] + window[r][c + 1] + 2) >> 2;
    }
    __syncthreads();
    for (int r = 0; r < kWindow; r += 2) {
      const int row = first + r;  // even; what it completes are the two rows above it
      const int next_even = window[r][thread + 2];
      const int detail = odd - ((even + next_even) >> 1);
      const int centre = even + ((detail_above + detail + 2) >> 2);
      if (row - 2 >= top && row - 2 < top + kStrip && column < columns) {
        if (row - 2 < rows) {
          out[(row - 2) / 2 * out_stride + band_x] = centre;
          if (column % 2 == 0) smooth[(row - 2) / 2 * smooth_columns + column / 2] = centre;
        }
        if (row - 1 < rows) out[(smooth_rows + (row - 2) / 2) * out_stride + band_x] = detail;
      }
      detail_above = detail;
      even = next_even;
      odd = window[r + 1][thread + 2];
    }
    __syncthreads();
  }
}
