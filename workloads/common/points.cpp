#include "workloads/common/points.h"

#include "workloads/common/random.h"

namespace heddle::workloads {

std::vector<float> clustered_points(std::uint32_t points, std::uint32_t dimensions, std::uint32_t centres, float spread,
                                    std::uint64_t seed) {
  Random random(seed, 5);
  std::vector<float> hidden(std::size_t{centres} * dimensions);
  for (float& v : hidden) v = random.uniform();
  std::vector<float> coordinates(std::size_t{points} * dimensions);
  for (std::size_t i = 0; i < points; ++i) {
    const std::size_t centre = random.below(centres);
    for (std::size_t d = 0; d < dimensions; ++d) {
      coordinates[d * points + i] = hidden[centre * dimensions + d] + random.uniform(-spread, spread);
    }
  }
  return coordinates;
}

}  // namespace heddle::workloads
