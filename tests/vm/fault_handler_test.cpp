#include "vm/fault_handler.h"

#include <gtest/gtest.h>

namespace heddle::test {
namespace {

using vm::AddressSpace;
using vm::WalkJob;

class FaultHandlerTest : public testing::Test {
 protected:
  struct Root : sim::ParameterGroup {
    vm::FrameParameters frames{*this, "frames", ""};
    vm::FaultParameters faults{*this, "faults", ""};
  } root_;
  struct Statistics : sim::StatisticGroup {
    Statistics() : StatisticGroup("test") {}
  } statistics_;
  struct Retried {
    std::uint64_t page = 0;
    std::uint16_t owner = 0;
    sim::Cycle at = 0;
    auto operator<=>(const Retried&) const = default;
  };
  vm::PhysicalMemory memory_{root_.frames};
  AddressSpace space_{memory_, {0, vm::PageSize::small, true}};
  std::vector<Retried> retried_;
  std::unique_ptr<vm::FaultHandler> handler_ = root_.faults.handler.make(
      statistics_, "",
      vm::FaultHandler::Setup{root_.faults, statistics_,
                              [this](const WalkJob& job, std::uint16_t owner, sim::Cycle now) {
                                retried_.push_back({job.page.number, owner, now});
                              }});
  void fault(std::uint64_t page, std::uint16_t owner, sim::Cycle now) {
    handler_->add(space_, {&space_, {page}}, owner, now);
  }
  void run() {
    while (handler_->wakes_at() != sim::kNever) handler_->advance(handler_->wakes_at());
  }
};

TEST_F(FaultHandlerTest, TheHostServesOneFaultAtATime) {
  space_.add(0x1000, 0x3000);
  for (const std::uint64_t page : {1, 2, 3}) fault(page, static_cast<std::uint16_t>(page), 100);
  run();
  const std::vector<Retried> expected{{1, 1, 5100}, {2, 2, 10100}, {3, 3, 15100}};
  EXPECT_EQ(retried_, expected);
  for (const std::uint64_t page : {1, 2, 3}) EXPECT_TRUE(space_.find({page}).has_value());
}

TEST_F(FaultHandlerTest, APageServedMeanwhileNeedsNoSecondVisit) {
  space_.add(0x1000, 0x1000);
  fault(1, 0, 0);
  fault(1, 1, 0);
  run();
  const std::vector<Retried> expected{{1, 0, 5000}, {1, 1, 5000}};
  EXPECT_EQ(retried_, expected);
}

TEST_F(FaultHandlerTest, APageOnDiskTakesLonger) {
  space_.add(0x1000, 0x1000);
  space_.evict({1});
  fault(1, 0, 0);
  run();
  EXPECT_EQ(retried_.back().at, root_.faults.major.get());
}

TEST_F(FaultHandlerTest, APageThatWasFreedIsReported) {
  space_.add(0x1000, 0x1000);
  fault(1, 0, 0);
  space_.remove(0x1000, 0x1000);
  EXPECT_THROW(run(), UserError);
}

}  // namespace
}  // namespace heddle::test
