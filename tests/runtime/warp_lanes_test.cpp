// What a GPU gave for lanes that take no part in shuffles, votes, matches and reductions
// (tests/conformance/warp_lanes).
#include <fstream>
#include <sstream>

#include "gpu/parameters.h"
#include "kernel_bench.h"

namespace heddle::runtime {
namespace {

std::string read_recording(const std::string& file) {
  std::ifstream in(std::string(HEDDLE_CONFORMANCE) + "/warp_lanes/" + file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

void compare_with_recording(const Device::Options& options, const std::string& recording, std::size_t expected_rows) {
  Device device(options);
  const Module module = device.load(read_recording(recording + ".ptx"), recording + ".ptx");
  std::stringstream golden(read_recording(recording + ".golden"));
  std::size_t wrong = 0;
  std::size_t rows = 0;
  for (std::string line; std::getline(golden, line); ++rows) {
    std::stringstream fields(line);
    std::string name;
    std::uint32_t a = 0, b = 0, c = 0;
    fields >> name >> std::hex >> a >> b >> c;
    std::vector<std::uint32_t> in;
    const bool match = name.find("match") != std::string::npos;
    for (std::uint32_t i = 0; i < 32; ++i) in.push_back(c == 0x77 ? 9 : match ? i % 3 + 1 : i + 1);
    const DeviceArray<std::uint32_t> values(device, in);
    const DeviceArray<std::uint32_t> results(device, std::vector<std::uint32_t>(64, 0xdd));
    std::stringstream ours;
    std::uint32_t predicates = 0;
    ours << name << std::hex << ' ' << a << ' ' << b << ' ' << c;
    try {
      device.launch(module.kernel(name), {1}, {32}, 0, results.address(), values.address(), a, b, c);
    } catch (const LaunchError& error) {
      EXPECT_EQ(ours.str() + " error CUDA_ERROR_ILLEGAL_INSTRUCTION", line) << error.what();
      EXPECT_EQ(error.cuda_error(), 715);
      continue;
    }
    const std::vector<std::uint32_t> words = results.download();
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      ours << ' ' << words[2 * lane];
      if (words[2 * lane + 1] == 1) predicates |= 1u << lane;
    }
    ours << ' ' << predicates;
    if (ours.str() == line) continue;
    if (++wrong <= 5) ADD_FAILURE() << "recorded " << line << "\nhere     " << ours.str();
  }
  EXPECT_EQ(wrong, 0u) << "of " << rows;
  EXPECT_EQ(rows, expected_rows);
}

TEST(WarpLanes, OfIndependentThreadsGiveWhatTheGpuGave) { compare_with_recording({}, "warp_lanes", 2084); }

TEST(WarpLanes, OnAStackGiveWhatTheGpuGave) {
  Device::Options options;
  options.divergence = exec::divergence_named("stack");
  compare_with_recording(options, "warp_lanes", 2084);
}

TEST(WarpLanes, ThatNoMaskNamesAreAnErrorWhereTheGpuSaidSo) {
  compare_with_recording({}, "foreign", 176);
  Device::Options options;
  options.divergence = exec::divergence_named("stack");
  compare_with_recording(options, "foreign", 176);
}

TEST(WarpLanes, GiveTheSameWhenTimed) {
  auto gpu = std::make_shared<gpu::GpuParameters>();
  gpu->set_text("sms", "1");
  Device::Options options;
  options.gpu = gpu;
  compare_with_recording(options, "warp_lanes", 2084);
}

}  // namespace
}  // namespace heddle::runtime
