// Back-propagation: one training step of a perceptron with 16 hidden units and one output. The GPU does the two passes
// over the large weight matrix, the host the small output layer, as in Rodinia. The check is exact.
#include "workloads/backprop/reference.h"

#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/random.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(backprop)

namespace heddle::workloads::backprop {
namespace {

using backprop::kHidden;
using backprop::kRow;

backprop::Network make_network(std::uint32_t inputs, std::uint64_t seed) {
  Random random(seed);
  backprop::Network network;
  network.input.resize(inputs + 1);
  network.weights.resize(network.input.size() * kRow);
  for (float& v : network.input) v = random.uniform();
  network.input[0] = 1.0f;
  // Small, so that no hidden unit saturates however many inputs there are.
  for (float& v : network.weights) v = random.uniform(-1.0f, 1.0f) / static_cast<float>(inputs);
  network.last_change.resize(network.weights.size());
  for (float& v : network.last_change) v = random.uniform(-0.001f, 0.001f);
  return network;
}

float squash(float x) { return 1.0f / (1.0f + std::exp(-x)); }

/// The host's part: hidden units from the partial sums, one output unit, and the hidden units' error terms.
std::vector<float> hidden_deltas(const backprop::Network& network, const std::vector<float>& partial_sums) {
  constexpr float kTarget = 0.1f;
  std::vector<float> hidden(kHidden + 1, 1.0f);
  for (std::size_t h = 1; h <= kHidden; ++h) {
    float sum = network.weights[h];
    for (std::size_t i = h - 1; i < partial_sums.size(); i += kHidden) sum += partial_sums[i];
    hidden[h] = squash(sum);
  }
  float sum = 0.0f;
  for (std::size_t h = 0; h <= kHidden; ++h) sum += hidden[h] * 0.05f * static_cast<float>(h);
  const float output = squash(sum);
  const float output_delta = output * (1.0f - output) * (kTarget - output);
  std::vector<float> delta(kHidden + 1, 0.0f);
  for (std::size_t h = 1; h <= kHidden; ++h) {
    delta[h] = hidden[h] * (1.0f - hidden[h]) * output_delta * 0.05f * static_cast<float>(h);
  }
  return delta;
}

class Backprop final : public Workload {
 public:
  Backprop()
      : Workload(
            {.name = "backprop",
             .summary =
                 "Back-propagation: a pass over a weight matrix with trees in shared memory, and one that updates it.",
             .suite = "Rodinia",
             .papers = {{"mask", "BP", {Trait::kL1TlbHigh, Trait::kL2TlbLow}},
                        {"power", "backprop", {}},
                        {"regless", "backprop", {}},
                        {"scavenger", "BP", {Trait::kMemoryBound}},
                        {"virtual_caching", "backprop", {Trait::kTranslationLow}}},
             .kernels = {{"backprop_layerforward", "backprop_1"}, {"backprop_adjust_weights", "backprop_2"}},
             .unit = "input units (rounded up to a multiple of 16)",
             .sizes = {{"tiny", 500}, {"small", 16'000}, {"medium", 50'000}, {"paper", 65'536}},
             .least = 1,
             .most = std::uint64_t{1} << 26,
             .ptx = embedded::backprop}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto inputs = static_cast<std::uint32_t>(round_up(request.elements, kHidden));
    backprop::Network network = make_network(inputs, request.seed);

    const runtime::Module module = load(device);
    const runtime::DeviceArray<float> input(device, network.input);
    runtime::DeviceArray<float> weights(device, network.weights);
    const runtime::DeviceArray<float> partial_sums(device, inputs);
    const Dim3 grid{inputs / kHidden};
    const Dim3 block{kHidden, kHidden};
    device.launch(module.kernel("backprop_layerforward"), grid, block, 0, input.address(), weights.address(),
                  partial_sums.address());
    const std::vector<float> sums = partial_sums.download();

    const std::vector<float> deltas = hidden_deltas(network, sums);
    const runtime::DeviceArray<float> delta(device, deltas);
    const runtime::DeviceArray<float> last_change(device, network.last_change);
    weights.upload(network.weights);
    device.launch(module.kernel("backprop_adjust_weights"), grid, block, 0, delta.address(), input.address(),
                  weights.address(), last_change.address());

    const Outcome forward = compare_exact(backprop::partial_sums(network), sums, "partial sums");
    backprop::adjust(network, deltas);
    return both(forward, both(compare_exact(network.weights, weights.download(), "weights"),
                              compare_exact(network.last_change, last_change.download(), "changes")));
  }
};

}  // namespace

HEDDLE_WORKLOAD(Backprop)

}  // namespace heddle::workloads::backprop
