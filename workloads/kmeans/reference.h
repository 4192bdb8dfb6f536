// k-means on the CPU. `assign` performs the kernel's operations in the kernel's order; `update_centres` is the host's
// half of the algorithm and is shared by the GPU run and the reference.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace heddle::workloads::kmeans {

struct Problem {
  std::uint32_t points = 0;
  std::uint32_t features = 0;
  std::uint32_t clusters = 0;
  std::vector<float> values;  ///< point-major
};

inline std::vector<std::int32_t> assign(const Problem& p, const std::vector<float>& centres) {
  std::vector<std::int32_t> membership(p.points, -1);
  for (std::size_t i = 0; i < p.points; ++i) {
    float smallest = std::numeric_limits<float>::max();
    for (std::uint32_t c = 0; c < p.clusters; ++c) {
      float distance = 0.0f;
      for (std::uint32_t f = 0; f < p.features; ++f) {
        const float difference = p.values[i * p.features + f] - centres[c * p.features + f];
        distance = std::fma(difference, difference, distance);
      }
      if (distance < smallest) {
        smallest = distance;
        membership[i] = static_cast<std::int32_t>(c);
      }
    }
  }
  return membership;
}

/// The mean of each cluster's points; a cluster without points keeps its centre.
inline std::vector<float> update_centres(const Problem& p, const std::vector<std::int32_t>& membership,
                                         const std::vector<float>& old_centres) {
  std::vector<double> sums(old_centres.size(), 0.0);
  std::vector<std::uint32_t> sizes(p.clusters, 0);
  for (std::size_t i = 0; i < p.points; ++i) {
    // A wrong result may hold anything: it is compared later, it must not be used as an index here.
    if (membership[i] < 0 || static_cast<std::uint32_t>(membership[i]) >= p.clusters) continue;
    const auto c = static_cast<std::uint32_t>(membership[i]);
    ++sizes[c];
    for (std::uint32_t f = 0; f < p.features; ++f) sums[c * p.features + f] += p.values[i * p.features + f];
  }
  std::vector<float> centres = old_centres;
  for (std::uint32_t c = 0; c < p.clusters; ++c) {
    if (sizes[c] == 0) continue;
    for (std::uint32_t f = 0; f < p.features; ++f) {
      centres[c * p.features + f] = static_cast<float>(sums[c * p.features + f] / sizes[c]);
    }
  }
  return centres;
}

}  // namespace heddle::workloads::kmeans
