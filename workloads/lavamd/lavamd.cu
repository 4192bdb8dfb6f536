// Molecular dynamics with a cut-off as in Rodinia's lavaMD: one block per box, one thread per particle of it (128
// threads for 100 particles). The home box's particles lie in shared memory; those of one neighbour after the other are
// copied beside them, and every thread goes through all of them: long stretches of double arithmetic with an exp.
#include "heddle_cuda.h"

#include "box.h"

static const int kThreads = 128;

extern "C" __global__ void __launch_bounds__(kThreads)
    lavamd_forces(double alpha, const Box* __restrict__ boxes, const Particle* __restrict__ particles,
                  const double* __restrict__ charges, Particle* forces) {
  __shared__ Particle home[kParticlesPerBox];
  __shared__ Particle other[kParticlesPerBox];
  __shared__ double other_charge[kParticlesPerBox];
  const int box = blockIdx.x;
  const double a2 = 2.0 * alpha * alpha;
  const long long first = boxes[box].offset;
  for (int i = threadIdx.x; i < kParticlesPerBox; i += kThreads) home[i] = particles[first + i];
  __syncthreads();
  for (int k = 0; k < 1 + boxes[box].neighbour_count; ++k) {
    const int from = k == 0 ? box : boxes[box].neighbours[k - 1].number;
    const long long start = boxes[from].offset;
    for (int i = threadIdx.x; i < kParticlesPerBox; i += kThreads) {
      other[i] = particles[start + i];
      other_charge[i] = charges[start + i];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < kParticlesPerBox; i += kThreads) {
      for (int j = 0; j < kParticlesPerBox; ++j) {
        const double r2 =
            home[i].v + other[j].v - (home[i].x * other[j].x + home[i].y * other[j].y + home[i].z * other[j].z);
        const double vij = exp(-(a2 * r2));
        const double fs = 2.0 * vij;
        const double dx = home[i].x - other[j].x, dy = home[i].y - other[j].y, dz = home[i].z - other[j].z;
        forces[first + i].v += other_charge[j] * vij;
        forces[first + i].x += other_charge[j] * (fs * dx);
        forces[first + i].y += other_charge[j] * (fs * dy);
        forces[first + i].z += other_charge[j] * (fs * dz);
      }
    }
    __syncthreads();
  }
}
