// Whole CUDA programs, compiled with the build, on a device with many and with few registers.
#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "kernel_bench.h"
#include "workloads/common/embedded.h"

HEDDLE_EMBEDDED_PTX(programs)

namespace heddle::runtime {
namespace {

class Programs : public testing::TestWithParam<unsigned> {
 protected:
  Programs() : bench_(options()) {}
  static Device::Options options() {
    Device::Options options;
    options.register_limit = GetParam();
    options.instruction_limit = 500'000'000;
    return options;
  }
  Device& device() { return bench_.device(); }
  Kernel kernel(std::string_view name) {
    const Kernel found = device().load(workloads::embedded::programs(), "programs.ptx").kernel(name);
    EXPECT_LE(found.info().registers, GetParam());
    return found;
  }

  Bench bench_;
};

std::vector<int> numbers(std::size_t count) {
  std::vector<int> values(count);
  std::uint32_t state = 7;
  for (int& v : values) {
    state = state * 1664525u + 1013904223u;
    v = static_cast<int>(state >> 16) - 20000;
  }
  return values;
}

double many_values(const std::vector<int>& in, int i) {
  std::uint32_t a[24];
  double b[12];
  bool p[10];
  const auto value = [&](int k) { return static_cast<std::int32_t>(a[k]); };
  for (int k = 0; k < 24; ++k)
    a[k] = static_cast<std::uint32_t>(in[static_cast<std::size_t>(i * 7 + k * 13) & 255] + k);
  for (int k = 0; k < 12; ++k) b[k] = value(k) * 0.5 + value(k + 12);
  for (int k = 0; k < 10; ++k) p[k] = (value(k) ^ value(k + 3)) % 3 == 0;
  for (int round = 0; round < (i & 7) + 2; ++round) {
    for (int k = 0; k < 24; ++k) a[k] = a[k] * 3 + a[(k + 5) % 24];
    for (int k = 0; k < 12; ++k) {
      if (p[k % 10]) {
        b[k] += b[(k + 1) % 12] * 0.25;
      } else {
        b[k] -= static_cast<double>(value(k) & 1023);
      }
    }
    p[round % 10 == 0 ? 1 : 2] ^= value(3) > value(4);
  }
  double sum = 0;
  for (int k = 0; k < 24; ++k) sum += static_cast<double>(value(k) & 65535) * (k + 1);
  for (int k = 0; k < 12; ++k) sum += b[k];
  for (int k = 0; k < 10; ++k) sum += p[k] ? k * 1000 : 0;
  return sum;
}

TEST_P(Programs, WithManyValuesComputeTheSame) {
  const std::vector<int> in = numbers(256);
  const DeviceArray<int> device_in(device(), in);
  const DeviceArray<double> device_out(device(), 128);
  device().launch(kernel("many_values"), {2}, {64}, 0, device_in.address(), device_out.address());
  const std::vector<double> out = device_out.download();
  for (int i = 0; i < 128; ++i) EXPECT_NEAR(out[static_cast<std::size_t>(i)], many_values(in, i), 1e-6) << i;
}

TEST_P(Programs, CallVirtualFunctions) {
  const DeviceArray<float> out(device(), 64);
  device().launch(kernel("shapes"), {1}, {64}, 0, out.address());
  const std::vector<float> areas = out.download();
  for (std::size_t i = 0; i < 64; ++i) {
    const auto x = static_cast<float>(i);
    EXPECT_EQ(areas[i], i % 3 == 0 ? x * x + 400.0f : 3.0f * x * x) << i;
  }
}

TEST_P(Programs, SortRecursivelyInLocalMemory) {
  std::vector<int> values = numbers(96 * 20);
  const DeviceArray<int> data(device(), values);
  device().launch(kernel("sort_slices"), {3}, {32}, 0, data.address(), 20);
  for (std::size_t t = 0; t < 96; ++t)
    std::sort(values.begin() + static_cast<std::ptrdiff_t>(t * 20),
              values.begin() + static_cast<std::ptrdiff_t>(t * 20 + 20));
  EXPECT_EQ(data.download(), values);
}

TEST_P(Programs, LetTheLastBlockSumUp) {
  const std::vector<int> values = numbers(64 * 50);
  const DeviceArray<int> in(device(), values);
  const DeviceArray<long long> partial(device(), 50);
  const DeviceArray<long long> total(device(), 1);
  device().launch(kernel("last_block_sum"), {50}, {64}, 0, in.address(), partial.address(), total.address());
  EXPECT_EQ(total.download()[0], std::accumulate(values.begin(), values.end(), 0LL));
}

TEST_P(Programs, MayWaitForBlocksThatStartLater) {
  const DeviceArray<int> flags(device(), 100);
  device().launch(kernel("wait_for_later_block"), {100}, {64}, 0, flags.address());
  EXPECT_EQ(flags.download()[0], 100);
}

TEST_P(Programs, MeetAtBarriersOfTheWholeGrid) {
  constexpr int kBlocks = 128;
  constexpr int kRounds = 5;
  const DeviceArray<int> counter(device(), 1);
  const DeviceArray<int> data(device(), 2 * kBlocks);
  device().launch(kernel("grid_barriers"), {kBlocks}, {64}, 0, counter.address(), data.address(), kRounds);
  const std::vector<int> out = data.download();
  for (int b = 0; b < kBlocks; ++b)
    EXPECT_EQ(out[static_cast<std::size_t>((kRounds & 1) * kBlocks + b)], (b + kBlocks - kRounds + 1) % kBlocks);
}

TEST_P(Programs, PushEveryNodeOnceByCompareAndSwap) {
  const DeviceArray<int> head(device(), std::vector<int>{-1});
  const DeviceArray<int> next(device(), 256);
  device().launch(kernel("push_all"), {4}, {64}, 0, head.address(), next.address());
  const std::vector<int> links = next.download();
  std::vector<bool> seen(256, false);
  std::size_t count = 0;
  for (int node = head.download()[0]; node != -1 && count <= 256; node = links[static_cast<std::size_t>(node)], ++count)
    seen[static_cast<std::size_t>(node)] = true;
  EXPECT_EQ(count, 256u);
  EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](bool s) { return s; }));
}

