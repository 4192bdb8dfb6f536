// The table of what was measured, and the counting TLBs behind it.
#include "cli/characteristics.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/diagnostics.h"
#include "cli/paper_table.h"
#include "cli/tlb_model.h"

namespace heddle::cli {
namespace {

class TableFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              (std::string("heddle_table_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string file() const { return (folder_ / "table.toml").string(); }
  void write(const std::string& text) const {
    std::filesystem::create_directories(folder_);
    std::ofstream(file()) << text;
  }
  /// The message of reading; empty if it succeeds.
  [[nodiscard]] std::string complaint() const {
    try {
      (void)read_characteristics(file());
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }
  std::filesystem::path folder_;
};

TEST_F(TableFile, WithLettersBeyondAsciiIsRefusedWithItsLine) {
  write("gpu = \"x\"\n\xc5\x99 = 1\n");
  EXPECT_NE(complaint().find("table.toml:2:1: error: only ASCII"), std::string::npos) << complaint();
}

TEST_F(TableFile, ComesBackAsItWasWritten) {
  MeasuredSuite suite{"fermi-gtx480", {}};
  Characteristics c;
  c.elements = 300;
  c.footprint_bytes = 4096;
  c.launches = 2;
  c.warp_instructions = 1000;
  c.cycles = 500;
  c.memory_share = 0.25;
  c.l1_tlb_miss_rate = 0.125;
  suite.table["2mm"]["tiny"] = c;
  write_characteristics(suite, file());
  const MeasuredSuite read = read_characteristics(file());
  EXPECT_EQ(read.gpu, "fermi-gtx480");
  const Characteristics& back = read.table.at("2mm").at("tiny");
  EXPECT_EQ(back.elements, 300u);
  EXPECT_EQ(back.cycles, 500u);
  EXPECT_EQ(back.memory_share, 0.25);
  EXPECT_EQ(back.l1_tlb_miss_rate, 0.125);
}

TEST_F(TableFile, ThatIsMissingIsEmpty) { EXPECT_TRUE(read_characteristics(file()).table.empty()); }

TEST_F(TableFile, ThatIsDamagedIsReportedWithItsLine) {
  write("gpu = \"x\"\n[atax\n");
  EXPECT_NE(complaint().find("table.toml:2"), std::string::npos) << complaint();
  write("[atax.tiny]\nelements = \"many\"\n");
  EXPECT_NE(complaint().find("table.toml:2: 'elements' must be a whole number"), std::string::npos) << complaint();
  write("[atax.tiny]\nelements = 1\n");
  EXPECT_NE(complaint().find("'footprint_bytes' is missing"), std::string::npos) << complaint();
}

TEST(Characteristics, HaveEitherATraitOrItsOpposite) {
  using workloads::Trait;
  Characteristics c;
  c.cycles = 1000;
  c.warp_instructions = 1000;
  c.memory_share = 0.5;
  c.lines_per_access = c.pages_per_access = 4;
  c.l1_tlb_miss_rate = 0.20;
  c.l2_tlb_miss_rate = 0.19;
  c.memory_stall_share = 0.6;
  for (const auto& [yes, no] : {std::pair{Trait::kL1TlbHigh, Trait::kL1TlbLow},
                                {Trait::kL2TlbLow, Trait::kL2TlbHigh},
                                {Trait::kMemoryBound, Trait::kComputeBound},
                                {Trait::kTranslationHigh, Trait::kTranslationLow},
                                {Trait::kDivergent, Trait::kCoalesced}}) {
    EXPECT_TRUE(c.has(yes)) << text(yes);
    EXPECT_FALSE(c.has(no)) << text(no);
  }
}

std::string file_text(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(PaperTable, InTheDocumentationIsWhatFollowsFromTheMeasurements) {
  EXPECT_EQ(file_text(HEDDLE_SOURCE_DIR "/docs/characteristics.md"),
            paper_page(read_characteristics(HEDDLE_SOURCE_DIR "/presets/workloads/characteristics.toml")))
      << "run: heddle list --papers --markdown > docs/characteristics.md";
}

TEST(Readme, SaysHowManyWorkloadsThereAre) {
  const std::string count = "shows the " + std::to_string(workloads::all().size()) + " CUDA workloads";
  EXPECT_NE(file_text(HEDDLE_SOURCE_DIR "/README.md").find(count), std::string::npos) << count;
}

TEST(PaperTable, TakesTheLargestSizeThatWasMeasured) {
  MeasuredSuite suite;
  Characteristics& tiny = suite.table["gups"]["tiny"];
  tiny.elements = 10;
  Characteristics& medium = suite.table["gups"]["medium"];
  medium.elements = 1000;
  medium.l1_tlb_miss_rate = 0.5;
  for (const PaperRow& row : paper_rows(suite)) {
    if (row.workload != "gups") {
      EXPECT_EQ(row.size, "");
      continue;
    }
    EXPECT_EQ(row.size, "medium");
    if (row.says == workloads::Trait::kL1TlbHigh) {
      EXPECT_EQ(row.measured, "50.0 % missed");
    }
    EXPECT_EQ(row.agrees, medium.has(row.says));
  }
}

TEST(CountingTlb, KeepsTheMostRecentlyUsedPagesOfASet) {
  CountingTlb tlb(4, 2);  // pages 0, 2, 4 share a set
  EXPECT_FALSE(tlb.access(0));
  EXPECT_FALSE(tlb.access(2));
  EXPECT_TRUE(tlb.access(0));
  EXPECT_FALSE(tlb.access(4));  // takes the place of 2
  EXPECT_TRUE(tlb.access(0));
  EXPECT_FALSE(tlb.access(2));
  EXPECT_FALSE(tlb.access(1));
  EXPECT_EQ(tlb.accesses(), 7u);
  EXPECT_EQ(tlb.misses(), 5u);
}

TEST(TlbModel, LooksUpEachPageOfAnInstructionOnce) {
  TlbModel model(2);
  exec::MemoryAccess access;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) access.address[lane] = lane * 1024;  // eight pages
  model.see(0, access, kAllLanes);
  EXPECT_EQ(model.lookups(), 8u);
  EXPECT_EQ(model.l1_misses(), 8u);
  EXPECT_EQ(model.l2_misses(), 8u);
  model.see(1, access, kAllLanes);  // another SM: its own L1, the same L2
  EXPECT_EQ(model.l1_misses(), 16u);
  EXPECT_EQ(model.l2_misses(), 8u);
  model.see(1, access, 0xf);
  EXPECT_EQ(model.lookups(), 17u);
  EXPECT_EQ(model.l1_misses(), 16u);
  EXPECT_EQ(model.touched_bytes(), 8u * 4096);
}

}  // namespace
}  // namespace heddle::cli
