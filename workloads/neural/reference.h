// The layers of the digit recogniser on the CPU, for any number of images. Sums have the kernels' operations in the
// kernels' order.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace heddle::workloads::neural {

inline constexpr std::size_t kTaps = 5;

/// 1.7159 tanh(2/3 x), which is 1 at 1 (LeCun, Bottou, Orr and Mueller, "Efficient BackProp", 1998).
inline float squash(float sum) {
  return static_cast<float>(double{1.7159f} * std::tanh(static_cast<double>(0.66666667f * sum)));
}

/// Maps of `width` x `width` become maps of windows of 5 x 5, two apart. Weights of a map: bias, then tap by tap those
/// of each map below.
inline std::vector<float> convolve(const std::vector<float>& in, std::size_t maps_in, std::size_t width,
                                   const std::vector<float>& weights, std::size_t maps) {
  const std::size_t out_width = (width - kTaps) / 2 + 1;
  const std::size_t images = in.size() / (maps_in * width * width);
  const std::size_t per_map = 1 + maps_in * kTaps * kTaps;
  std::vector<float> out;
  out.reserve(images * maps * out_width * out_width);
  for (std::size_t o = 0; o < images * maps * out_width * out_width; ++o) {
    const std::size_t x = o % out_width, y = o / out_width % out_width;
    const std::size_t map = o / (out_width * out_width) % maps, image = o / (out_width * out_width) / maps;
    const float* weight = &weights[map * per_map];
    float sum = *weight++;
    for (std::size_t i = 0; i < kTaps; ++i) {
      for (std::size_t j = 0; j < kTaps; ++j) {
        for (std::size_t m = 0; m < maps_in; ++m) {
          sum = std::fma(in[((image * maps_in + m) * width + 2 * y + i) * width + 2 * x + j], *weight++, sum);
        }
      }
    }
    out.push_back(squash(sum));
  }
  return out;
}

/// Every neuron sees all `inputs` below. Weights of a neuron: bias, then one per input.
inline std::vector<float> connect(const std::vector<float>& in, std::size_t inputs, const std::vector<float>& weights,
                                  std::size_t neurons) {
  std::vector<float> out;
  for (std::size_t first = 0; first < in.size(); first += inputs) {
    for (std::size_t neuron = 0; neuron < neurons; ++neuron) {
      const float* weight = &weights[neuron * (1 + inputs)];
      float sum = weight[0];
      for (std::size_t i = 0; i < inputs; ++i) sum = std::fma(in[first + i], weight[1 + i], sum);
      out.push_back(squash(sum));
    }
  }
  return out;
}

}  // namespace heddle::workloads::neural
