#include "exec/store_buffer.h"

#include <gtest/gtest.h>

#include <random>

namespace heddle::exec {
namespace {

constexpr std::size_t kBytes = 1 << 20;

/// Stores of all sizes, to places that meet often.
void store_at_random(StoreBuffer& buffer, std::vector<std::uint8_t>& memory, std::vector<std::uint8_t>& wanted,
                     unsigned seed) {
  std::mt19937 random(seed);
  for (int i = 0; i < 20000; ++i) {
    const unsigned bytes = 1u << random() % 5;
    const std::size_t at = random() % (kBytes / 64) * 64 + random() % (64 / bytes) * bytes;
    std::array<std::uint8_t, 16> data{};
    for (std::uint8_t& byte : data) byte = static_cast<std::uint8_t>(random());
    buffer.store(memory.data() + at, data.data(), bytes);
    std::memcpy(wanted.data() + at, data.data(), bytes);
  }
}

TEST(StoreBuffer, PartsTogetherAreAllThatWasStored) {
  std::vector<std::uint8_t> memory(kBytes, 7);
  std::vector<std::uint8_t> wanted = memory;
  StoreBuffer buffer;
  store_at_random(buffer, memory, wanted, 1);
  EXPECT_EQ(memory, std::vector<std::uint8_t>(kBytes, 7)) << "nothing is written before its time";
  for (unsigned part = StoreBuffer::kParts; part-- > 0;) buffer.apply(part);
  EXPECT_EQ(memory, wanted);
}

TEST(StoreBuffer, ClearedPatchesAndAppliesNothing) {
  std::vector<std::uint8_t> memory(kBytes, 7);
  std::vector<std::uint8_t> wanted = memory;
  StoreBuffer buffer;
  store_at_random(buffer, memory, wanted, 2);
  EXPECT_FALSE(buffer.empty());
  EXPECT_GT(buffer.words(), 1000u);
  buffer.clear();
  EXPECT_TRUE(buffer.empty());
  EXPECT_EQ(buffer.words(), 0u);
  buffer.flush();
  std::uint64_t value = 3;
  buffer.patch(memory.data(), &value, sizeof value);
  EXPECT_EQ(value, 3u);
  EXPECT_EQ(memory, std::vector<std::uint8_t>(kBytes, 7));
}

TEST(StoreBuffer, BuffersMeetInOnePartOnly) {
  // What one buffer writes in a part, another one writes in the same part: order within parts is order of buffers.
  std::vector<std::uint8_t> memory(kBytes, 0);
  const std::uint64_t first = 1;
  const std::uint64_t second = 2;
  for (std::size_t at = 0; at < kBytes; at += 8) {
    StoreBuffer one;
    StoreBuffer other;
    one.store(memory.data() + at, &first, 8);
    other.store(memory.data() + at, &second, 8);
    for (unsigned part = 0; part < StoreBuffer::kParts; ++part) {
      one.apply(part);
      other.apply(part);
    }
    std::uint64_t found = 0;
    std::memcpy(&found, memory.data() + at, 8);
    ASSERT_EQ(found, second) << at;
    at += 8 * 37;
  }
}

}  // namespace
}  // namespace heddle::exec
