// The load/store unit by itself, for tests: instructions go in, answers come after a fixed time, and the SM is a list
// of what was done when.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/load_store_unit.h"

namespace heddle::core {

using sim::Cycle;

inline constexpr Cycle kAway = 100;  ///< cycles until the memory system answers

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
                                                                 *operands_, memory_.get(), nullptr, 0, 0, observer_,
                                                                 checker_.get()});
  }
  /// Issues an access whose lane i touches `base + i * stride`; its number in done_.
  std::uint32_t issue(exec::OpKind kind, std::uint64_t base, std::uint64_t stride, LaneMask lanes = kAllLanes) {
    exec::MemoryAccess access;
    access.space = isa::Space::global;
    access.bytes = 4;
    access.lanes = lanes;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) access.address[lane] = base + lane * stride;
    return take(kind, access);
  }
  std::uint32_t take(exec::OpKind kind, const exec::MemoryAccess& access) {
    op_[static_cast<std::size_t>(kind)].kind = kind;
    op_[static_cast<std::size_t>(kind)].instruction = &instruction_;
    unit_->take({op_[static_cast<std::size_t>(kind)], access, kernel_, share_, issued_, warp_, 0, now_}, now_);
    return issued_++;
  }
  std::uint32_t load(std::uint64_t base, LaneMask lanes = 1) { return issue(exec::OpKind::load, base, 128, lanes); }
  std::uint32_t store(std::uint64_t base) { return issue(exec::OpKind::store, base, 4); }
  /// One cycle of an SM that has nothing else.
  void step() {
    port_->take_credits(now_);
    while (!answers_.empty() && answers_.begin()->first <= now_) {
      const memory::Response response = answers_.begin()->second;
      if (!unit_->can_take(response, now_)) break;
      answers_.erase(answers_.begin());
      port_->answered();
      unit_->try_again();
      unit_->answer(response, now_);
    }
    if (events_.due(now_))
      events_.take(
          now_, [](WarpSet) {}, [&](const Event& event) { unit_->line_done(event.data, now_); });
    if (TranslationUnit* t = unit_->translation(); t != nullptr && t->wakes_at() <= now_) t->tick(now_);
    if (unit_->has_work()) unit_->tick(now_);
    if (unit_->l1().flushing()) unit_->flush_step(now_);
    if (port_->send(now_, statistics_.bytes_out)) unit_->try_again();
    std::vector<memory::Request> sent;
    exchange_.turn_over();
    network_->requests(0).collect(sent);
    (void)port_->collect_credits();
    for (const memory::Request& r : sent) {
      memory::Response response;
      response.id = r.id;
      response.sectors = r.sectors;
      response.kind = r.kind;
      answers_.emplace(now_ + kAway, response);
      network_->credits(0).send({0, now_});
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
  std::unique_ptr<memory::LineChecker> checker_;  ///< of a checked run
  MemoryObserver* observer_ = nullptr;            ///< who is told of lookups, if somebody is
  std::multimap<Cycle, memory::Response> answers_;
  std::map<std::uint32_t, Cycle> done_;  ///< when, by number
  std::uint32_t issued_ = 0;
  unsigned warp_ = 0;  ///< that issues
  Cycle now_ = 1;
};

}  // namespace heddle::core
