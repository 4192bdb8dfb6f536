// Recognition of handwritten digits: images of 29 x 29 pixels with a few pen strokes, random weights. Each layer is
// compared with what the CPU makes of the GPU's layer below. The sums are equal; tanhf is within 1.9 units in the last
// place, its factor and the reference round once each: 3 units.
#include <cmath>

#include "workloads/common/arrays.h"
#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/neural/reference.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(neural)

namespace heddle::workloads::neural {
namespace {

constexpr std::uint32_t kInput = 29;
constexpr std::uint32_t kFirst = 13;
constexpr std::uint32_t kFirstMaps = 6;
constexpr std::uint32_t kSecond = 5;
constexpr std::uint32_t kSecondMaps = 50;
constexpr std::uint32_t kSecondNeurons = kSecondMaps * kSecond * kSecond;
constexpr std::uint32_t kHidden = 100;
constexpr std::uint32_t kDigits = 10;

/// Three strokes on an empty background; pixels from -1 to 1.
std::vector<float> draw_images(std::size_t count, std::uint64_t seed) {
  constexpr std::size_t kPixels = std::size_t{kInput} * kInput;
  constexpr int kStrokes = 3;
  constexpr int kPoints = 40;  // along a stroke: less than a pixel apart
  Random random(seed);
  std::vector<float> pixels(count * kPixels, -1.0f);
  for (std::size_t image = 0; image < count; ++image) {
    float x = random.uniform(5.0f, 24.0f), y = random.uniform(5.0f, 24.0f);
    for (int stroke = 0; stroke < kStrokes; ++stroke) {
      const float dx = (random.uniform(5.0f, 24.0f) - x) / kPoints, dy = (random.uniform(5.0f, 24.0f) - y) / kPoints;
      for (int point = 0; point < kPoints; ++point, x += dx, y += dy) {
        const auto at = image * kPixels + static_cast<std::size_t>(y) * kInput + static_cast<std::size_t>(x);
        for (const std::size_t pixel : {at, at + 1, at + kInput, at + kInput + 1}) pixels[pixel] = 1.0f;
      }
    }
  }
  return pixels;
}

/// Small enough that sums stay where tanh is not flat.
std::vector<float> make_weights(std::size_t neurons, std::size_t inputs, std::uint64_t seed, std::uint64_t stream) {
  const float most = 1.0f / std::sqrt(static_cast<float>(inputs));
  return random_floats(neurons * (1 + inputs), seed, stream, -most, most);
}

class NeuralNetwork final : public Workload {
 public:
  NeuralNetwork()
      : Workload({.name = "neural",
                  .summary = "Recognises digits with a convolutional network: small blocks, down to one thread, that "
                             "share weights.",
                  .suite = "ISPASS 2009",
                  .papers = {{"mask", "NN", {Trait::kL1TlbLow, Trait::kL2TlbLow}}},
                  .kernels = {{"neural_first", "NN-1"},
                              {"neural_second", "NN-2"},
                              {"neural_third", "NN-3"},
                              {"neural_fourth", "NN-4"}},
                  .unit = "images",
                  .sizes = {{"tiny", 1}, {"small", 4}, {"medium", 20}, {"paper", 28}},
                  .least = 1,
                  .most = 65'535,
                  .ptx = embedded::neural}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto count = static_cast<std::uint32_t>(request.elements);
    const std::vector<float> images = draw_images(count, request.seed);
    const std::vector<float> weights1 = make_weights(kFirstMaps, 25, request.seed, 1);
    const std::vector<float> weights2 = make_weights(kSecondMaps, 25 * kFirstMaps, request.seed, 2);
    const std::vector<float> weights3 = make_weights(kHidden, kSecondNeurons, request.seed, 3);
    const std::vector<float> weights4 = make_weights(kDigits, kHidden, request.seed, 4);
    const runtime::Module module = load(device);
    const runtime::DeviceArray<float> device_images(device, images);
    const runtime::DeviceArray<float> device_weights1(device, weights1);
    const runtime::DeviceArray<float> device_weights2(device, weights2);
    const runtime::DeviceArray<float> device_weights3(device, weights3);
    const runtime::DeviceArray<float> device_weights4(device, weights4);
    const runtime::DeviceArray<float> layer1(device, std::size_t{count} * kFirstMaps * kFirst * kFirst);
    const runtime::DeviceArray<float> layer2(device, std::size_t{count} * kSecondNeurons);
    const runtime::DeviceArray<float> layer3(device, std::size_t{count} * kHidden);
    const runtime::DeviceArray<float> layer4(device, std::size_t{count} * kDigits);
    device.launch(module.kernel("neural_first"), {kFirstMaps, count}, {kFirst, kFirst}, 0, device_images.address(),
                  device_weights1.address(), layer1.address());
    device.launch(module.kernel("neural_second"), {kSecondMaps, count}, {kSecond, kSecond}, 0, layer1.address(),
                  device_weights2.address(), layer2.address());
    device.launch(module.kernel("neural_third"), {kHidden, count}, {1}, 0, layer2.address(), device_weights3.address(),
                  layer3.address(), kSecondNeurons);
    device.launch(module.kernel("neural_fourth"), {kDigits, count}, {1}, 0, layer3.address(), device_weights4.address(),
                  layer4.address());
    const std::vector<float> first = layer1.download(), second = layer2.download(), third = layer3.download();
    const auto compare = [](const std::vector<float>& expected, const std::vector<float>& actual, const char* what) {
      return compare_close(expected, actual, 3 * 0x1p-23, 0.0, what);
    };
    const Outcome maps =
        both(compare(neural::convolve(images, 1, kInput, weights1, kFirstMaps), first, "first layer"),
             compare(neural::convolve(first, kFirstMaps, kFirst, weights2, kSecondMaps), second, "second layer"));
    const Outcome neurons =
        both(compare(neural::connect(second, kSecondNeurons, weights3, kHidden), third, "third layer"),
             compare(neural::connect(third, kHidden, weights4, kDigits), layer4.download(), "digits"));
    return both(maps, neurons);
  }
};

}  // namespace

HEDDLE_WORKLOAD(NeuralNetwork)

}  // namespace heddle::workloads::neural
