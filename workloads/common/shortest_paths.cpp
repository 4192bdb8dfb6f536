#include "workloads/common/shortest_paths.h"

#include "workloads/common/random.h"

namespace heddle::workloads {

std::vector<std::int32_t> random_distances(std::uint32_t n, std::uint64_t seed) {
  constexpr std::int32_t kFar = 1 << 28;  // no edge; the sum of two still fits
  Random random(seed);
  std::vector<std::int32_t> result(std::size_t{n} * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const bool edge = random.below(4) == 0;
      const auto length = static_cast<std::int32_t>(1 + random.below(1000));
      result[i * n + j] = i == j ? 0 : (edge ? length : kFar);
    }
  }
  return result;
}

void shortest_paths(std::vector<std::int32_t>& distance, std::size_t n, std::vector<std::int32_t>* next) {
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const std::int32_t through = distance[i * n + k] + distance[k * n + j];
        if (through >= distance[i * n + j]) continue;
        distance[i * n + j] = through;
        if (next != nullptr) (*next)[i * n + j] = static_cast<std::int32_t>(k);
      }
    }
  }
}

}  // namespace heddle::workloads
