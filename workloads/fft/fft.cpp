// Batched Fourier transforms of 256 points. The reference is in double precision. Inputs have |x| < 1.42, so no value
// exceeds 256 * 1.42 = 363; a stage errs by at most four float roundings of such values (4 * 2^-24 * 363 = 8.7e-5), and
// errors of the 8 stages add: 7e-4 absolute.
#include <cmath>
#include <complex>
#include <numbers>

#include "workloads/common/arrays.h"
#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(fft)

namespace heddle::workloads::fft {
namespace {

constexpr std::uint32_t kPoints = 256;
constexpr double kTolerance = 7e-4;

/// Decimation in time, recursive: another method than the kernel's.
std::vector<std::complex<double>> transform(const std::vector<std::complex<double>>& x) {
  if (x.size() == 1) return x;
  std::vector<std::complex<double>> even, odd;
  for (std::size_t i = 0; i < x.size(); i += 2) {
    even.push_back(x[i]);
    odd.push_back(x[i + 1]);
  }
  even = transform(even);
  odd = transform(odd);
  std::vector<std::complex<double>> result(x.size());
  for (std::size_t k = 0; k < x.size() / 2; ++k) {
    const auto angle = -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(x.size());
    const std::complex<double> turned = std::polar(1.0, angle) * odd[k];
    result[k] = even[k] + turned;
    result[k + x.size() / 2] = even[k] - turned;
  }
  return result;
}

class Fft final : public Workload {
 public:
  Fft()
      : Workload({.name = "fft",
                  .summary = "Batched 256-point Fourier transforms, one launch per radix-2 stage over global memory.",
                  .suite = "Parboil",
                  .papers = {{"mask", "FFT", {Trait::kL1TlbLow, Trait::kL2TlbHigh}}},
                  .kernels = {{"fft_stage", "FFT"}},
                  .unit = "transforms of 256 points",
                  .sizes = {{"tiny", 8}, {"small", 256}, {"medium", 768}, {"paper", 1'024}},
                  .least = 1,
                  .most = std::uint64_t{1} << 20,
                  .ptx = embedded::fft}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto batch = static_cast<std::uint32_t>(request.elements);
    const std::vector<float> input = random_floats(std::size_t{batch} * kPoints * 2, request.seed, 0);
    const runtime::Module module = load(device);
    const runtime::DeviceArray<float> first(device, input);
    const runtime::DeviceArray<float> second(device, input.size());
    const runtime::DeviceArray<float>* from = &first;
    const runtime::DeviceArray<float>* to = &second;
    for (std::uint32_t group = 1; group < kPoints; group *= 2) {
      device.launch(module.kernel("fft_stage"), {batch}, {kPoints / 2}, 0, group, from->address(), to->address());
      std::swap(from, to);
    }
    std::vector<float> expected(input.size());
    std::vector<std::complex<double>> x(kPoints);
    for (std::size_t b = 0; b < batch; ++b) {
      const std::size_t base = b * kPoints * 2;
      for (std::size_t i = 0; i < kPoints; ++i) x[i] = {input[base + 2 * i], input[base + 2 * i + 1]};
      const auto result = transform(x);
      for (std::size_t i = 0; i < kPoints; ++i) {
        expected[base + 2 * i] = static_cast<float>(result[i].real());
        expected[base + 2 * i + 1] = static_cast<float>(result[i].imag());
      }
    }
    return compare_close(expected, from->download(), 0.0, kTolerance, "components");
  }
};

}  // namespace

HEDDLE_WORKLOAD(Fft)

}  // namespace heddle::workloads::fft
