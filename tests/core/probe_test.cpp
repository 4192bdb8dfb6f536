// Probes to an SM that does nothing else: what its L1 gives up, and when the answer comes.
#include <gtest/gtest.h>

#include "core/sm.h"

namespace heddle::core {
namespace {

/// Of operand storage, and nobody is told: what the SM would wake is no warp's.
constexpr std::uint32_t kNobody = 2u << 26 | ((1u << 26) - 1);

struct ProbedMachine : sim::ParameterGroup {
  SmParameters sm{*this, "sm", "An SM."};
  memory::NetworkParameters network{*this, "network", "The network."};
  memory::AddressMapParameters map{*this, "memory", "Partitions."};
};

class Probed : public testing::Test {
 protected:
  void build(const std::string& writes) {
    machine_.set_text("memory.partitions", "1");
    machine_.set_text("network.latency", "20");
    machine_.set_text("sm.l1.writes", writes);
    map_ = std::make_unique<memory::AddressMap>(machine_.map);
    network_ = std::make_unique<memory::Network>(machine_.network, exchange_, memory::Network::Size{1, 1});
    sm_ = std::make_unique<Sm>(Sm::Setup{machine_.sm, *map_, *network_, statistics_});
    answers_ = std::make_unique<sim::Inbox<memory::ProbeAnswer>>(exchange_, bell_);
  }
  static L1Access access(std::uint64_t line) {
    L1Access a;
    a.line = tag(line);
    a.sectors = 0xf;
    a.waiter = kNobody;
    a.bytes = 128;
    return a;
  }
  static memory::LineTag tag(std::uint64_t line) { return memory::LineTag(memory::PhysLine{line * 128}); }
  void probe(memory::Probe::Kind kind, std::uint64_t line = 0) {
    network_->probes(0).send(
        {.kind = kind, .line = tag(line), .answer_to = answers_.get(), .id = 5, .asker = 0, .arrival = now_ + 20});
  }
  /// A quantum after the other, in which the L2 acknowledges what it gets.
  std::vector<memory::ProbeAnswer> run(unsigned quanta) {
    std::vector<memory::ProbeAnswer> got;
    for (unsigned q = 0; q < quanta; ++q) {
      exchange_.turn_over();
      std::vector<memory::Request> requests;
      (void)network_->requests(0).collect(requests);
      for (const memory::Request& request : requests) {
        written_ += request.kind == memory::RequestKind::write ? 1 : 0;
        memory::Response response;
        response.id = request.id;
        response.sectors = request.sectors;
        response.kind = request.kind;
        network_->send(response, request.arrival);
      }
      (void)answers_->collect(got);
      sm_->receive();
      sm_->run(now_, now_ + 20);
      now_ += 20;
    }
    return got;
  }
  /// Whether a load of the line would hit.
  bool has(std::uint64_t line) {
    const L1Result result = sm_->l1().load(access(line));
    run(8);
    return result == L1Result::hit;
  }

  ProbedMachine machine_;
  sim::Exchange exchange_{1};
  sim::Bell bell_;
  sim::StatisticGroup statistics_{"gpu"};
  std::unique_ptr<memory::AddressMap> map_;
  std::unique_ptr<memory::Network> network_;
  std::unique_ptr<Sm> sm_;
  std::unique_ptr<sim::Inbox<memory::ProbeAnswer>> answers_;
  sim::Cycle now_ = 0;
  unsigned written_ = 0;
};

TEST_F(Probed, GivesUpTheLineAndNoOtherAndAnswersAfterTheWayThereAndBack) {
  build("evict");
  (void)has(1);
  (void)has(2);
  ASSERT_TRUE(has(1));
  const sim::Cycle sent = now_;
  probe(memory::Probe::Kind::invalidate, 1);
  const auto answers = run(5);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].id, 5u);
  EXPECT_EQ(answers[0].arrival, sent + 40);
  EXPECT_TRUE(has(2));
  EXPECT_FALSE(has(1));
}

TEST_F(Probed, AnswersForADirtyLineWhenTheL2HasIt) {
  build("write-back");
  ASSERT_EQ(sm_->l1().store(access(3)), L1Result::hit);
  const sim::Cycle sent = now_;
  probe(memory::Probe::Kind::invalidate, 3);
  const auto answers = run(10);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(written_, 1u);
  EXPECT_GE(answers[0].arrival, sent + 80) << "the write-back goes to the L2 and its answer comes back";
  EXPECT_FALSE(has(3));
}

TEST_F(Probed, FlushesEverything) {
  build("write-back");
  (void)has(1);
  ASSERT_EQ(sm_->l1().store(access(3)), L1Result::hit);
  ASSERT_EQ(sm_->l1().store(access(4)), L1Result::hit);
  probe(memory::Probe::Kind::flush);
  EXPECT_EQ(run(12).size(), 1u);
  EXPECT_EQ(written_, 2u);
  for (const std::uint64_t line : {1, 3, 4}) EXPECT_FALSE(has(line)) << line;
}

TEST_F(Probed, WhatIsOnItsWayWhenTheProbeComesIsNotKept) {
  build("evict");
  ASSERT_EQ(sm_->l1().load(access(1)), L1Result::sent);
  network_->probes(0).send({.kind = memory::Probe::Kind::invalidate,
                            .line = tag(1),
                            .answer_to = answers_.get(),
                            .id = 5,
                            .asker = 0,
                            .arrival = now_});
  EXPECT_EQ(run(8).size(), 1u);
  EXPECT_FALSE(has(1));
}

}  // namespace
}  // namespace heddle::core
