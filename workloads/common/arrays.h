// Arrays of random numbers, one stream of the seed each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "workloads/common/random.h"

namespace heddle::workloads {

/// `count` floats, uniform in [low, high).
[[nodiscard]] inline std::vector<float> random_floats(std::size_t count, std::uint64_t seed, std::uint64_t stream,
                                                      float low = -1.0f, float high = 1.0f) {
  Random random(seed, stream);
  std::vector<float> values(count);
  for (float& v : values) v = random.uniform(low, high);
  return values;
}

/// `count` integers, uniform in [0, bound).
template <typename T>
[[nodiscard]] std::vector<T> random_integers(std::size_t count, std::uint64_t seed, std::uint64_t stream,
                                             std::uint32_t bound) {
  Random random(seed, stream);
  std::vector<T> values(count);
  for (T& v : values) v = static_cast<T>(random.below(bound));
  return values;
}

}  // namespace heddle::workloads
