// The ray tracer on the CPU, with the kernel's operations in the kernel's order.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace heddle::workloads::ray {

constexpr int kSpheres = 12;
constexpr int kBounces = 5;
constexpr float kNear = 0.001f;

struct Sphere {
  float x, y, z, radius, red, green, blue, mirror;
};
using Scene = std::array<Sphere, kSpheres>;

struct Vector {
  float x, y, z;
};

inline float dot(Vector a, Vector b) { return std::fma(a.x, b.x, std::fma(a.y, b.y, a.z * b.z)); }
inline Vector along(Vector from, float t, Vector way) {
  return {std::fma(t, way.x, from.x), std::fma(t, way.y, from.y), std::fma(t, way.z, from.z)};
}
inline Vector unit(Vector v) {
  const float scale = 1.0f / std::sqrt(dot(v, v));
  return {v.x * scale, v.y * scale, v.z * scale};
}

inline float distance_to(const Sphere& s, Vector from, Vector way) {
  const Vector apart{from.x - s.x, from.y - s.y, from.z - s.z};
  const float b = dot(apart, way);
  const float square = std::fma(b, b, -std::fma(-s.radius, s.radius, dot(apart, apart)));
  if (square < 0.0f) return -1.0f;
  const float root = std::sqrt(square);
  return -b - root > kNear ? -b - root : root - b;
}

struct Hit {
  float distance = 1e30f;
  int what = -1;  ///< a sphere, kSpheres for the floor, -1 for nothing
};

inline Hit nearest(const Scene& scene, Vector from, Vector way) {
  Hit hit;
  for (int s = 0; s < kSpheres; ++s) {
    const float t = distance_to(scene[static_cast<std::size_t>(s)], from, way);
    if (t > kNear && t < hit.distance) hit = {t, s};
  }
  const float floor_at = (-1.0f - from.y) / way.y;
  if (floor_at > kNear && floor_at < hit.distance) hit = {floor_at, kSpheres};
  return hit;
}

inline std::uint32_t pixel(const Scene& scene, int px, int py, int size) {
  const float scale = 2.0f / static_cast<float>(size);
  Vector from{0.0f, 1.0f, -6.0f};
  Vector way =
      unit({std::fma(static_cast<float>(px), scale, -1.0f), std::fma(static_cast<float>(py), -scale, 1.0f), 1.5f});
  const Vector light = unit({0.5f, 1.0f, -0.7f});
  Vector colour{0.0f, 0.0f, 0.0f};
  float weight = 1.0f;
  for (int bounce = 0; bounce < kBounces; ++bounce) {
    const Hit hit = nearest(scene, from, way);
    if (hit.what < 0) {
      const float sky = weight * std::fma(0.5f, std::max(way.y, 0.0f), 0.3f);
      colour = {colour.x + sky, colour.y + sky, std::fma(1.5f, sky, colour.z)};
      break;
    }
    const Vector at = along(from, hit.distance, way);
    Vector normal{0.0f, 1.0f, 0.0f};
    Vector paint{0.9f, 0.9f, 0.9f};
    float mirror = 0.2f;
    if (hit.what < kSpheres) {
      const Sphere& s = scene[static_cast<std::size_t>(hit.what)];
      normal = unit({at.x - s.x, at.y - s.y, at.z - s.z});
      paint = {s.red, s.green, s.blue};
      mirror = s.mirror;
    } else if (((static_cast<int>(std::floor(at.x)) + static_cast<int>(std::floor(at.z))) & 1) != 0) {
      paint = {0.1f, 0.1f, 0.1f};
    }
    const bool shadow =
        std::any_of(scene.begin(), scene.end(), [&](const Sphere& s) { return distance_to(s, at, light) > kNear; });
    const float bright = shadow ? 0.2f : std::fma(0.8f, std::max(dot(normal, light), 0.0f), 0.2f);
    const float share = weight * (1.0f - mirror);
    colour = {std::fma(share * paint.x, bright, colour.x), std::fma(share * paint.y, bright, colour.y),
              std::fma(share * paint.z, bright, colour.z)};
    weight *= mirror;
    if (weight < 0.02f) break;
    way = along(way, -2.0f * dot(normal, way), normal);
    from = at;
  }
  const auto byte = [](float v) { return static_cast<std::uint32_t>(std::min(v, 1.0f) * 255.0f); };
  return byte(colour.x) | byte(colour.y) << 8 | byte(colour.z) << 16;
}

}  // namespace heddle::workloads::ray
