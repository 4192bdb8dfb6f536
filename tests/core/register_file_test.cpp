// The register file by itself: what fits, banks, collectors.
#include <gtest/gtest.h>

#include "core/operand_storage.h"
#include "core/parameters.h"
#include "core/sm_statistics.h"
#include "core/timed_code.h"

namespace heddle::core {
namespace {

class RegisterFileTest : public testing::Test {
 protected:
  void build() { file_ = p_.operands.make(statistics_, "", OperandStorage::Setup{p_, statistics_}); }
  /// An instruction that reads these registers.
  static TimedOp reading(std::initializer_list<std::uint8_t> registers) {
    TimedOp op;
    for (const std::uint8_t r : registers) op.read_registers[op.reads++] = r;
    return op;
  }
  SmParameters p_;
  sim::StatisticGroup root_{"gpu"};
  SmStatistics statistics_{root_, "sm"};
  std::unique_ptr<OperandStorage> file_;
};

TEST_F(RegisterFileTest, TakesBlocksUntilItsRegistersAreUsedInGranules) {
  p_.set_text("registers", "4096");
  p_.set_text("register_granule", "256");
  build();
  // 9 registers of 32 threads are 288, in granules 512: a warp; 4096 holds eight of them.
  EXPECT_TRUE(file_->fits(9, 8));
  EXPECT_FALSE(file_->fits(9, 9));
  file_->block_started(9, 7);
  EXPECT_TRUE(file_->fits(9, 1));
  EXPECT_FALSE(file_->fits(9, 2));
  file_->block_ended(9, 7);
  EXPECT_TRUE(file_->fits(9, 8));
}

TEST_F(RegisterFileTest, RegistersOfOneBankComeOneAfterTheOther) {
  p_.set_text("register_banks", "4");
  p_.set_text("collectors", "8");
  build();
  EXPECT_EQ(file_->dispatch(0, reading({0, 1, 2}), 0, 100), 100u);
  EXPECT_EQ(file_->dispatch(0, reading({0, 4, 8}), 0, 200), 202u) << "all in bank 0";
  EXPECT_EQ(statistics_.bank_conflicts.value(), 2u);
  EXPECT_EQ(file_->dispatch(0, reading({12}), 0, 201), 203u) << "bank 0 is taken until then";
  EXPECT_EQ(file_->dispatch(1, reading({12}), 0, 201), 201u) << "another warp's registers are in other banks";
}

TEST_F(RegisterFileTest, AnInstructionKeepsItsCollectorUntilItsPipeTakesIt) {
  p_.set_text("collectors", "2");
  build();
  EXPECT_EQ(file_->dispatch(0, reading({0}), 150, 100), 150u);
  EXPECT_LE(file_->collects_from(), 100u) << "there is a second one";
  EXPECT_EQ(file_->dispatch(0, reading({1}), 120, 100), 120u);
  EXPECT_EQ(file_->collects_from(), 151u) << "they are taken in turn";
}

}  // namespace
}  // namespace heddle::core
