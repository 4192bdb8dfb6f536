// Plug point: which line of a set goes when a new one comes.
//
// An implementation keeps what it needs per way. It is told of every use and every fill, and asked for a victim among
// the ways that `candidates()` marks (at least one). It must be deterministic.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/registry.h"

namespace heddle::memory {

class Replacement {
 public:
  explicit Replacement(unsigned ways) : candidates_(ways, 0) {}
  virtual ~Replacement() = default;
  virtual void touch(std::size_t set, unsigned way) = 0;
  virtual void fill(std::size_t set, unsigned way) = 0;
  [[nodiscard]] virtual unsigned victim(std::size_t set) = 0;
  [[nodiscard]] std::vector<std::uint8_t>& candidates() { return candidates_; }

 private:
  std::vector<std::uint8_t> candidates_;  ///< by way; bytes, because they are read one by one
};

using ReplacementRegistry = sim::Registry<Replacement, std::size_t, unsigned>;  ///< sets, ways

}  // namespace heddle::memory
