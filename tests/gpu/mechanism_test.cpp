// A mechanism is one file: this one adds some, each with a parameter and a counter of its own, and edits nothing else.
#include <gtest/gtest.h>

#include <bit>

#include "memory/admission.h"
#include "memory/dram.h"
#include "small_gpu.h"

namespace heddle::test {
namespace {

/// Takes the highest warp, but leaves every n-th slot empty.
class Lazy final : public core::WarpScheduler {
 public:
  struct Parameters : sim::ParameterGroup {
    using ParameterGroup::ParameterGroup;
    sim::Parameter<unsigned> every{*this, "every", 4, {2, 100}, "slots", "Every n-th slot is left empty."};
  };
  struct Statistics : sim::StatisticGroup {
    using StatisticGroup::StatisticGroup;
    sim::Counter empty{*this, "empty", "slots", "Slots left empty."};
  };
  explicit Lazy(const sim::Context& context) : p_(context.parameters<Parameters>()), statistics_(context) {}

  void started(int /*warp*/, std::uint64_t /*age*/) override {}
  void finished(int /*warp*/) override {}
  int pick(const core::IssueChoice& choice) override {
    if (++asked_ % p_.every == 0) {
      ++statistics_.empty;
      return core::kNoWarp;
    }
    return 63 - std::countl_zero(choice.ready);
  }

 private:
  const Parameters& p_;
  Statistics statistics_;
  unsigned asked_ = 0;
};
[[maybe_unused]] const bool kLazy = core::SchedulerRegistry::instance().add<Lazy>("test-lazy", "Leaves slots empty.");

/// Replaces always the same way.
class OneWay final : public memory::Replacement {
 public:
  struct Parameters : sim::ParameterGroup {
    using ParameterGroup::ParameterGroup;
    sim::Parameter<unsigned> way{*this, "way", 0, {0, 3}, "", "The way that goes."};
  };
  struct Statistics : sim::StatisticGroup {
    using StatisticGroup::StatisticGroup;
    sim::Counter victims{*this, "victims", "lines", "Lines that went."};
  };
  OneWay(const sim::Context& context, std::size_t /*sets*/, unsigned ways)
      : Replacement(ways), p_(context.parameters<Parameters>()), statistics_(context), ways_(ways) {}
  void touch(std::size_t /*set*/, unsigned /*way*/) override {}
  void fill(std::size_t /*set*/, unsigned /*way*/) override {}
  unsigned victim(std::size_t /*set*/) override {
    ++statistics_.victims;
    for (unsigned w = p_.way;; w = (w + 1) % ways_) {
      if (candidates()[w] != 0) return w;
    }
  }

 private:
  const Parameters& p_;
  Statistics statistics_;
  unsigned ways_;
};
[[maybe_unused]] const bool kOneWay =
    memory::ReplacementRegistry::instance().add<OneWay>("test-one-way", "Always the same way.");

/// In order of arrival, and counts.
class Counting final : public memory::DramScheduler {
 public:
  struct Statistics : sim::StatisticGroup {
    using StatisticGroup::StatisticGroup;
    sim::Counter asked{*this, "asked", "times", "Times it was asked for a command."};
  };
  explicit Counting(const sim::Context& context) : statistics_(context) {}
  std::uint16_t choose_request(const memory::BankView& bank) override { return bank.oldest(); }
  std::optional<std::size_t> choose_command(std::span<const memory::DramCandidate> /*candidates*/,
                                            memory::DramCycle /*now*/) override {
    ++statistics_.asked;
    return 0;
  }

