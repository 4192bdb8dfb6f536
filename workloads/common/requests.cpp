#include "workloads/common/requests.h"

#include <algorithm>

#include <fmt/format.h>

namespace heddle::workloads {

Zipf::Zipf(std::uint32_t ranks) : cumulative_(ranks) {
  double sum = 0;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) cumulative_[rank] = sum += 1.0 / (rank + 1.0);
}

std::uint32_t Zipf::draw(Random& random) const {
  const double point = static_cast<double>(random.next() >> 11) * 0x1p-53 * cumulative_.back();
  const auto at = std::upper_bound(cumulative_.begin(), cumulative_.end(), point);
  return static_cast<std::uint32_t>(std::min<std::ptrdiff_t>(at - cumulative_.begin(), std::ssize(cumulative_) - 1));
}

std::vector<std::string> title_keys(std::uint32_t count, std::uint32_t longest, std::uint64_t seed) {
  Random random(seed, 6);
  std::vector<std::string> keys(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    // The number in front makes the key different from all others.
    std::string& key = keys[i] = fmt::format("{:x}_", i);
    const std::uint32_t length = 8 + random.below(longest - 7);
    while (key.size() < length) key.push_back(random.below(7) == 0 ? '_' : static_cast<char>('a' + random.below(26)));
  }
  return keys;
}

}  // namespace heddle::workloads
