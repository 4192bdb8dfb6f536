// Texture reads through texture objects.
#include <gtest/gtest.h>

#include <bit>

#include "runtime/device.h"

namespace heddle::runtime {
namespace {

/// Thread t reads at (t - 2) and stores the four channels.
std::string kernel(const std::string& instruction, const std::string& coordinate) {
  return R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry read(.param .u64 T, .param .u64 D)
{
  .reg .b32 t, x, y, a, b, c, d;
  .reg .f32 f, g;
  .reg .b64 o, p, h;
  ld.param.u64 h, [T];
  ld.param.u64 p, [D];
  mov.u32 t, %tid.x;
  sub.u32 x, t, 2;
  mov.u32 y, 1;
  cvt.rn.f32.s32 f, x;
  mov.f32 g, 0f3FC00000;
  )" + instruction +
         " {a, b, c, d}, [h, " + coordinate + R"(];
  mul.wide.u32 o, t, 16;
  add.u64 p, p, o;
  st.global.v4.u32 [p], {a, b, c, d};
  ret;
}
)";
}

std::vector<std::uint32_t> run(const std::string& ptx, const exec::Texture& description, const void* data,
                               std::size_t bytes, unsigned threads) {
  Device device;
  const DeviceAddress memory = device.allocate(bytes);
  device.copy_to_device(memory, data, bytes);
  exec::Texture texture = description;
  texture.address = memory;
  const std::uint64_t handle = device.create_texture(texture);
  const Module module = device.load(ptx, "texture.ptx");
  const DeviceArray<std::uint32_t> out(device, 4 * threads);
  device.launch(module.kernel("read"), {1, 1, 1}, {threads, 1, 1}, 0, handle, out.address());
  return out.download();
}

TEST(Texture, IntegerCoordinatesNameElementsAndClampAtTheEnds) {
  const float data[] = {10, 20, 30, 40};
  exec::Texture texture;
  texture.width = 4;
  const auto out = run(kernel("tex.1d.v4.f32.s32", "{x}"), texture, data, sizeof(data), 8);
  const float expected[] = {10, 10, 10, 20, 30, 40, 40, 40};
  for (unsigned t = 0; t < 8; ++t) {
    EXPECT_EQ(std::bit_cast<float>(out[4 * t]), expected[t]);
    EXPECT_EQ(out[4 * t + 1], 0u);
    EXPECT_EQ(std::bit_cast<float>(out[4 * t + 3]), 1.0f);
  }
}

TEST(Texture, TheBorderReadsZero) {
  const std::uint32_t data[] = {10, 20, 30, 40};
  exec::Texture texture;
  texture.width = 4;
  texture.kind = exec::ChannelKind::unsigned_integer;
  texture.address_mode = {exec::AddressMode::border, exec::AddressMode::border};
  const auto out = run(kernel("tex.1d.v4.u32.s32", "{x}"), texture, data, sizeof(data), 8);
  const std::uint32_t expected[] = {0, 0, 10, 20, 30, 40, 0, 0};
  for (unsigned t = 0; t < 8; ++t) EXPECT_EQ(out[4 * t], expected[t]);
}

TEST(Texture, TwoDimensionsFollowThePitchAndFourChannelsComeTogether) {
  std::vector<std::uint8_t> data(2 * 64, 0);
  for (unsigned y = 0; y < 2; ++y) {
    for (unsigned x = 0; x < 4; ++x) {
      for (unsigned c = 0; c < 4; ++c) data[y * 64 + x * 4 + c] = static_cast<std::uint8_t>(100 * y + 10 * x + c);
    }
  }
  exec::Texture texture;
  texture.width = 4;
  texture.height = 2;
  texture.pitch = 64;
  texture.channels = 4;
  texture.channel_bytes = 1;
  texture.kind = exec::ChannelKind::unsigned_integer;
  const auto out = run(kernel("tex.2d.v4.u32.s32", "{x, y}"), texture, data.data(), data.size(), 6);
  for (unsigned t = 2; t < 6; ++t) {
    for (unsigned c = 0; c < 4; ++c) EXPECT_EQ(out[4 * t + c], 100 + 10 * (t - 2) + c);
  }
}

TEST(Texture, LinearFilteringWeighsTheNeighbours) {
  const float data[] = {0, 8, 16, 24};
  exec::Texture texture;
  texture.width = 4;
  texture.linear_filter = true;
  const auto out = run(kernel("tex.1d.v4.f32.f32", "{f}"), texture, data, sizeof(data), 6);
  // Coordinate i lies between elements i-1 and i, whose centres are at i-0.5 and i+0.5.
  const float expected[] = {0, 0, 0, 4, 12, 20};
  for (unsigned t = 0; t < 6; ++t) EXPECT_EQ(std::bit_cast<float>(out[4 * t]), expected[t]);
}

TEST(Texture, AHandleThatNobodyMadeIsAnError) {
  Device device;
  const Module module = device.load(kernel("tex.1d.v4.f32.s32", "{x}"), "texture.ptx");
  const DeviceArray<std::uint32_t> out(device, 4);
  try {
    device.launch(module.kernel("read"), {1, 1, 1}, {1, 1, 1}, 0, std::uint64_t{1234}, out.address());
    FAIL();
  } catch (const LaunchError& error) {
    EXPECT_EQ(error.cuda_error(), 700);
    EXPECT_NE(std::string(error.what()).find("texture object"), std::string::npos);
  }
}

}  // namespace
}  // namespace heddle::runtime
