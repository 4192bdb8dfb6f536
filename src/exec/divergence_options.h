// Which divergence a launch has (divergence.h), and its bounds.
#pragma once

#include <cstdint>
#include <string>

namespace heddle::exec {

/// Bounds for lanes that wait for others of their warp in a loop.
struct DivergenceOptions {
  std::string kind = "independent";
  /// Rounds of a loop in which nothing changes after which a stack, which cannot run the other lanes, gives up.
  std::uint64_t spin_limit = 10'000'000;
  /// Rounds of a loop after which independent lanes get their turn even though something changes in each round.
  std::uint64_t patience = 100'000;
};

}  // namespace heddle::exec
