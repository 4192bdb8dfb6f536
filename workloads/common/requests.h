// Request streams of a key-value store: keys like titles of an encyclopaedia, popularity after Zipf.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workloads/common/random.h"

namespace heddle::workloads {

/// Ranks 0, 1, 2, ... with probabilities proportional to 1, 1/2, 1/3, ...
class Zipf {
 public:
  explicit Zipf(std::uint32_t ranks);
  [[nodiscard]] std::uint32_t draw(Random& random) const;

 private:
  std::vector<double> cumulative_;
};

/// `count` different keys of 8 to `longest` lower-case letters, digits and underscores.
[[nodiscard]] std::vector<std::string> title_keys(std::uint32_t count, std::uint32_t longest, std::uint64_t seed);

}  // namespace heddle::workloads
