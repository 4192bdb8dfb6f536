// Point sets.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::workloads {

/// Points around `centres` hidden ones in the unit cube, each coordinate off by less than `spread`; dimension by
/// dimension: coordinate d of point i is at [d * points + i].
[[nodiscard]] std::vector<float> clustered_points(std::uint32_t points, std::uint32_t dimensions, std::uint32_t centres,
                                                  float spread, std::uint64_t seed);

}  // namespace heddle::workloads
