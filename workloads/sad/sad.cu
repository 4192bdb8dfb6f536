// Motion estimation of a video encoder: sums of absolute differences of every 4x4 block of a 16x16 macroblock against
// 33x33 places in the reference frame, then of all larger block shapes by adding smaller ones. Results are written for
// every place: the output is far larger than the frames.
#include "heddle_cuda.h"

static const int kRange = 16;                                    // pixels in each direction
static const int kPlaces = (2 * kRange + 1) * (2 * kRange + 1);  // per block
static const int kStride = 1096;                                 // kPlaces, rounded up to whole 16-byte pieces

__device__ __forceinline__ int clamped(int value, int most) { return min(max(value, 0), most); }

// One block per macroblock. out: [macroblock][16 blocks of 4x4][kStride]
extern "C" __global__ void __launch_bounds__(128)
    sad_calc(unsigned short* __restrict__ out, const unsigned short* __restrict__ current,
             const unsigned short* __restrict__ reference, int width, int height) {
  __shared__ unsigned short block[16][16];
  const int left = blockIdx.x * 16, top = blockIdx.y * 16;
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    block[i / 16][i % 16] = current[(top + i / 16) * width + left + i % 16];
  __syncthreads();
  out += (blockIdx.y * gridDim.x + blockIdx.x) * 16 * kStride;
  for (int place = threadIdx.x; place < kPlaces; place += blockDim.x) {
    const int dx = place % (2 * kRange + 1) - kRange, dy = place / (2 * kRange + 1) - kRange;
    for (int b = 0; b < 16; ++b) {
      const int bx = b % 4 * 4, by = b / 4 * 4;
      int sum = 0;
#pragma unroll
      for (int y = 0; y < 4; ++y) {
        const int row = clamped(top + by + y + dy, height - 1) * width;
#pragma unroll
        for (int x = 0; x < 4; ++x) {
          const int there = reference[row + clamped(left + bx + x + dx, width - 1)];
          sum += abs((int)block[by + y][bx + x] - there);
        }
      }
      out[b * kStride + place] = (unsigned short)sum;
    }
  }
}

// out: [macroblock][8 of 8x4, 8 of 4x8, 4 of 8x8][kStride]
extern "C" __global__ void __launch_bounds__(128)
    sad_larger_8(unsigned short* __restrict__ out, const unsigned short* __restrict__ fours) {
  fours += blockIdx.x * 16 * kStride;
  out += blockIdx.x * 20 * kStride;
  for (int place = threadIdx.x; place < kPlaces; place += blockDim.x) {
    for (int q = 0; q < 4; ++q) {
      const int first = q / 2 * 8 + q % 2 * 2;  // the upper left 4x4 block of this 8x8 block
      const int a = fours[first * kStride + place], b = fours[(first + 1) * kStride + place];
      const int c = fours[(first + 4) * kStride + place], d = fours[(first + 5) * kStride + place];
      out[(2 * q) * kStride + place] = (unsigned short)(a + b);
      out[(2 * q + 1) * kStride + place] = (unsigned short)(c + d);
      out[(8 + 2 * q) * kStride + place] = (unsigned short)(a + c);
      out[(8 + 2 * q + 1) * kStride + place] = (unsigned short)(b + d);
      out[(16 + q) * kStride + place] = (unsigned short)(a + b + c + d);
    }
  }
}

// out: [macroblock][2 of 16x8, 2 of 8x16, 1 of 16x16][kStride]
extern "C" __global__ void __launch_bounds__(128)
    sad_larger_16(unsigned short* __restrict__ out, const unsigned short* __restrict__ eights) {
  eights += (blockIdx.x * 20 + 16) * kStride;
  out += blockIdx.x * 5 * kStride;
  for (int place = threadIdx.x; place < kPlaces; place += blockDim.x) {
    const int a = eights[place], b = eights[kStride + place];
    const int c = eights[2 * kStride + place], d = eights[3 * kStride + place];
    out[place] = (unsigned short)(a + b);
    out[kStride + place] = (unsigned short)(c + d);
    out[2 * kStride + place] = (unsigned short)(a + c);
    out[3 * kStride + place] = (unsigned short)(b + d);
    out[4 * kStride + place] = (unsigned short)(a + b + c + d);
  }
}