 private:
  Statistics statistics_;
};
[[maybe_unused]] const bool kCounting = memory::DramSchedulers::instance().add<Counting>("test-counting", "Counts.");

/// In the order of arrival; counts what does not say whose it is.
class Asking final : public memory::DramAdmission {
 public:
  struct Statistics : sim::StatisticGroup {
    using StatisticGroup::StatisticGroup;
    sim::Counter data{*this, "data", "bursts", "Reads of data that name their warp."};
    sim::Counter walks{*this, "walks", "bursts", "Reads of page tables that name warp and level."};
    sim::Counter nameless{*this, "nameless", "bursts", "Of both, those that do not."};
  };
  explicit Asking(const sim::Context& context) : statistics_(context) {}
  std::optional<std::size_t> choose(const heddle::Ring<memory::DramRequest>& waiting,
                                    const memory::DramChannel& channel) override {
    if (waiting.empty() || !channel.can_accept(waiting.front().write)) return std::nullopt;
    const memory::DramRequest& first = waiting.front();
    const bool walk = first.traffic == memory::Traffic::walk;
    if (!walk && (first.traffic != memory::Traffic::data || first.write)) return 0;
    if (first.warp != 0 || (walk && (first.level == 0 || first.level > 4))) {
      ++statistics_.nameless;
    } else {
      ++(walk ? statistics_.walks : statistics_.data);
    }
    return 0;
  }

 private:
  Statistics statistics_;
};
[[maybe_unused]] const bool kAsking = memory::DramAdmissions::instance().add<Asking>("test-asking", "Counts.");

std::uint64_t chase_counter(const std::shared_ptr<gpu::GpuParameters>& gpu, const std::string& counter) {
  return run_chase(gpu, "ld.global.u64", 4096, 128, 4096).counters.at(counter);
}

TEST(AMechanism, IsChosenByNameAndReadsItsOwnParameter) {
  std::uint64_t empty[2];
  for (int i = 0; i < 2; ++i) {
    const auto gpu = small_gpu();
    gpu->set_text("sm.scheduler", "test-lazy");
    gpu->set_text("sm.test_lazy.every", i == 0 ? "2" : "8");
    empty[i] = chase_counter(gpu, "gpu.sm.test_lazy.empty");
  }
  EXPECT_GT(empty[1], 0u);
  EXPECT_GT(empty[0], 3 * empty[1]);
}

TEST(AMechanism, WorksAtEveryPlugPointThatTakesOne) {
  const auto gpu = small_gpu();
  gpu->set_text("l2.replacement", "test-one-way");
  gpu->set_text("l2.test_one_way.way", "3");
  gpu->set_text("dram.scheduler", "test-counting");
  EXPECT_GT(chase_counter(gpu, "gpu.l2.test_one_way.victims"), 1000u);
  EXPECT_GT(chase_counter(gpu, "gpu.dram.test_counting.asked"), 1000u);
}

TEST(AMechanism, BeforeDramKnowsWhichWarpAskedAlsoForAWalk) {
  for (const char* walks : {"private", "shared"}) {
    const auto gpu = small_gpu();
    gpu->set_text("dram.admission", "test-asking");
    gpu->set_text("sm.mmu.kind", "tlb");
    gpu->set_text("sm.mmu.walks", walks);
    const auto counters = run_chase(gpu, "ld.global.u64", 8192, 4096, 8192).counters;
    EXPECT_GE(counters.at("gpu.dram.test_asking.data"), 8192u);
    EXPECT_GT(counters.at("gpu.dram.test_asking.walks"), 100u);
    EXPECT_EQ(counters.at("gpu.dram.test_asking.nameless"), 0u);
  }
}

TEST(AMechanism, ThatIsNotChosenHasParametersButNoStatistics) {
  const auto gpu = small_gpu();
  gpu->set_text("sm.test_lazy.every", "2");
  EXPECT_EQ(run_chase(gpu, "ld.global.u64", 8, 128, 8).counters.contains("gpu.sm.test_lazy.empty"), false);
}

TEST(AMechanism, SaysWhatIsWrongWithItsParameters) {
  const auto gpu = small_gpu();
  try {
    gpu->set_text("sm.test_lazy.every", "1");
    FAIL() << "1 is out of range";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("sm.test_lazy.every = 1: must be 2 to 100 slots"), std::string::npos)
        << error.what();
  }
  EXPECT_THROW(gpu->set_text("sm.test_lazy.evry", "2"), UserError);
}

}  // namespace
}  // namespace heddle::test
