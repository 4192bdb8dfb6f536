// Thermal simulation of a chip as in Rodinia: a five-point stencil, several time steps per launch. A 16x16 block loads
// its tile with a border as wide as the number of steps and recomputes that ghost zone instead of exchanging it; after
// every step the part of the tile that is still correct shrinks by one on each side.
#include "heddle_cuda.h"

static const int kBlock = 16;

extern "C" __global__ void __launch_bounds__(256)
    hotspot_steps(int steps, const float* __restrict__ power, const float* __restrict__ from, float* __restrict__ to,
                  int columns, int rows, float step_over_capacity, float gx, float gy, float gz, float ambient) {
  __shared__ float temperature[kBlock][kBlock];
  __shared__ float heat[kBlock][kBlock];
  __shared__ float next[kBlock][kBlock];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int inner = kBlock - 2 * steps;
  const int left = inner * (int)blockIdx.x - steps, top = inner * (int)blockIdx.y - steps;
  const int x = left + tx, y = top + ty, index = y * columns + x;
  const bool inside = x >= 0 && x < columns && y >= 0 && y < rows;
  if (inside) {
    temperature[ty][tx] = from[index];
    heat[ty][tx] = power[index];
  }
  __syncthreads();

  // At the chip's edge a cell is its own neighbour.
  const int west = max(tx - 1, max(0, -left)), east = min(tx + 1, min(kBlock - 1, columns - 1 - left));
  const int north = max(ty - 1, max(0, -top)), south = min(ty + 1, min(kBlock - 1, rows - 1 - top));
  bool computed = false;
  for (int step = 0; step < steps; ++step) {
    computed = inside && tx > step && tx < kBlock - 1 - step && ty > step && ty < kBlock - 1 - step;
    if (computed) {
      const float t = temperature[ty][tx];
      float flow = fmaf(fmaf(-2.0f, t, temperature[south][tx] + temperature[north][tx]), gy, heat[ty][tx]);
      flow = fmaf(fmaf(-2.0f, t, temperature[ty][east] + temperature[ty][west]), gx, flow);
      flow = fmaf(ambient - t, gz, flow);
      next[ty][tx] = fmaf(step_over_capacity, flow, t);
    }
    __syncthreads();
    if (step == steps - 1) break;
    if (computed) temperature[ty][tx] = next[ty][tx];
    __syncthreads();
  }
  if (computed) to[index] = next[ty][tx];
}
