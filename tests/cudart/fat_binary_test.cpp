#include "cudart/fat_binary.h"

#include <gtest/gtest.h>

#include "base/diagnostics.h"
#include "tests/cudart/fat_binary_file.h"

namespace heddle::cudart {
namespace {

using Kind = FatBinaryEntry::Kind;

TEST(FatBinary, HoldsItsPtxHoweverItIsCompressed) {
  const auto raw = read_fat_binary(recorded("raw.fatbin"));
  const auto lz4 = read_fat_binary(recorded("lz4.fatbin"));
  const auto zstd = read_fat_binary(recorded("zstd.fatbin"));
  ASSERT_EQ(raw.size(), 1u);
  ASSERT_EQ(lz4.size(), 1u);
  EXPECT_EQ(raw[0].architecture, 75u);
  EXPECT_NE(raw[0].ptx.find(".entry _Z5scalePfi("), std::string::npos);
  EXPECT_EQ(raw[0].ptx, lz4[0].ptx);
  const FatBinaryEntry* same = choose_ptx(zstd, 75);
  ASSERT_NE(same, nullptr);
  EXPECT_EQ(same->ptx, raw[0].ptx);
}

TEST(FatBinary, ListsEveryEntryWithItsArchitecture) {
  std::string found;
  for (const FatBinaryEntry& entry : read_fat_binary(recorded("zstd.fatbin"))) {
    found += entry.kind == Kind::ptx ? "ptx " : "code ";
    found += std::to_string(entry.architecture) + (entry.specific ? "a " : " ");
  }
  for (const char* part : {"ptx 75 ", "ptx 90 ", "ptx 90a ", "code 75 "})
    EXPECT_NE(found.find(part), std::string::npos) << found;
}

TEST(FatBinary, GivesTheNewestPtxThatTheGpuHas) {
  const auto entries = read_fat_binary(recorded("zstd.fatbin"));
  EXPECT_EQ(choose_ptx(entries, 75)->architecture, 75u);
  EXPECT_EQ(choose_ptx(entries, 89)->architecture, 75u);
  EXPECT_EQ(choose_ptx(entries, 90)->architecture, 90u);
  EXPECT_EQ(choose_ptx(entries, 100)->architecture, 90u);
  EXPECT_FALSE(choose_ptx(entries, 100)->specific) << "code for one architecture alone does not run on the next";
  EXPECT_EQ(choose_ptx(entries, 20)->architecture, 75u) << "an older GPU gets the oldest there is";
}

TEST(FatBinary, OfMachineCodeAloneHasNoPtxToChoose) {
  const auto entries = read_fat_binary(recorded("machine_code.fatbin"));
  EXPECT_EQ(choose_ptx(entries, 90), nullptr);
  EXPECT_EQ(machine_code_names(entries), "sm_75, sm_90");
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
          static_cast<void>(choose_ptx(read_fat_binary(damaged), 90));
        } catch (const UserError&) {  // the only way to refuse
        }
      }
    }
  }
}

}  // namespace
}  // namespace heddle::cudart
