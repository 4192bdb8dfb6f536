#include "fatbin/fat_binary.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/diagnostics.h"
#include "tests/cudart/fat_binary_file.h"

namespace heddle::fatbin {
namespace {

using cudart::recorded;

using Kind = FatBinaryEntry::Kind;

TEST(FatBinary, HoldsItsPtxHoweverItIsCompressed) {
  const auto raw_file = recorded("raw.fatbin");
  const auto lz4_file = recorded("lz4.fatbin");
  const auto zstd_file = recorded("zstd.fatbin");
  const auto raw = read_fat_binary(raw_file);
  const auto lz4 = read_fat_binary(lz4_file);
  const auto zstd = read_fat_binary(zstd_file);
  ASSERT_EQ(raw.size(), 1u);
  ASSERT_EQ(lz4.size(), 1u);
  EXPECT_EQ(raw[0].architecture, 75u);
  EXPECT_NE(unpack_ptx(raw[0]).find(".entry _Z5scalePfi("), std::string::npos);
  EXPECT_EQ(unpack_ptx(raw[0]), unpack_ptx(lz4[0]));
  const FatBinaryEntry* same = choose_ptx(zstd, 75);
  ASSERT_NE(same, nullptr);
  EXPECT_EQ(unpack_ptx(*same), unpack_ptx(raw[0]));
}

TEST(FatBinary, ListsEveryEntryWithItsArchitecture) {
  std::string found;
  const auto file = recorded("zstd.fatbin");
  for (const FatBinaryEntry& entry : read_fat_binary(file)) {
    found += entry.kind == Kind::ptx ? "ptx " : "code ";
    found += std::to_string(entry.architecture) + (entry.specific ? "a " : " ");
  }
  for (const char* part : {"ptx 75 ", "ptx 90 ", "ptx 90a ", "code 75 "})
    EXPECT_NE(found.find(part), std::string::npos) << found;
}

TEST(FatBinary, GivesTheNewestPtxThatTheGpuHas) {
  const auto file = recorded("zstd.fatbin");
  const auto entries = read_fat_binary(file);
  EXPECT_EQ(choose_ptx(entries, 75)->architecture, 75u);
  EXPECT_EQ(choose_ptx(entries, 89)->architecture, 75u);
  EXPECT_EQ(choose_ptx(entries, 90)->architecture, 90u);
  EXPECT_EQ(choose_ptx(entries, 100)->architecture, 90u);
  EXPECT_FALSE(choose_ptx(entries, 100)->specific) << "code for one architecture alone does not run on the next";
  EXPECT_EQ(choose_ptx(entries, 20)->architecture, 75u) << "an older GPU gets the oldest there is";
}

TEST(FatBinary, OfMachineCodeAloneHasNoPtxToChoose) {
  const auto file = recorded("machine_code.fatbin");
  const auto entries = read_fat_binary(file);
  EXPECT_EQ(choose_ptx(entries, 90), nullptr);
  EXPECT_EQ(machine_code_names(entries), "sm_75, sm_90");
}

TEST(FatBinary, UnpacksNothingButWhatIsAskedFor) {
  auto file = recorded("zstd.fatbin");
  std::vector<std::span<const std::byte>> others;
  for (const FatBinaryEntry& entry : read_fat_binary(file)) {
    if (entry.kind == Kind::ptx && entry.architecture != 75) others.push_back(entry.data);
  }
  ASSERT_FALSE(others.empty());
  for (const auto& data : others) file[static_cast<std::size_t>(data.data() - file.data())] = std::byte{0xff};
  const auto entries = read_fat_binary(file);
  EXPECT_NE(unpack_ptx(*choose_ptx(entries, 75)).find(".entry _Z5scalePfi("), std::string::npos);
  EXPECT_THROW(static_cast<void>(unpack_ptx(*choose_ptx(entries, 90))), UserError);
}

TEST(FatBinary, ThatClaimsToUnpackToFarTooMuchIsRefused) {
  auto file = recorded("lz4.fatbin");
  const std::size_t bytes = 16 + 56;  // the size of the first entry's text
  for (const std::uint64_t claimed : {std::uint64_t{1} << 29, std::uint64_t{1} << 62, ~std::uint64_t{0}}) {
    std::memcpy(file.data() + bytes, &claimed, sizeof(claimed));
    const auto entries = read_fat_binary(file);
    EXPECT_THROW(static_cast<void>(unpack_ptx(entries.at(0))), UserError) << claimed;
  }
}

TEST(FatBinary, CutShortAnywhereIsAnError) {
  for (const char* name : {"raw.fatbin", "lz4.fatbin", "zstd.fatbin"}) {
    const auto whole = recorded(name);
    for (std::size_t bytes = 0; bytes < whole.size(); bytes += 7)
      EXPECT_THROW(static_cast<void>(read_fat_binary(std::span(whole).first(bytes))), UserError)
          << name << ' ' << bytes;
  }
}

TEST(FatBinary, WithAnyByteDamagedIsReadOrRefused) {
  for (const char* name : {"raw.fatbin", "lz4.fatbin"}) {
    const auto whole = recorded(name);
    for (std::size_t at = 0; at < whole.size(); ++at) {
      for (const int value : {0x00, 0x7f, 0xff}) {
        auto damaged = whole;
        damaged[at] = static_cast<std::byte>(value);
        try {
          const auto entries = read_fat_binary(damaged);
          if (const FatBinaryEntry* entry = choose_ptx(entries, 90)) static_cast<void>(unpack_ptx(*entry));
        } catch (const UserError&) {  // the only way to refuse
        }
      }
    }
  }
}

}  // namespace
}  // namespace heddle::fatbin
