// The generator behind every workload's input: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
//
// Our own, because the distributions of <random> differ between standard libraries: the same seed must give the same
// input everywhere. One 64-bit state, an odd increment and a mixing function; passes the usual tests, period 2^64.
#pragma once

#include <cstdint>

namespace heddle::workloads {

class Random {
 public:
  /// Different streams of one seed are independent sequences: one per input array.
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0) : state_(mix(seed) ^ mix(~stream)) {}

  std::uint64_t next() { return mix(state_ += kIncrement); }

  /// Uniform in [0, bound), bound > 0. The bias of the multiplication is below bound / 2^32.
  std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(((next() >> 32) * std::uint64_t{bound}) >> 32);
  }

  /// Uniform in [0, 1): a multiple of 2^-24, so exact in float.
  float uniform() { return static_cast<float>(next() >> 40) * 0x1p-24f; }

  /// Uniform in [low, high).
  float uniform(float low, float high) { return low + (high - low) * uniform(); }

 private:
  static constexpr std::uint64_t kIncrement = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio, odd

  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  std::uint64_t state_;
};

}  // namespace heddle::workloads
