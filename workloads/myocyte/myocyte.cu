// Simulates heart muscle cells as in Rodinia: one thread per cell, in blocks of one warp, so that a handful of warps
// run a very long kernel. The equations are integrated by the method of Fehlberg with steps that follow the error, so
// lanes need different numbers of steps and of attempts. Each cell's variables, and the intermediate results of a step,
// lie together in global memory: lanes access words a whole cell apart.
#include "heddle_cuda.h"

#include "model.h"

using namespace myocyte_model;

// Fehlberg's coefficients of the five later stages, of the result of fourth order, and of the error.
__constant__ float myocyte_stage_time[6] = {0.0f, 1.0f / 4, 3.0f / 8, 12.0f / 13, 1.0f, 1.0f / 2};
__constant__ float myocyte_stage[6][5] = {{0.0f, 0.0f, 0.0f, 0.0f, 0.0f},
                                          {1.0f / 4, 0.0f, 0.0f, 0.0f, 0.0f},
                                          {3.0f / 32, 9.0f / 32, 0.0f, 0.0f, 0.0f},
                                          {1932.0f / 2197, -7200.0f / 2197, 7296.0f / 2197, 0.0f, 0.0f},
                                          {439.0f / 216, -8.0f, 3680.0f / 513, -845.0f / 4104, 0.0f},
                                          {-8.0f / 27, 2.0f, -3544.0f / 2565, 1859.0f / 4104, -11.0f / 40}};
__constant__ float myocyte_result[6] = {25.0f / 216, 0.0f, 1408.0f / 2565, 2197.0f / 4104, -1.0f / 5, 0.0f};
__constant__ float myocyte_error[6] = {1.0f / 360, 0.0f, -128.0f / 4275, -2197.0f / 75240, 1.0f / 50, 2.0f / 55};

static const float kTolerance = 0.001f;

// `scratch` has room for seven sets of variables per cell: six stages and where they are evaluated. The accepted steps
// are recorded for the host.
extern "C" __global__ void myocyte_solve(float* variables, const float* __restrict__ all_parameters, float* all_scratch,
                                         int cells, int most_steps, float* steps, int* step_counts) {
  const int cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell >= cells) return;
  float* y = variables + (size_t)cell * kVariables;
  const float* parameters = all_parameters + (size_t)cell * kParameters;
  float* slopes = all_scratch + (size_t)cell * 7 * kVariables;
  float* at = slopes + 6 * kVariables;
  float time = 0.0f, step = 0.01f;
  int accepted = 0;
  for (int attempt = 0; attempt < most_steps; ++attempt) {
    for (int stage = 0; stage < 6; ++stage) {
      for (int v = 0; v < kVariables; ++v) {
        float moved = 0.0f;
        for (int s = 0; s < stage; ++s) moved = fmaf(myocyte_stage[stage][s], slopes[s * kVariables + v], moved);
        at[v] = fmaf(step, moved, y[v]);
      }
      derivatives(at, parameters, fmaf(myocyte_stage_time[stage], step, time), slopes + stage * kVariables);
    }
    float worst = 0.0f;
    for (int v = 0; v < kVariables; ++v) {
      float error = 0.0f, moved = 0.0f;
      for (int s = 0; s < 6; ++s) {
        error = fmaf(myocyte_error[s], slopes[s * kVariables + v], error);
        moved = fmaf(myocyte_result[s], slopes[s * kVariables + v], moved);
      }
      at[v] = fmaf(step, moved, y[v]);
      worst = fmaxf(worst, fabsf(step * error) / (1e-3f + fabsf(y[v])));
    }
    if (worst <= kTolerance) {
      for (int v = 0; v < kVariables; ++v) y[v] = at[v];
      time += step;
      steps[(size_t)cell * most_steps + accepted++] = step;
    }
    // Fourth order: the error goes with the fifth power of the step.
    const float change = worst > 0.0f ? 0.84f * sqrtf(sqrtf(kTolerance / worst)) : 2.0f;
    step = fminf(step * fminf(fmaxf(change, 0.2f), 2.0f), 1.0f);
  }
  step_counts[cell] = accepted;
}
