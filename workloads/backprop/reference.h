// The GPU's half of a back-propagation step on the CPU, with the kernels' operations in the kernels' order.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace heddle::workloads::backprop {

constexpr std::uint32_t kHidden = 16;
constexpr std::uint32_t kRow = kHidden + 1;
constexpr float kRate = 0.3f;
constexpr float kMomentum = 0.3f;

struct Network {
  std::vector<float> input;        ///< inputs + 1; word 0 is the constant 1 of the biases
  std::vector<float> weights;      ///< [inputs + 1][17]
  std::vector<float> last_change;  ///< of the weights
};

/// Sums of 16 products each: [inputs / 16][16 hidden units].
inline std::vector<float> partial_sums(const Network& network) {
  const std::size_t inputs = network.input.size() - 1;
  std::vector<float> sums(inputs);
  for (std::size_t first = 0; first < inputs; first += kHidden) {
    for (std::size_t h = 0; h < kHidden; ++h) {
      std::array<float, kHidden> tree{};
      for (std::size_t i = 0; i < kHidden; ++i) {
        const std::size_t row = first + i + 1;
        tree[i] = network.weights[row * kRow + h + 1] * network.input[row];
      }
      for (std::size_t step = 1; step < kHidden; step *= 2) {
        for (std::size_t i = 0; i < kHidden; i += 2 * step) tree[i] = tree[i] + tree[i + step];
      }
      sums[first + h] = tree[0];
    }
  }
  return sums;
}

/// `delta` has 17 words, word 0 unused.
inline void adjust(Network& network, const std::vector<float>& delta) {
  for (std::size_t row = 0; row < network.input.size(); ++row) {
    for (std::size_t h = 1; h <= kHidden; ++h) {
      float& last = network.last_change[row * kRow + h];
      last = std::fma(kRate * delta[h], network.input[row], kMomentum * last);
      network.weights[row * kRow + h] += last;
    }
  }
}

}  // namespace heddle::workloads::backprop
