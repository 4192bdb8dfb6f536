// What the device header's functions compute when a device runs them.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <numeric>

#include "runtime/device.h"
#include "ulp.h"
#include "workloads/common/embedded.h"
#include "workloads/common/random.h"

HEDDLE_EMBEDDED_PTX(device_header)

namespace heddle::workloads {
namespace {

template <typename T>
void expect_functions(const char* kernel, const std::vector<std::function<long double(long double)>>& exact,
                      const std::vector<double>& limits) {
  constexpr int kCount = 200;
  Random random(3);
  std::vector<T> in(kCount);
  for (T& x : in) x = static_cast<T>(random.uniform(0.0625f, 20.0f));
  runtime::Device device;
  const runtime::Module module = device.load(embedded::device_header(), "device_header");
  const runtime::DeviceArray<T> device_in(device, in);
  const runtime::DeviceArray<T> device_out(device, kCount * exact.size());
  device.launch(module.kernel(kernel), {2}, {128}, 0, device_in.address(), device_out.address(), kCount);
  const std::vector<T> out = device_out.download();
  for (std::size_t f = 0; f < exact.size(); ++f) {
    for (std::size_t i = 0; i < kCount; ++i) {
      EXPECT_LE(ulp_error(out[f * kCount + i], exact[f](in[i])), limits[f]) << "function " << f << " of " << in[i];
    }
  }
}

TEST(DeviceHeader, FloatMathIsAccurateOnTheDevice) {
  using L = long double;
  expect_functions<float>(
      "float_math",
      {[](L x) { return std::exp(x); }, [](L x) { return std::log(x); }, [](L x) { return std::pow(x, 1.5L); },
       [](L x) { return std::sin(x); }, [](L x) { return std::cos(x); }, [](L x) { return std::tan(x); },
       [](L x) { return std::tanh(x); }, [](L x) { return std::sqrt(x); }, [](L x) { return std::exp(x); },
       [](L x) { return std::log(x); }, [](L x) { return 1 / std::sqrt(x); }, [](L x) { return std::fmod(x, 0.75L); }},
      // The larger of what heddle_math.h and the CUDA manual state: the kernels may have been compiled by nvcc.
      // __expf errs with the product x * log2(e); __logf is only good in absolute terms, so near 1 it is far off.
      {2, 1, 4, 2, 2, 4, 2, 0.501, 32, 4096, 2.5, 0});
}

TEST(DeviceHeader, DoubleMathIsAccurateOnTheDevice) {
  using L = long double;
  expect_functions<double>(
      "double_math",
      {[](L x) { return std::exp(x); }, [](L x) { return std::log(x); }, [](L x) { return std::pow(x, 2.5L); },
       [](L x) { return std::sin(x); }, [](L x) { return std::cos(x); }, [](L x) { return std::sqrt(x); }},
      {1, 1, 2, 2.4, 2.4, 0.501});
}

TEST(DeviceHeader, WarpOperationsExchangeTheRightLanes) {
  runtime::Device device;
  const runtime::Module module = device.load(embedded::device_header(), "device_header");
  const runtime::DeviceArray<std::uint64_t> device_out(device, 12 * 32);
  device.launch(module.kernel("warp_operations"), {1}, {32}, 0, device_out.address());
  const std::vector<std::uint64_t> out = device_out.download();
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    SCOPED_TRACE(lane);
    const std::uint64_t down = lane + 3 < 32 ? lane + 3 : lane;
    EXPECT_EQ(out[0 * 32 + lane], 15u);
    EXPECT_EQ(out[1 * 32 + lane], lane % 8 < 2 ? lane : lane - 2);
    EXPECT_EQ(out[2 * 32 + lane], (down << 32) + down + 1);
    EXPECT_EQ(out[3 * 32 + lane], lane ^ 7u);
    EXPECT_EQ(out[4 * 32 + lane], 0x49249249u);
    EXPECT_EQ(out[5 * 32 + lane], 2u);
    EXPECT_EQ(out[6 * 32 + lane], 0xfu << (lane / 4 * 4));
    EXPECT_EQ(out[7 * 32 + lane], static_cast<unsigned>(std::popcount(lane)) +
                                      100u * static_cast<unsigned>(std::countl_zero(lane)) +
                                      (lane == 0 ? 0u : 10000u * static_cast<unsigned>(std::countr_zero(lane) + 1)));
    std::uint32_t reversed = 0;
    for (unsigned bit = 0; bit < 32; ++bit) reversed |= (lane >> bit & 1) << (31 - bit);
    EXPECT_EQ(out[8 * 32 + lane], reversed);
    EXPECT_EQ(out[9 * 32 + lane], 0x77441100u + lane);
    EXPECT_EQ(out[10 * 32 + lane], 105u);
    EXPECT_EQ(out[11 * 32 + lane], lane ^ 1u);
  }
}

TEST(DeviceHeader, ABarrierMakesEveryThreadReadSharedVariablesAgain) {
  runtime::Device device;
  const runtime::Module module = device.load(embedded::device_header(), "device_header");
  const runtime::DeviceArray<std::int32_t> in(device, std::vector<std::int32_t>{2, 7, 3, 1});
  const runtime::DeviceArray<std::int32_t> out(device, std::size_t{3} * 64);
  device.launch(module.kernel("shared_across_barriers"), {1}, {64}, 0, in.address(), out.address());
  const std::vector<std::int32_t> seen = out.download();
  for (std::size_t thread = 0; thread < 64; ++thread) {
    EXPECT_EQ(seen[thread], 2);
    EXPECT_EQ(seen[64 + thread], 3);
    EXPECT_EQ(seen[128 + thread], 1);
  }
}

TEST(DeviceHeader, RoundedArithmeticIsNeverContracted) {
  runtime::Device device;
  const runtime::Module module = device.load(embedded::device_header(), "device_header");
  // The product is 1 - 2^-46, which rounds to 1: contracted, its difference to 1 would remain.
  const float x = 1.0f + 0x1p-23f;
  const float y = 1.0f - 0x1p-23f;
  const runtime::DeviceArray<float> in(device, std::vector<float>{x, y, -1.0f});
  const runtime::DeviceArray<float> out(device, std::size_t{4});
  device.launch(module.kernel("rounded_twice"), {1}, {1}, 0, in.address(), out.address());
  EXPECT_EQ(out.download(), (std::vector<float>{0.0f, 0.0f, 2.0f, -0x1p-46f}));
}

TEST(DeviceHeader, AtomicsLoseNoUpdate) {
  constexpr int kThreads = 512;
  runtime::Device device;
  const runtime::Module module = device.load(embedded::device_header(), "device_header");
  const runtime::DeviceArray<std::int32_t> i(device, std::vector<std::int32_t>{0, 0, 0, 0, -1, 0, 0});
  const runtime::DeviceArray<std::uint32_t> u(device, std::vector<std::uint32_t>{0, 0, 0, 4'000'000'000u, 0, 0});
  const runtime::DeviceArray<std::uint64_t> l(device, std::vector<std::uint64_t>{0, 0, 0});
  const runtime::DeviceArray<float> f(device, std::vector<float>{0});
  const runtime::DeviceArray<double> d(device, std::vector<double>{0});
  device.launch(module.kernel("atomics"), {2}, {kThreads / 2}, 0, i.address(), u.address(), l.address(), f.address(),
                d.address());
  EXPECT_EQ(i.download(),
            (std::vector<std::int32_t>{kThreads * (kThreads - 1) / 2, -2 * kThreads, 1 - kThreads, kThreads - 1,
                                       std::bit_cast<std::int32_t>(0x80000000u), 0xfffff, 0}));
  // atomicInc wraps after 9 (period 10); atomicDec from 0 wraps to 9.
  EXPECT_EQ(u.download(), (std::vector<std::uint32_t>{3 * kThreads, kThreads % 10, 10 - kThreads % 10,
                                                      4'000'000'001u - kThreads, 3'999'999'999u + kThreads, 77}));
  EXPECT_EQ(l.download(), (std::vector<std::uint64_t>{std::uint64_t{kThreads} << 32, 0x8000000000000000u + kThreads - 1,
                                                      5 * kThreads}));
  EXPECT_EQ(f.download(), std::vector<float>{0.5f * kThreads});
  EXPECT_EQ(d.download(), std::vector<double>{0.25 * kThreads});
}

}  // namespace
}  // namespace heddle::workloads
