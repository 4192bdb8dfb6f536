// Scavenger's parts by hand, on recorded inputs.
#include <gtest/gtest.h>

#include <cmath>

#include "core/kernel.h"
#include "gpu/sharing/scavenger/sm_scavenger.h"

namespace heddle::gpu::scavenger {
namespace {

PcHistogram histogram_of(std::initializer_list<std::pair<unsigned, unsigned>> counts, unsigned bits = kWideBits) {
  PcHistogram histogram(bits);
  for (const auto& [bucket, count] : counts) {
    for (unsigned i = 0; i < count; ++i) histogram.add(bucket);
  }
  return histogram;
}

TEST(ScavengerHistogram, CountsInstructionsModulo128) {
  const PcHistogram histogram = histogram_of({{3, 5}, {131, 2}, {255, 1}});
  EXPECT_EQ(histogram.at(3), 7u);
  EXPECT_EQ(histogram.at(127), 1u);
  EXPECT_EQ(histogram.total(), 8u);
}

TEST(ScavengerHistogram, HalvesAllCountersWhenOneOverflows) {
  const PcHistogram histogram = histogram_of({{1, 100}, {0, 4096}}, kNarrowBits);
  EXPECT_EQ(histogram.halvings(), 1u);
  EXPECT_EQ(histogram.at(0), 4095u / 2 + 1);
  EXPECT_EQ(histogram.at(1), 50u);
  // Added to one that was not halved: like to like.
  PcHistogram wide = histogram_of({{1, 10}});
  wide.add(histogram);
  EXPECT_EQ(wide.halvings(), 1u);
  EXPECT_EQ(wide.at(1), 55u);
}

TEST(ScavengerHistogram, DiffersByHalfTheSumOfDifferencesOf64K) {
  const PcHistogram one = histogram_of({{0, 100}, {1, 100}});
  EXPECT_EQ(difference(one, one, false), 0);
  EXPECT_EQ(difference(one, histogram_of({{0, 400}, {1, 400}}), false), 0) << "a shift by two";
  EXPECT_EQ(difference(one, histogram_of({{2, 200}}), false), kRange) << "nothing in common";
  EXPECT_EQ(difference(one, histogram_of({{0, 200}}), false), kRange / 2);
  // The same shape, as far apart as a shift leaves it: below the floor of 12K.
  const double apart = difference(histogram_of({{0, 500}, {1, 500}}), histogram_of({{0, 700}, {1, 700}}), false);
  EXPECT_GT(apart, 9000);
  EXPECT_LT(apart, 12288);
  EXPECT_NEAR(difference(histogram_of({{0, 500}, {1, 500}}), histogram_of({{0, 700}, {1, 700}}), true), 0, 1e-6);
}

struct WithParameters {
  sim::ParameterGroup root;
  ScavengerParameters p{root, "scavenger", ""};
};

TEST(ScavengerPredictor, KeepsItsHalvesEqual) {
  WithParameters w;
  Predictor predictor(w.p);
  for (unsigned c = 1; c <= 15000; ++c) {
    predictor.issued(c, 32);
    ASSERT_EQ(predictor.cycle(), Predictor::Outcome::goes_on);
    const double share = static_cast<double>(predictor.validation().cycles) / c;
    if (c < 200) continue;
    // They differ by a small counter at most, of which there are four.
    ASSERT_GE(share, 0.44) << c;
    ASSERT_LE(share, 0.56) << c;
    ASSERT_EQ(predictor.training().cycles + predictor.validation().cycles, c);
  }
}

TEST(ScavengerPredictor, AcceptsASteadyProgramAtTheLeastLength) {
  WithParameters w;
  Predictor predictor(w.p);
  unsigned length = 0;
  Predictor::Outcome outcome = Predictor::Outcome::goes_on;
  while (outcome == Predictor::Outcome::goes_on) {
    if (++length % 2 == 0) predictor.issued(length % 40, 16);
    if (length % 10 == 0) predictor.accessed(3);
    outcome = predictor.cycle();
  }
  EXPECT_EQ(outcome, Predictor::Outcome::accepted);
  EXPECT_EQ(length, 20000u);
  const Profile profile = predictor.profile();
  EXPECT_NEAR(profile.whole.ipc(), 0.5, 1e-3);
  EXPECT_EQ(profile.whole.mean_lanes(), 16);
  EXPECT_EQ(profile.whole.mean_accesses(), 3);
  EXPECT_EQ(profile.lanes_threshold, 8) << "the floor of Table 5.1";
  EXPECT_EQ(profile.accesses_threshold, 2);
  EXPECT_EQ(profile.pcs_threshold, 12288);
}

TEST(ScavengerPredictor, WaitsUntilTheHalvesHaveAgreedFor128Cycles) {
  WithParameters w;
  // Twice as fast from cycle 12000 on: the older half has to grow beyond that before both agree.
  const auto length = [&] {
    Predictor predictor(w.p);
    unsigned c = 0;
    while (true) {
      ++c;
      if (c > 12000 || c % 2 == 0) predictor.issued(0, 32);
      const auto outcome = predictor.cycle();
      if (outcome != Predictor::Outcome::goes_on) return c;
    }
  };
  const unsigned with_128 = length();
  EXPECT_GT(with_128, 20000u);
  w.p.set_text("settle", "5000");
  EXPECT_GE(length(), with_128 + 5000 - 128);
}

TEST(ScavengerPredictor, DiscardsAProgramThatDoesNotSettle) {
  WithParameters w;
  Predictor predictor(w.p);
  for (unsigned c = 1; c <= 200000; ++c) {
    // Ever faster: the newer half is always ahead.
    if (c % std::max(1u, 400000 / c) == 0) predictor.issued(0, 32);
    const auto outcome = predictor.cycle();
    ASSERT_EQ(outcome, c == 200000 ? Predictor::Outcome::discarded : Predictor::Outcome::goes_on) << c;
  }
  EXPECT_EQ(predictor.training().cycles, 0u) << "it starts anew";
}

/// A steady program's profile: so many lanes, lines per memory instruction, and instructions from `first` on.
Profile steady(const ScavengerParameters& p, unsigned lanes, unsigned lines, unsigned first) {
  Predictor predictor(p);
  for (unsigned c = 0; predictor.cycle() == Predictor::Outcome::goes_on; ++c) {
    predictor.issued(first + c % 20, lanes);
    if (c % 5 == 0) predictor.accessed(lines);
  }
  return predictor.profile();
}
/// When a change is seen, and what, if the program does something else from a cycle on.
std::pair<unsigned, Change> change_after(const ScavengerParameters& p, unsigned when, unsigned lanes, unsigned lines,
                                         unsigned first) {
  PhaseDetector detector(p);
  detector.begin(steady(p, 32, 1, 0));
  for (unsigned c = 1;; ++c) {
    const bool before = c <= when;
    detector.issued((before ? 0 : first) + c % 20, before ? 32 : lanes);
    if (c % 5 == 0) detector.accessed(before ? 1 : lines);
    const Change change = detector.cycle();
    if (change != Change::none) return {c, change};
  }
}

TEST(ScavengerPhases, AreFoundWhereTheProgramHasThem) {
  const WithParameters w;
  const auto none = change_after(w.p, 300000, 1, 32, 64);
  EXPECT_EQ(none.second, Change::too_long);
  EXPECT_EQ(none.first, 262144u);
  const auto lanes = change_after(w.p, 40000, 8, 1, 0);
  EXPECT_EQ(lanes.second, Change::lanes);
  // 24 lanes fewer are 8 in the mean of 8192 cycles after a third of it; then four elements.
  EXPECT_NEAR(lanes.first, 40000 + 8192 / 3 + 4 * 128, 300);
  EXPECT_EQ(change_after(w.p, 40000, 32, 8, 0).second, Change::accesses);
  const auto pcs = change_after(w.p, 40000, 32, 1, 64);
  EXPECT_EQ(pcs.second, Change::pcs);
  EXPECT_LE(pcs.first, 40000u + 2 * 8192);
  EXPECT_EQ(change_after(w.p, 40000, 26, 2, 2).second, Change::too_long) << "within the thresholds";
}

TEST(ScavengerPhases, AreNotSeenBeforeTheRunIsAsLongAsTheProfile) {
  const WithParameters w;
  EXPECT_GE(change_after(w.p, 100, 1, 32, 64).first, 20000u);
}

TEST(ScavengerControllers, AreAsWorkedOutByHand) {
  const WithParameters w;
  SpeedError error(w.p);
  // Target 1.0, 80 instructions in 100 cycles: 0.2 too slow in both windows.
  EXPECT_NEAR(error.push(80, 1.0), 2.5 * 0.2, 1e-12);
  for (int i = 0; i < 100; ++i) (void)error.push(100, 1.0);
  EXPECT_NEAR(error.push(100, 1.0), 0, 1e-12);
  // One step at 200: a tenth of the short window, an eighty-second of the long.
  EXPECT_NEAR(error.push(200, 1.0), 1.5 * -0.1 + 1.0 * -1.0 / 82, 1e-12);

  ShareController share(w.p, 64);
  share.set(20);
  share.step(0.5, 0.25, 1, 63);  // too slow: the inverted slack
  EXPECT_NEAR(share.share(), 20 + 0.5 * 0.75 * 64 / 16, 1e-12);
  share.set(20);
  share.step(-0.5, 0.25, 1, 63);  // too fast: the slack
  EXPECT_NEAR(share.share(), 20 - 0.5 * 0.25 * 64 / 16, 1e-12);
  share.set(20);
  share.step(-0.5, 0, 1, 63);  // no slack: the least weight
  EXPECT_NEAR(share.share(), 20 - 0.5 * 0.05 * 64 / 16, 1e-12);
  share.step(100, 0, 1, 63);
  EXPECT_EQ(share.share(), 63);
  share.step(-100, 1, 1, 63);
  EXPECT_EQ(share.share(), 1);
}

TEST(ScavengerControllers, StepResponseComesToTheTarget) {
  const WithParameters w;
  // A machine whose primary has the IPC of its share of 64 warps, and from step 500 on only two thirds of that.
  SpeedError error(w.p);
  ShareController share(w.p, 64);
  share.set(64);
  const double target = 0.5;
  double ipc = 0;
  const auto settle = [&](double factor) {
    for (int i = 0; i < 500; ++i) {
      ipc = factor * share.share() / 64;
      share.step(error.push(static_cast<std::uint64_t>(ipc * 100), target), 0.5, 1, 63);
    }
    return ipc;
  };
  EXPECT_NEAR(settle(1.0), target, 0.03);
  EXPECT_NEAR(share.share(), 32, 2);
  EXPECT_NEAR(settle(2.0 / 3), target, 0.03);
  EXPECT_NEAR(share.share(), 48, 3);
}

TEST(ScavengerBlocks, MoveByTheRulesOfSection552) {
  const WithParameters w;
  const auto decide = [&](unsigned p, unsigned s) { return decide_blocks(w.p, {p, s, 4, 2}); };
  using To = BlockMove::To;
  EXPECT_EQ(decide(3, 0).to, To::primary);
  EXPECT_TRUE(decide(3, 0).starves);
  EXPECT_TRUE(decide(3, 60).starves) << "the first rule goes first";
  EXPECT_EQ(decide(24, 4).to, To::secondary);
  EXPECT_EQ(decide(24, 4).blocks, 1u) << "a quarter of the difference, 5 warps, is one block of 4";
  EXPECT_EQ(decide(44, 4).blocks, 2u) << "10 warps";
  EXPECT_EQ(decide(8, 0).blocks, 1u) << "what is beyond covers a block";
  EXPECT_EQ(decide(7, 0).to, To::nobody) << "it does not";
  EXPECT_EQ(decide(4, 0).to, To::nobody);
  EXPECT_EQ(decide(4, 8).to, To::nobody);
  EXPECT_EQ(decide(4, 9).to, To::nobody) << "one warp is no block of two";
  EXPECT_EQ(decide(6, 30).to, To::primary);
  EXPECT_FALSE(decide(6, 30).starves);
  EXPECT_EQ(decide(6, 30).blocks, 3u);
}

TEST(ScavengerStorage, IsWhatTheDocumentAddsUp) {
  const WithParameters w;
  const Storage bits = storage(w.p, 64, 4);
  EXPECT_EQ(bits.run, 338u * 8) << "5.6.2";
  EXPECT_LE(bits.others, 15u * 8) << "5.6.2";
  // Five histograms are 1 KB; the document has 1.2 KB with counters whose widths it does not give.
  EXPECT_GT(bits.profile, 1024u * 8);
  EXPECT_LE(bits.profile, static_cast<unsigned>(1.2 * 1024 * 8));
  EXPECT_NEAR(bits.bits() / 8.0 / 1024, 1.6, 0.2);
}

/// One SM by hand: two kernels of four warps a block, and what the SM would tell.
class ScavengerSm : public testing::Test {
 protected:
  ScavengerSm() {
    for (const auto& [key, value] : {std::pair{"min_profile", "1000"}, {"detect", "2000"}, {"alone", "3000"}})
      w_.p.set_text(key, value);
    sm_ = std::make_unique<SmScavenger>(w_.p, 64, statistics_, "sm[0]");
    for (unsigned a = 0; a < 2; ++a) {
      exec::LaunchConfig config;
      config.code = &code_;
      config.block = {128, 1, 1};
      config.grid_id = 10 + a;
      launches_.push_back(std::make_unique<exec::Launch>(config, environment_));
      kernels_[a].launch = launches_[a].get();
      kernels_[a].application = static_cast<std::uint16_t>(a);
    }
  }
  void start(unsigned application, unsigned block) {
    sm_->block_started(kernels_[application], core::WarpSet{0xf} << 4 * block, false);
  }
  void leave(unsigned application, unsigned block) {
    sm_->block_left(kernels_[application], core::WarpSet{0xf} << 4 * block);
  }
  /// So many cycles, of which the primary issues in one of `every`.
  core::IssueLimits run(unsigned cycles, unsigned every, core::SmMoment moment = {}) {
    core::IssueLimits limits;
    moment.outstanding = outstanding_;
    for (unsigned c = 0; c < cycles; ++c, ++now_) {
      if (sm_->wakes_at() <= now_) sm_->tick(now_);
      limits = sm_->limits(moment);
      if (now_ % every == 0) sm_->issued({0, 0, static_cast<std::uint32_t>(now_ / every % 20), 32});
      sm_->passed(1);
    }
    return limits;
  }

