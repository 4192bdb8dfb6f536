// The load/store unit by itself: instructions go in, answers come after a fixed time, and the SM is a list of what was
// done when.
#include "core/load_store_unit.h"

#include <gtest/gtest.h>

#include <map>

namespace heddle::core {
namespace {

using sim::Cycle;

constexpr Cycle kAway = 100;  ///< cycles until the memory system answers

struct UnitMachine : sim::ParameterGroup {
  SmParameters sm{*this, "sm", "An SM."};
  memory::NetworkParameters network{*this, "network", "The network."};
  memory::AddressMapParameters map{*this, "memory", "Partitions."};
  vm::VmParameters vm{*this, "vm", "Virtual memory."};
};

class Unit : public testing::Test, public MemoryClient {
 protected:
  Unit() {
    set("memory.partitions", "1");
    set("network.queue", "256");
    set("network.credits", "256");
    set("network.bytes_per_cycle", "1024");
    set("sm.memory_queue", "64");
    set("sm.address_interval", "1");
    set("sm.l1.latency", "10");
  }
  void set(const std::string& path, const std::string& value) { machine_.set_text(path, value); }
  void build() {
    environment_.memory = &data_;
    exec::LaunchConfig config;
    config.code = &code_;
    config.block = {kWarpSize, 1, 1};
    launch_ = std::make_unique<exec::Launch>(config, environment_);
    kernel_.launch = launch_.get();
    memory_ = std::make_unique<vm::VirtualMemory>(machine_.vm, 1);
    memory_->space(0).add(kData, 256 * vm::kPageBytes);
    network_ = std::make_unique<memory::Network>(machine_.network, exchange_, memory::Network::Size{1, 1});
    map_ = std::make_unique<memory::AddressMap>(machine_.map);
    port_ = std::make_unique<memory::NetworkPort>(*network_, *map_, std::uint16_t{0});
    operands_ = machine_.sm.operands.make(statistics_, "", OperandStorage::Setup{machine_.sm, statistics_});
    unit_ = std::make_unique<LoadStoreUnit>(LoadStoreUnit::Setup{machine_.sm, statistics_, *port_, events_, *this,
                                                                 *operands_, memory_.get(), nullptr, 0, 0});
  }
  /// Issues an access whose lane i touches `base + i * stride`; its number in done_.
  std::uint32_t issue(exec::OpKind kind, std::uint64_t base, std::uint64_t stride, LaneMask lanes = kAllLanes) {
    exec::MemoryAccess access;
    access.space = isa::Space::global;
    access.bytes = 4;
    access.lanes = lanes;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) access.address[lane] = base + lane * stride;
    op_[static_cast<std::size_t>(kind)].kind = kind;
    op_[static_cast<std::size_t>(kind)].instruction = &instruction_;
    unit_->take({op_[static_cast<std::size_t>(kind)], access, kernel_, share_, issued_, 0, now_}, now_);
    return issued_++;
  }
  std::uint32_t load(std::uint64_t base, LaneMask lanes = 1) { return issue(exec::OpKind::load, base, 128, lanes); }
  std::uint32_t store(std::uint64_t base) { return issue(exec::OpKind::store, base, 4); }
  /// One cycle of an SM that has nothing else.
  void step() {
    while (!answers_.empty() && answers_.begin()->first <= now_) {
      const memory::Response response = answers_.begin()->second;
      answers_.erase(answers_.begin());
      port_->answered();
      unit_->try_again();
      unit_->answer(response, now_);
    }
    if (events_.due(now_)) events_.take(now_, [&](const Event& event) { unit_->line_done(event.data, now_); });
    if (TranslationUnit* t = unit_->translation(); t != nullptr && t->wakes_at() <= now_) t->tick(now_);
    if (unit_->has_work()) unit_->tick(now_);
    if (unit_->l1().flushing()) unit_->flush_step(now_);
    if (port_->send(now_, statistics_.bytes_out)) unit_->try_again();
    std::vector<memory::Request> sent;
    exchange_.turn_over();
    network_->requests(0).collect(sent);
    for (const memory::Request& r : sent) {
      memory::Response response;
      response.id = r.id;
      response.sectors = r.sectors;
      response.kind = r.kind;
      answers_.emplace(now_ + kAway, response);
    }
    ++now_;
  }
  /// Until nothing is left; fails if that takes too long.
  void drain(Cycle most = 20000) {
    const Cycle end = now_ + most;
    while ((!unit_->idle() || !answers_.empty() || !port_->empty()) && now_ < end) step();
    EXPECT_LT(now_, end) << "it does not come to an end";
  }
  void memory_done(const MemoryInstruction& m, Cycle now) override { done_[m.pc] = now; }
  void flush_advanced(Cycle /*now*/) override {}

  static constexpr std::uint64_t kData = std::uint64_t{1} << 32;
  static std::uint64_t page(std::uint64_t n) { return kData + n * vm::kPageBytes; }