TEST_P(Programs, PrintWhatTheFormatSays) {
  device().launch(kernel("print_everything"), {1}, {32}, 0, -5000000000LL, 3.25, std::uint64_t{0});
  std::string expected[2];
  char text[512];
  const auto big = -5000000000LL;
  // Lanes print one after the other at every call.
  const auto add = [&](auto&& format) {
    for (int t = 0; t < 2; ++t) {
      format(t);
      expected[0] += text;
    }
  };
  add([&](int t) { std::snprintf(text, sizeof text, "%d|%5d|%-5d|%05d|%+d|%i|", t, t + 1, t + 2, t + 3, t + 4, -t); });
  add([&](int) { std::snprintf(text, sizeof text, "%u|%x|%X|%#x|%o|", 4000000000u, 255u, 255u, 255u, 8u); });
  add([&](int) {
    std::snprintf(text, sizeof text, "%lld|%llu|%llx|%ld|", big, static_cast<unsigned long long>(big),
                  static_cast<unsigned long long>(big), static_cast<long>(big));
  });
  add([&](int) {
    std::snprintf(text, sizeof text, "%f|%.2f|%10.3f|%e|%g|%s|%10s|%-4s|%.2s|", 3.25, 3.25, 3.25, 3.25, 3.25, "text",
                  "right", "l", "cut");
  });
  add([&](int t) { std::snprintf(text, sizeof text, "%c%c|%*d|%.1f|%%|0x1234|1|1\n", 'a' + t, 'z', 6, 42, 3.25); });
  EXPECT_EQ(bench_.printed(), expected[0]);
}

TEST_P(Programs, UseTheDeviceHeap) {
  DeviceArray<int> out(device(), 130);
  out.fill(1);
  device().launch(kernel("heap"), {1}, {64}, 0, out.address());
  const std::vector<int> sums = out.download();
  for (int t = 0; t < 64; ++t) EXPECT_EQ(sums[static_cast<std::size_t>(t)], 1600 * t + 120);
  EXPECT_EQ(sums[128], 0) << "a malloc beyond the heap's limit returns null";
}

TEST_P(Programs, FailTheirAssertionsWithTheMessage) {
  device().launch(kernel("assertion"), {1}, {32}, 0, 32);
  try {
    device().launch(kernel("assertion"), {1}, {32}, 0, 20);
    FAIL();
  } catch (const LaunchError& error) {
    EXPECT_EQ(error.cuda_error(), 710);
    EXPECT_NE(std::string(error.what()).find("threadIdx.x < limit"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("thread (20, 0, 0)"), std::string::npos) << error.what();
  }
}

TEST_P(Programs, MayReturnEarlyBeforeABarrier) {
  const DeviceArray<int> out(device(), 128);
  device().launch(kernel("clipped"), {2}, {64}, 0, out.address(), 100);
  const std::vector<int> values = out.download();
  const auto tile = [](int i) { return i >= 100 ? -1 : i % 5 == 4 ? 0 : 2 * i; };
  for (int i = 0; i < 128; ++i) {
    const int base = i / 64 * 64;
    const bool left = i < 100 && i % 5 == 4;
    EXPECT_EQ(values[static_cast<std::size_t>(i)], left ? 0 : tile(i ^ 1) + tile(base + (i - base + 32) % 64)) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(RegisterLimits, Programs, testing::Values(16u, 20u, 24u, 32u, 255u),
                         [](const auto& p) { return std::to_string(p.param) + "Registers"; });

}  // namespace
}  // namespace heddle::runtime