  WithParameters w_;
  sim::StatisticGroup statistics_{"gpu"};
  exec::Code code_{{}, {}};
  exec::Environment environment_;
  std::vector<std::unique_ptr<exec::Launch>> launches_;
  std::array<core::KernelInstance, 2> kernels_;
  std::vector<std::uint32_t> outstanding_{0, 0};
  std::unique_ptr<SmScavenger> sm_;
  sim::Cycle now_ = 0;
};

TEST_F(ScavengerSm, ProfilesWhenTheSecondaryHasLeftAndThenRuns) {
  start(1, 0);
  EXPECT_EQ(sm_->state(), State::idle);
  start(0, 1);
  EXPECT_EQ(sm_->state(), State::profile);
  (void)run(5000, 2);
  EXPECT_EQ(sm_->state(), State::profile) << "the secondary is still there";
  leave(1, 0);
  (void)run(999, 2);
  EXPECT_EQ(sm_->state(), State::profile);
  (void)run(1, 2);
  EXPECT_EQ(sm_->state(), State::run);
  EXPECT_TRUE(sm_->take_begin());
  leave(0, 1);
  sm_->settle();
  EXPECT_EQ(sm_->state(), State::idle);
}

TEST_F(ScavengerSm, FallsBackWhenTheTargetCannotBeHeldAndProfilesAgain) {
  start(0, 1);
  (void)run(1000, 2);
  start(1, 0);
  ASSERT_EQ(sm_->state(), State::run);
  (void)run(1900, 4);  // half as fast as alone
  EXPECT_EQ(sm_->state(), State::run);
  (void)run(200, 4);
  EXPECT_EQ(sm_->state(), State::alone);
  (void)run(2999, 2);
  EXPECT_EQ(sm_->state(), State::profile) << "it has run alone long enough";
  EXPECT_EQ(sm_->restart_warps(), 2) << "half of the four that the secondary had";
}

TEST_F(ScavengerSm, ANewKernelStartsAProfile) {
  start(0, 1);
  (void)run(1000, 2);
  ASSERT_EQ(sm_->state(), State::run);
  start(0, 2);
  EXPECT_EQ(sm_->state(), State::run) << "the same kernel";
  exec::LaunchConfig config;
  config.code = &code_;
  config.block = {128, 1, 1};
  config.grid_id = 30;
  exec::Launch next(config, environment_);
  kernels_[0].launch = &next;
  sm_->block_started(kernels_[0], core::WarpSet{0xf} << 12, true);
  EXPECT_EQ(sm_->state(), State::run) << "a block that was here before";
  start(0, 4);
  EXPECT_EQ(sm_->state(), State::profile);
}

TEST_F(ScavengerSm, HoldsBackTheYoungestWarpsThatCouldIssue) {
  start(0, 1);
  (void)run(1000, 2);
  start(1, 0);
  start(1, 2);
  // Too slow for long: all but one warp of the secondary are held back, the oldest that does not wait goes on.
  core::IssueLimits limits = run(1500, 3);
  EXPECT_EQ(limits.barred, core::WarpSet{0xf0e});
  core::SmMoment at_barrier;
  at_barrier.waiting = 0x3;
  limits = run(1, 3, at_barrier);
  EXPECT_EQ(limits.barred, core::WarpSet{0xf08}) << "warps at barriers neither count nor are held";
}

TEST_F(ScavengerSm, LimitsRequestsBySharesOfWhichThePrimaryMayBorrow) {
  start(0, 1);
  (void)run(1000, 2);
  start(1, 0);
  outstanding_ = {200, 100};  // 0.9 of 256 are the primary's
  EXPECT_EQ(run(1, 2).no_memory, core::WarpSet{0xff}) << "both: there are 256 in all";
  outstanding_ = {240, 10};
  EXPECT_EQ(run(1, 2).no_memory, 0u) << "the primary borrows";
  outstanding_ = {0, 30};
  EXPECT_EQ(run(1, 2).no_memory, core::WarpSet{0x0f}) << "the secondary does not";
}

}  // namespace
}  // namespace heddle::gpu::scavenger
