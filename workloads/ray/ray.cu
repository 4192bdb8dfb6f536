// Ray tracing of a scene of spheres over a chequered floor: one thread per pixel, up to five reflections, a shadow ray
// at each hit. Rays of a warp hit different things, so they diverge. The scene lies in constant memory.
//
// Every multiply-add is written as one: the host's reference has the same roundings.
#include "heddle_cuda.h"

static const int kSpheres = 12;
static const int kBounces = 5;
static const float kNear = 0.001f;

struct Sphere {
  float x, y, z, radius, red, green, blue, mirror;
};
__constant__ Sphere ray_scene[kSpheres];

struct Vector {
  float x, y, z;
};

__device__ __forceinline__ float dot(Vector a, Vector b) { return fmaf(a.x, b.x, fmaf(a.y, b.y, a.z * b.z)); }
__device__ __forceinline__ Vector along(Vector from, float t, Vector way) {
  return {fmaf(t, way.x, from.x), fmaf(t, way.y, from.y), fmaf(t, way.z, from.z)};
}
__device__ __forceinline__ Vector unit(Vector v) {
  const float scale = 1.0f / sqrtf(dot(v, v));
  return {v.x * scale, v.y * scale, v.z * scale};
}

// The distance to a sphere along a ray, or a negative number.
__device__ float distance_to(const Sphere& s, Vector from, Vector way) {
  const Vector apart = {from.x - s.x, from.y - s.y, from.z - s.z};
  const float b = dot(apart, way), c = fmaf(-s.radius, s.radius, dot(apart, apart));
  const float square = fmaf(b, b, -c);
  if (square < 0.0f) return -1.0f;
  const float root = sqrtf(square), first = -b - root;
  return first > kNear ? first : root - b;
}

extern "C" __global__ void __launch_bounds__(128) ray_trace(unsigned* __restrict__ image, int size) {
  const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= size || py >= size) return;
  const float scale = 2.0f / (float)size;
  Vector from = {0.0f, 1.0f, -6.0f};
  Vector way = unit({fmaf((float)px, scale, -1.0f), fmaf((float)py, -scale, 1.0f), 1.5f});
  const Vector light = unit({0.5f, 1.0f, -0.7f});
  float red = 0.0f, green = 0.0f, blue = 0.0f, weight = 1.0f;
  for (int bounce = 0; bounce < kBounces; ++bounce) {
    float nearest = 1e30f;
    int hit = -1;
    for (int s = 0; s < kSpheres; ++s) {
      const float t = distance_to(ray_scene[s], from, way);
      if (t > kNear && t < nearest) {
        nearest = t;
        hit = s;
      }
    }
    const float floor_at = (-1.0f - from.y) / way.y;
    if (floor_at > kNear && floor_at < nearest) {
      nearest = floor_at;
      hit = kSpheres;
    }
    if (hit < 0) {  // the sky
      const float sky = weight * fmaf(0.5f, fmaxf(way.y, 0.0f), 0.3f);
      red += sky;
      green += sky;
      blue = fmaf(1.5f, sky, blue);
      break;
    }
    const Vector at = along(from, nearest, way);
    Vector normal = {0.0f, 1.0f, 0.0f};
    float r = 0.9f, g = 0.9f, b = 0.9f, mirror = 0.2f;
    if (hit < kSpheres) {
      const Sphere s = ray_scene[hit];
      normal = unit({at.x - s.x, at.y - s.y, at.z - s.z});
      r = s.red;
      g = s.green;
      b = s.blue;
      mirror = s.mirror;
    } else if (((int)floorf(at.x) + (int)floorf(at.z)) & 1) {
      r = g = b = 0.1f;
    }
    bool shadow = false;
    for (int s = 0; s < kSpheres && !shadow; ++s) shadow = distance_to(ray_scene[s], at, light) > kNear;
    const float bright = shadow ? 0.2f : fmaf(0.8f, fmaxf(dot(normal, light), 0.0f), 0.2f);
    const float share = weight * (1.0f - mirror);
    red = fmaf(share * r, bright, red);
    green = fmaf(share * g, bright, green);
    blue = fmaf(share * b, bright, blue);
    weight *= mirror;
    if (weight < 0.02f) break;
    way = along(way, -2.0f * dot(normal, way), normal);
    from = at;
  }
  const unsigned r8 = (unsigned)(fminf(red, 1.0f) * 255.0f), g8 = (unsigned)(fminf(green, 1.0f) * 255.0f);
  const unsigned b8 = (unsigned)(fminf(blue, 1.0f) * 255.0f);
  image[py * size + px] = r8 | g8 << 8 | b8 << 16;
}
