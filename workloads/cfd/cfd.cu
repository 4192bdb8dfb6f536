// A finite-volume solver of the three-dimensional Euler equations on an unstructured grid, as in Rodinia: one thread
// per cell. The five conserved variables lie one array after the other, so a cell's own values are read in a row; those
// of its four neighbours are wherever the grid's numbering puts them. Much arithmetic with divisions and roots per
// cell.
#include "heddle_cuda.h"

#include "shape.h"

__constant__ float cfd_far_field[kVariables];
__constant__ float cfd_far_field_flux[kVariables * 3];

struct State {
  float density, x, y, z, energy;  // x, y, z: momentum
};

__device__ static State load_state(const float* variables, int cells, int i) {
  return {variables[i], variables[i + cells], variables[i + 2 * cells], variables[i + 3 * cells],
          variables[i + 4 * cells]};
}

struct Derived {
  float vx, vy, vz, speed_squared, pressure, sound;
};

__device__ static Derived derive(const State& s) {
  Derived d;
  d.vx = s.x / s.density;
  d.vy = s.y / s.density;
  d.vz = s.z / s.density;
  d.speed_squared = d.vx * d.vx + d.vy * d.vy + d.vz * d.vz;
  d.pressure = (kGamma - 1.0f) * (s.energy - 0.5f * s.density * d.speed_squared);
  d.sound = sqrtf(kGamma * d.pressure / s.density);
  return d;
}

// Rows: density, momentum x, y, z, energy; columns: the directions the flux goes.
__device__ static void flux_of(const State& s, const Derived& d, float flux[kVariables][3]) {
  flux[0][0] = s.x;
  flux[0][1] = s.y;
  flux[0][2] = s.z;
  flux[1][0] = d.vx * s.x + d.pressure;
  flux[1][1] = d.vx * s.y;
  flux[1][2] = d.vx * s.z;
  flux[2][0] = flux[1][1];
  flux[2][1] = d.vy * s.y + d.pressure;
  flux[2][2] = d.vy * s.z;
  flux[3][0] = flux[1][2];
  flux[3][1] = flux[2][2];
  flux[3][2] = d.vz * s.z + d.pressure;
  const float total = s.energy + d.pressure;
  flux[4][0] = d.vx * total;
  flux[4][1] = d.vy * total;
  flux[4][2] = d.vz * total;
}

extern "C" __global__ void cfd_initialize(int cells, float* variables) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  for (int v = 0; v < kVariables; ++v) variables[i + v * cells] = cfd_far_field[v];
}

extern "C" __global__ void cfd_step_factor(int cells, const float* __restrict__ variables,
                                           const float* __restrict__ areas, float* step_factors) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  const Derived d = derive(load_state(variables, cells, i));
  step_factors[i] = 0.5f / (sqrtf(areas[i]) * (sqrtf(d.speed_squared) + d.sound));
}

extern "C" __global__ void cfd_flux(int cells, const int* __restrict__ neighbours, const float* __restrict__ normals,
                                    const float* __restrict__ variables, float* fluxes) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  const State own = load_state(variables, cells, i);
  const Derived own_derived = derive(own);
  float own_flux[kVariables][3];
  flux_of(own, own_derived, own_flux);
  float sum[kVariables] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll 1
  for (int face = 0; face < kFaces; ++face) {
    const int neighbour = neighbours[i + face * cells];
    const float nx = normals[i + (face + 0 * kFaces) * cells];
    const float ny = normals[i + (face + 1 * kFaces) * cells];
    const float nz = normals[i + (face + 2 * kFaces) * cells];
    if (neighbour >= 0) {
      const State other = load_state(variables, cells, neighbour);
      const Derived other_derived = derive(other);
      float other_flux[kVariables][3];
      flux_of(other, other_derived, other_flux);
      const float area = sqrtf(nx * nx + ny * ny + nz * nz);
      const float viscosity = -area * kSmoothing * 0.5f *
                              (sqrtf(own_derived.speed_squared) + sqrtf(other_derived.speed_squared) +
                               own_derived.sound + other_derived.sound);
      sum[0] += viscosity * (own.density - other.density);
      sum[1] += viscosity * (own.x - other.x);
      sum[2] += viscosity * (own.y - other.y);
      sum[3] += viscosity * (own.z - other.z);
      sum[4] += viscosity * (own.energy - other.energy);
      for (int v = 0; v < kVariables; ++v) {
        sum[v] += 0.5f * (nx * (own_flux[v][0] + other_flux[v][0]) + ny * (own_flux[v][1] + other_flux[v][1]) +
                          nz * (own_flux[v][2] + other_flux[v][2]));
      }
    } else if (neighbour == kWall) {
      sum[1] += nx * own_derived.pressure;
      sum[2] += ny * own_derived.pressure;
      sum[3] += nz * own_derived.pressure;
    } else {  // far field
      for (int v = 0; v < kVariables; ++v) {
        sum[v] += 0.5f * (nx * (own_flux[v][0] + cfd_far_field_flux[3 * v]) +
                          ny * (own_flux[v][1] + cfd_far_field_flux[3 * v + 1]) +
                          nz * (own_flux[v][2] + cfd_far_field_flux[3 * v + 2]));
      }
    }
  }
  for (int v = 0; v < kVariables; ++v) fluxes[i + v * cells] = sum[v];
}

extern "C" __global__ void cfd_time_step(int stages_left, int cells, const float* __restrict__ old_variables,
                                         float* variables, const float* __restrict__ step_factors,
                                         const float* __restrict__ fluxes) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  const float factor = step_factors[i] / (float)stages_left;
  for (int v = 0; v < kVariables; ++v) {
    variables[i + v * cells] = old_variables[i + v * cells] - factor * fluxes[i + v * cells];
  }
}