  UnitMachine machine_;
  sim::StatisticGroup root_{"gpu"};
  SmStatistics statistics_{root_, "sm"};
  EventWheel events_;
  sim::Exchange exchange_{1};
  std::unique_ptr<vm::VirtualMemory> memory_;
  std::unique_ptr<memory::Network> network_;
  std::unique_ptr<memory::AddressMap> map_;
  std::unique_ptr<memory::NetworkPort> port_;
  std::unique_ptr<OperandStorage> operands_;
  std::unique_ptr<LoadStoreUnit> unit_;
  isa::Instruction instruction_;
  std::array<exec::Op, 64> op_;
  exec::GlobalMemory data_{1 << 20};
  exec::Environment environment_;
  exec::Code code_{{[] {
                     isa::Instruction exit;
                     exit.op = isa::Opcode::exit;
                     return exit;
                   }()},
                   {}};
  std::unique_ptr<exec::Launch> launch_;
  KernelInstance kernel_;
  KernelShare share_;
  std::multimap<Cycle, memory::Response> answers_;
  std::map<std::uint32_t, Cycle> done_;  ///< when, by number
  std::uint32_t issued_ = 0;
  Cycle now_ = 1;
};

TEST_F(Unit, AHitTakesTheLatencyOfTheL1AndAMissTheWayToMemory) {
  build();
  const auto miss = load(page(0));
  drain();
  EXPECT_EQ(done_[miss], 1 + kAway);
  const Cycle then = now_;
  const auto hit = load(page(0));
  drain();
  EXPECT_EQ(done_[hit], then + 10);
}

TEST_F(Unit, TakesAnInstructionEveryAddressIntervalAndNotFaster) {
  set("sm.address_interval", "4");
  build();
  load(page(0));
  drain();
  const Cycle begin = now_;
  std::vector<std::uint32_t> hits;
  for (int i = 0; i < 8; ++i) hits.push_back(load(page(0)));
  drain();
  for (std::size_t i = 0; i < hits.size(); ++i) EXPECT_EQ(done_[hits[i]], begin + 4 * i + 10);
}

TEST_F(Unit, ALineThatServesSeveralInstructionsWakesThemAll) {
  build();
  const auto first = load(page(0));
  const auto second = load(page(0));
  drain();
  EXPECT_EQ(done_[first], done_[second]);
  EXPECT_EQ(statistics_.l1_merged.value(), 1u);
}

TEST_F(Unit, AStoreIsDoneWhenItsLastLineIsAcknowledged) {
  build();
  const auto wide = issue(exec::OpKind::store, page(0), 128);
  drain();
  EXPECT_EQ(done_[wide], 1 + 31 + kAway);
}

class Translated : public Unit {
 protected:
  Translated() {
    set("sm.mmu.kind", "tlb");
    set("sm.mmu.by_page", "true");
    set("vm.check", "true");
  }
  void warm(std::uint64_t pages) {
    for (std::uint64_t p = 0; p < pages; ++p) {
      load(page(p));
      drain();
    }
  }
  const MmuStatistics& mmu() const {
    for (const sim::StatisticGroup* group : statistics_.groups()) {
      if (const auto* found = dynamic_cast<const MmuStatistics*>(group)) return *found;
    }
    throw std::logic_error("there is no translation unit");
  }
};

TEST_F(Translated, HitsOfTheTlbFollowEachOtherEveryCycle) {
  for (const char* latency : {"0", "1", "5"}) {
    set("sm.mmu.tlb.latency", latency);
    build();
    warm(1);
    const Cycle begin = now_;
    std::vector<std::uint32_t> hits;
    for (int i = 0; i < 6; ++i) hits.push_back(load(page(0)));
    drain();
    for (std::size_t i = 0; i < hits.size(); ++i)
      EXPECT_EQ(done_[hits[i]], begin + i + static_cast<Cycle>(std::stoi(latency)) + 10) << latency;
  }
}

TEST_F(Translated, OneInstructionMayWaitForTranslationsIfOnlyOneMay) {
  set("sm.mmu.waiting", "1");
  build();
  for (std::uint64_t p = 0; p < 4; ++p) load(page(p));
  drain();
  EXPECT_EQ(done_.size(), 4u);
}

TEST_F(Translated, WhatIsHeldBackIsBounded) {
  set("sm.mmu.policy", "blocking");
  set("sm.mmu.waiting", "4");
  build();
  for (std::uint64_t p = 0; p < 40; ++p) load(page(p));
  for (int i = 0; i < 60; ++i) step();
  // One is walked for and three are held back; the others are still in the queue.
  EXPECT_EQ(unit_->queued(), 36u);
  drain();
  EXPECT_EQ(done_.size(), 40u);
}

TEST_F(Translated, AnInstructionWithoutAMissEntryDoesNotHoldUpOthersThatHit) {
  set("sm.mmu.mshrs", "1");
  build();
  warm(1);
  // Two pages in one instruction and one entry: it comes back from the first walk and waits for the entry of others.
  const auto two = issue(exec::OpKind::load, page(10), vm::kPageBytes, 0x7);
  for (int i = 0; i < 3; ++i) step();
  const auto hit = load(page(0));
  drain();
  EXPECT_LT(done_[hit] + kAway, done_[two]);
}

TEST_F(Translated, AStoreWhosePageMissedLeavesItDirty) {
  build();
  const auto wrote = [&](std::uint64_t p) {
    bool found = false;
    for (const auto& touch : unit_->translation()->touches())
      found |= touch.write && touch.page == vm::page_of(page(p));
    return found;
  };
  store(page(3));
  drain();
  EXPECT_TRUE(wrote(3));
  load(page(4));
  drain();
  EXPECT_FALSE(wrote(4));
  store(page(4));
  drain();
  EXPECT_TRUE(wrote(4));
}

TEST_F(Translated, TheLatencyOfMissesIsCountedForEachMiss) {
  set("sm.mmu.by_page", "false");
  build();
  // Four lines of one page: one walk that four lookups wait for, each a cycle less than the one before.
  issue(exec::OpKind::load, page(0), 128, 0xf);
  drain();
  ASSERT_EQ(mmu().misses.value(), 4u);
  ASSERT_EQ(mmu().merged.value(), 3u);
  const double average = static_cast<double>(mmu().miss_latency.value()) / 4;
  EXPECT_NEAR(average, 4 * (kAway + 1), 6);
}

}  // namespace
}  // namespace heddle::core
