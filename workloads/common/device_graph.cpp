#include "workloads/common/device_graph.h"

#include <numeric>

#include "workloads/common/random.h"

namespace heddle::workloads {

std::vector<std::int32_t> random_priorities(std::uint32_t vertices, std::uint64_t seed) {
  Random random(seed, 9);
  std::vector<std::int32_t> priority(vertices);
  std::iota(priority.begin(), priority.end(), 0);
  for (std::uint32_t i = vertices; i > 1; --i) std::swap(priority[i - 1], priority[random.below(i)]);
  return priority;
}

}  // namespace heddle::workloads
