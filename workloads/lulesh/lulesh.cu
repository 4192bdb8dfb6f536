// Explicit Lagrangian shock hydrodynamics on a mesh of hexahedra, after LULESH (Hornung, Keasler and Gokhale, 2011):
// forces of elements to corners, sums at nodes, motion, volumes and strain, artificial viscosity with neighbours,
// equation of state, time-step limits. Elements gather eight nodes through an index list, nodes gather corners through
// another.
//
// Simplified: one material, an ideal gas, no hourglass control, a scalar velocity gradient. Double precision.
#include "heddle_cuda.h"

struct Corner {
  double x[8], y[8], z[8];
};

__device__ __forceinline__ void gather(const int* __restrict__ nodes, const double* __restrict__ x,
                                       const double* __restrict__ y, const double* __restrict__ z, int element,
                                       int elements, Corner& c) {
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int node = nodes[i * elements + element];
    c.x[i] = x[node];
    c.y[i] = y[node];
    c.z[i] = z[node];
  }
}

// Adds a quarter of a face's area vector to the normals of its four corners; returns the square of the area.
__device__ __forceinline__ double add_face(const Corner& c, Corner& normal, int a, int b, int d, int e) {
  const double px = 0.5 * (c.x[e] + c.x[d] - c.x[b] - c.x[a]), qx = 0.5 * (c.x[d] + c.x[b] - c.x[e] - c.x[a]);
  const double py = 0.5 * (c.y[e] + c.y[d] - c.y[b] - c.y[a]), qy = 0.5 * (c.y[d] + c.y[b] - c.y[e] - c.y[a]);
  const double pz = 0.5 * (c.z[e] + c.z[d] - c.z[b] - c.z[a]), qz = 0.5 * (c.z[d] + c.z[b] - c.z[e] - c.z[a]);
  const double ax = py * qz - pz * qy, ay = pz * qx - px * qz, az = px * qy - py * qx;
  const int corners[4] = {a, b, d, e};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    normal.x[corners[i]] += 0.25 * ax;
    normal.y[corners[i]] += 0.25 * ay;
    normal.z[corners[i]] += 0.25 * az;
  }
  return ax * ax + ay * ay + az * az;
}

__device__ __forceinline__ double corner_normals(const Corner& c, Corner& normal) {
#pragma unroll
  for (int i = 0; i < 8; ++i) normal.x[i] = normal.y[i] = normal.z[i] = 0.0;
  double largest = add_face(c, normal, 0, 1, 2, 3);
  largest = fmax(largest, add_face(c, normal, 0, 4, 5, 1));
  largest = fmax(largest, add_face(c, normal, 1, 5, 6, 2));
  largest = fmax(largest, add_face(c, normal, 2, 6, 7, 3));
  largest = fmax(largest, add_face(c, normal, 3, 7, 4, 0));
  return fmax(largest, add_face(c, normal, 4, 7, 6, 5));
}

extern "C" __global__ void __launch_bounds__(128)
    lulesh_element_force(const int* __restrict__ nodes, const double* __restrict__ x, const double* __restrict__ y,
                         const double* __restrict__ z, const double* __restrict__ p, const double* __restrict__ q,
                         double* __restrict__ fx, double* __restrict__ fy, double* __restrict__ fz, int elements) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= elements) return;
  Corner c, normal;
  gather(nodes, x, y, z, e, elements, c);
  corner_normals(c, normal);
  const double stress = p[e] + q[e];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    fx[i * elements + e] = stress * normal.x[i];
    fy[i * elements + e] = stress * normal.y[i];
    fz[i * elements + e] = stress * normal.z[i];
  }
}

extern "C" __global__ void __launch_bounds__(128)
    lulesh_node_force(const int* __restrict__ first_corner, const int* __restrict__ corners,
                      const double* __restrict__ fx, const double* __restrict__ fy, const double* __restrict__ fz,
                      double* __restrict__ nfx, double* __restrict__ nfy, double* __restrict__ nfz, int node_count) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= node_count) return;
  double sx = 0.0, sy = 0.0, sz = 0.0;
  for (int i = first_corner[n]; i < first_corner[n + 1]; ++i) {
    const int corner = corners[i];
    sx += fx[corner];
    sy += fy[corner];
    sz += fz[corner];
  }
  nfx[n] = sx;
  nfy[n] = sy;
  nfz[n] = sz;
}

// One coordinate: force to velocity to position; nodes of the symmetry plane stay in it.
extern "C" __global__ void __launch_bounds__(128)
    lulesh_motion(const double* __restrict__ force, const double* __restrict__ mass,
                  const unsigned char* __restrict__ fixed, double* velocity, double* position, double dt,
                  double cut_off, int node_count) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= node_count) return;
  const double acceleration = fixed[n] ? 0.0 : force[n] / mass[n];
  double v = velocity[n] + acceleration * dt;
  if (fabs(v) < cut_off) v = 0.0;
  velocity[n] = v;
  position[n] += v * dt;
}

