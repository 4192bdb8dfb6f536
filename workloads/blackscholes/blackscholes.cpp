// Black-Scholes option pricing. The reference evaluates the same polynomial in double precision. Prices reach 130 and
// are sums of at most 20 rounded float operations of such terms: 20 * 2^-24 * 130 < 2e-4 absolute.
#include <cmath>

#include "workloads/common/arrays.h"
#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(blackscholes)

namespace heddle::workloads::blackscholes {
namespace {

constexpr std::uint32_t kBlock = 128;
constexpr std::uint32_t kMostBlocks = 480;
constexpr float kRate = 0.02f;
constexpr float kVolatility = 0.30f;
constexpr double kTolerance = 2e-4;

double normal_distribution(double d) {
  const double k = 1.0 / (1.0 + 0.2316419 * std::abs(d));
  const double poly = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
  const double tail = 0.39894228 * std::exp(-0.5 * d * d) * poly;
  return d > 0 ? 1 - tail : tail;
}

class BlackScholes final : public Workload {
 public:
  BlackScholes()
      : Workload({.name = "blackscholes",
                  .summary = "Prices European options; five arrays streamed once, transcendental functions between.",
                  .suite = "CUDA SDK",
                  .papers = {{"mask", "BLK", {Trait::kL1TlbHigh, Trait::kL2TlbHigh}},
                             {"scavenger", "BS", {Trait::kMemoryBound}}},
                  .kernels = {{"black_scholes", "BLK"}},
                  .unit = "options",
                  .sizes = {{"tiny", 10'000}, {"small", 400'000}, {"medium", 2'000'000}, {"paper", 4'000'000}},
                  .least = 1,
                  .most = std::uint64_t{1} << 28,
                  .ptx = embedded::blackscholes}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto options = static_cast<std::uint32_t>(request.elements);
    const std::vector<float> price = random_floats(options, request.seed, 0, 5.0f, 30.0f);
    const std::vector<float> strike = random_floats(options, request.seed, 1, 1.0f, 100.0f);
    const std::vector<float> years = random_floats(options, request.seed, 2, 0.25f, 10.0f);
    const runtime::Module module = load(device);
    const runtime::DeviceArray<float> call(device, options);
    const runtime::DeviceArray<float> put(device, options);
    const runtime::DeviceArray<float> device_price(device, price);
    const runtime::DeviceArray<float> device_strike(device, strike);
    const runtime::DeviceArray<float> device_years(device, years);
    const std::uint32_t blocks = std::min(kMostBlocks, blocks_for(options, kBlock));
    device.launch(module.kernel("black_scholes"), {blocks}, {kBlock}, 0, call.address(), put.address(),
                  device_price.address(), device_strike.address(), device_years.address(), kRate, kVolatility, options);

    std::vector<float> expected_call(options);
    std::vector<float> expected_put(options);
    for (std::uint32_t i = 0; i < options; ++i) {
      const double s = price[i], x = strike[i], t = years[i], v = kVolatility, r = kRate;
      const double d1 = (std::log(s / x) + (r + 0.5 * v * v) * t) / (v * std::sqrt(t));
      const double n1 = normal_distribution(d1), n2 = normal_distribution(d1 - v * std::sqrt(t));
      const double discounted = x * std::exp(-r * t);
      expected_call[i] = static_cast<float>(s * n1 - discounted * n2);
      expected_put[i] = static_cast<float>(discounted * (1 - n2) - s * (1 - n1));
    }
    return both(compare_close(expected_call, call.download(), 0.0, kTolerance, "calls"),
                compare_close(expected_put, put.download(), 0.0, kTolerance, "puts"));
  }
};

}  // namespace

HEDDLE_WORKLOAD(BlackScholes)

}  // namespace heddle::workloads::blackscholes