extern "C" __global__ void __launch_bounds__(128)
    lulesh_kinematics(const int* __restrict__ nodes, const double* __restrict__ x, const double* __restrict__ y,
                      const double* __restrict__ z, const double* __restrict__ vx, const double* __restrict__ vy,
                      const double* __restrict__ vz, const double* __restrict__ first_volume,
                      const double* __restrict__ volume, double* __restrict__ new_volume, double* __restrict__ change,
                      double* __restrict__ divergence, double* __restrict__ length, int elements) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= elements) return;
  Corner c, normal, v;
  gather(nodes, x, y, z, e, elements, c);
  gather(nodes, vx, vy, vz, e, elements, v);
  const double largest = corner_normals(c, normal);
  double whole = 0.0, rate = 0.0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    whole += c.x[i] * normal.x[i] + c.y[i] * normal.y[i] + c.z[i] * normal.z[i];
    rate += v.x[i] * normal.x[i] + v.y[i] * normal.y[i] + v.z[i] * normal.z[i];
  }
  whole *= 1.0 / 3.0;
  double relative = whole / first_volume[e];
  if (fabs(relative - 1.0) < 1e-10) relative = 1.0;
  new_volume[e] = relative;
  change[e] = relative - volume[e];
  divergence[e] = rate / whole;
  length[e] = whole / sqrt(largest);
}

// Artificial viscosity: linear and quadratic terms, limited where neighbours change alike. n is the mesh's edge.
extern "C" __global__ void __launch_bounds__(128)
    lulesh_viscosity(const double* __restrict__ divergence, const double* __restrict__ new_volume,
                     const double* __restrict__ length, double* __restrict__ linear, double* __restrict__ quadratic,
                     int n, int elements) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= elements) return;
  const double own = divergence[e];
  if (own >= 0.0) {
    linear[e] = quadratic[e] = 0.0;
    return;
  }
  const int place[3] = {e % n, e / n % n, e / (n * n)}, step[3] = {1, n, n * n};
  double limit = 0.0;
#pragma unroll
  for (int d = 0; d < 3; ++d) {
    const double low = (place[d] > 0 ? divergence[e - step[d]] : own) / own;
    const double high = (place[d] < n - 1 ? divergence[e + step[d]] : own) / own;
    const double phi = fmin(0.5 * (low + high), fmin(2.0 * low, 2.0 * high));
    limit += fmin(fmax(phi, 0.0), 1.0) * (1.0 / 3.0);
  }
  const double jump = own * length[e], density = 1.0 / new_volume[e];
  linear[e] = -0.5 * density * jump * (1.0 - limit);
  quadratic[e] = 2.0 * density * jump * jump * (1.0 - limit * limit);
}

extern "C" __global__ void __launch_bounds__(128)
    lulesh_energy(double* __restrict__ energy, double* __restrict__ p, double* __restrict__ q,
                  double* __restrict__ sound, const double* __restrict__ new_volume, const double* __restrict__ change,
                  const double* __restrict__ linear, const double* __restrict__ quadratic, int elements) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= elements) return;
  const double delta = change[e], v = new_volume[e], middle = v - 0.5 * delta, old = p[e] + q[e];
  double now = energy[e] - 0.5 * delta * old;
  const double half = 2.0 / 3.0 * now / middle;
  double viscosity = 0.0;
  if (delta <= 0.0) {
    const double speed = sqrt(fmax(5.0 / 3.0 * half * middle, 1e-36));
    viscosity = speed * linear[e] + quadratic[e];
  }
  now += 0.5 * delta * (3.0 * old - 4.0 * (half + viscosity));
  if (fabs(now) < 1e-7) now = 0.0;
  double pressure = 2.0 / 3.0 * now / v;
  if (fabs(pressure) < 1e-7) pressure = 0.0;
  energy[e] = now;
  p[e] = fmax(pressure, 0.0);
  q[e] = fabs(viscosity) < 1e-7 ? 0.0 : viscosity;
  sound[e] = sqrt(fmax(5.0 / 3.0 * fmax(pressure, 0.0) * v, 1e-36));
}

extern "C" __global__ void __launch_bounds__(128)
    lulesh_volume(const double* __restrict__ new_volume, double* __restrict__ volume, int elements) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e < elements) volume[e] = new_volume[e];
}

// The largest step that the fastest sound allows, the least of a block.
extern "C" __global__ void __launch_bounds__(128)
    lulesh_time(const double* __restrict__ length, const double* __restrict__ sound,
                const double* __restrict__ divergence, double* __restrict__ least, int elements) {
  __shared__ double limits[128];
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  double limit = 1e20;
  if (e < elements && divergence[e] != 0.0) {
    const double moved = divergence[e] < 0.0 ? 8.0 * length[e] * length[e] * divergence[e] * divergence[e] : 0.0;
    limit = length[e] / sqrt(sound[e] * sound[e] + moved);
  }
  limits[threadIdx.x] = limit;
  for (int half = 64; half > 0; half /= 2) {
    __syncthreads();
    if ((int)threadIdx.x < half) limits[threadIdx.x] = fmin(limits[threadIdx.x], limits[threadIdx.x + half]);
  }
  if (threadIdx.x == 0) least[blockIdx.x] = limits[0];
}
