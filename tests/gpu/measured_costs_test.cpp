// Costs that a GPU's description takes from measurements: constants word by word, paths that meet, fences, atomics on
// one word.
#include <gtest/gtest.h>

#include "small_gpu.h"

namespace heddle::test {
namespace {

using Settings = std::vector<std::pair<const char*, const char*>>;

/// Runs `body` `rounds` times; `t` is a thread's number times four, `d` an array of 4 KiB, `c` one of constants.
runtime::LaunchStatistics run(const Settings& settings, const std::string& body, std::uint32_t rounds,
                              std::uint32_t threads = 32) {
  const std::string text = R"(.version 7.0
.target sm_70
.address_size 64
.const .align 4 .b8 table[4096];
.visible .entry k(.param .u64 D, .param .u32 N)
{
  .reg .pred p;
  .reg .b32 n, x, y;
  .reg .b64 d, t, a, c;
  ld.param.u64 d, [D];
  ld.param.u32 n, [N];
  mov.u32 x, %tid.x;
  mul.wide.u32 t, x, 4;
  mov.u64 c, table;
AGAIN:
)" + body + R"(
  sub.u32 n, n, 1;
  setp.ne.u32 p, n, 0;
  @p bra AGAIN;
  ret;
}
)";
  runtime::Device::Options options;
  const auto gpu = small_gpu();
  for (const auto& [name, value] : settings) gpu->set_text(name, value);
  options.gpu = gpu;
  runtime::Device device(options);
  const runtime::Module module = device.load(text, "costs.ptx");
  const runtime::DeviceArray<std::uint32_t> out(device, 1024);
  // The first launch warms the caches.
  for (int pass = 0; pass < 2; ++pass)
    device.launch(module.kernel("k"), {1, 1, 1}, {threads, 1, 1}, 0, out.address(), rounds);
  return device.launches().back();
}

/// What a round of `body` takes, without what is done once.
double cycles_of_a_round(const Settings& settings, const std::string& body, std::uint32_t threads = 32) {
  const auto cycles = [&](std::uint32_t rounds) {
    return static_cast<double>(run(settings, body, rounds, threads).cycles);
  };
  return (cycles(120) - cycles(20)) / 100;
}

TEST(Constants, EachFurtherWordTakesItsInterval) {
  // The next address depends on what was loaded (0), so that a round waits for its load.
  const auto load = [](unsigned words) {
    return "and.b64 a, t, " + std::to_string(4 * words - 4) +
           "; add.u64 a, a, c; ld.const.u32 y, [a]; cvt.u64.u32 a, y; add.u64 t, t, a;\n";
  };
  const Settings slow{{"sm.constant_word_interval", "11"}};
  const double one = cycles_of_a_round(slow, load(1));
  for (const unsigned words : {2u, 8u, 32u})
    EXPECT_EQ(cycles_of_a_round(slow, load(words)) - one, (words - 1) * 11.0) << words << " words";
  EXPECT_EQ(cycles_of_a_round({}, load(8)), cycles_of_a_round({}, load(1))) << "0: all in one line, all at once";
}

TEST(Meeting, CostsEachPathItsLatency) {
  // Of a round's paths, two for each pair of lanes that part: the later way and what both do together wait.
  const auto ways = [](unsigned count) {
    std::string body;
    for (unsigned w = 1; w < count; ++w) {
      const std::string number = std::to_string(w);
      body += "and.b64 a, t, " + std::to_string(4 * (count - 1)) + "; setp.ne.u64 p, a, " + std::to_string(4 * w) +
              ";\n@p bra SKIP" + number + ";\nadd.u32 y, y, 3;\nadd.u32 y, y, 5;\nSKIP" + number + ":\n";
    }
    return body;
  };
  const double apart = cycles_of_a_round({}, ways(2));
  EXPECT_EQ(cycles_of_a_round({{"sm.meeting_latency", "34"}}, ways(2)) - apart, 33.0)
      << "the cycle to the next instruction is one of them";
  EXPECT_EQ(cycles_of_a_round({{"sm.meeting_latency", "34"}}, ways(4)) - cycles_of_a_round({}, ways(4)), 3 * 33.0);
  EXPECT_EQ(cycles_of_a_round({{"sm.meeting_latency", "34"}}, "add.u32 y, y, 3;\n"),
            cycles_of_a_round({}, "add.u32 y, y, 3;\n"))
      << "nobody parts";
}

class Fence : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(Fence, EndsSoLongAfterTheAnswersAsItsParameterSays) {
  const std::string scope = std::get<0>(GetParam());
  const char* const parameter = std::get<1>(GetParam());
  const std::string body = "add.u64 a, d, t; st.global.u32 [a], n; fence.acq_rel." + scope + ";\n";
  const auto round = [&](const char* latency) { return cycles_of_a_round({{parameter, latency}}, body); };
  // The first cycle after the answers is when the warp could go on without it.
  EXPECT_EQ(round("701") - round("201"), 500.0);
  EXPECT_GT(round("201") - round("0"), 195.0);
  EXPECT_LT(round("201") - round("0"), 205.0);
}
INSTANTIATE_TEST_SUITE_P(Scopes, Fence,
                         testing::Values(std::tuple{"gpu", "sm.fence.latency"},
                                         std::tuple{"sys", "sm.fence.system_latency"}));

TEST(Fences, OfABlockTakeNoneOfIt) {
  const std::string body = "add.u64 a, d, t; st.global.u32 [a], n; fence.acq_rel.cta;\n";
  EXPECT_EQ(cycles_of_a_round({{"sm.fence.latency", "700"}, {"sm.fence.system_latency", "900"}}, body),
            cycles_of_a_round({}, body));
}

const Settings kRound{{"sm.fence.ends", "round"}};

Settings with(Settings settings, const Settings& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

TEST(FencesByRound, TakeAsLongAfterALoadThatHasComeAsAfterAStore) {
  const std::string load =
      "add.u64 a, d, t; ld.global.u32 y, [a]; and.b32 y, y, 0; add.u32 n, n, y; fence.acq_rel.gpu;\n";
  const std::string store = "add.u64 a, d, t; st.global.u32 [a], n; fence.acq_rel.gpu;\n";
  const Settings slow = with(kRound, {{"sm.fence.latency", "2000"}, {"sm.fence.idle_latency", "50"}});
  const double after_store = cycles_of_a_round(slow, store);
  EXPECT_GT(after_store, 2000.0);
  EXPECT_LT(after_store, 2100.0) << "the answer to the store comes meanwhile";
  EXPECT_GT(cycles_of_a_round(slow, load), 2000.0);
  EXPECT_LT(cycles_of_a_round(slow, "fence.acq_rel.gpu;\n"), 150.0);
}

TEST(FencesByRound, WaitForAnswersThatComeLater) {
  const std::string store = "add.u64 a, d, t; st.global.u32 [a], n; fence.acq_rel.gpu;\n";
  EXPECT_EQ(cycles_of_a_round(with(kRound, {{"sm.fence.latency", "1"}}), store), cycles_of_a_round({}, store));
}

TEST(FencesByRound, OfABlockWaitForNoAnswers) {
  const std::string body = "add.u64 a, d, t; st.global.u32 [a], n; fence.acq_rel.cta;\n";
  const double waiting = cycles_of_a_round({}, body);
  const double round = cycles_of_a_round(with(kRound, {{"sm.fence.block_latency", "8"}}), body);
  EXPECT_GT(waiting, 100.0);
  EXPECT_LT(round, waiting - 50);
  EXPECT_EQ(cycles_of_a_round(with(kRound, {{"sm.fence.block_latency", "508"}}), body) -
                cycles_of_a_round(with(kRound, {{"sm.fence.block_latency", "308"}}), body),
            200.0);
}

TEST(FencesByRound, OfOneSmFollowEachOtherAtTheirInterval) {
  const Settings slow = with(kRound, {{"sm.fence.interval", "100"}});
  EXPECT_GE(cycles_of_a_round(slow, "fence.acq_rel.gpu;\n", 256), 800.0);
}

TEST(Fences, EmptyTheL1IfTold) {
  // The load's data are wanted, so that a round waits for them.
  const std::string body =
      "add.u64 a, d, t; ld.global.ca.u32 y, [a]; and.b32 y, y, 0; add.u32 n, n, y; fence.acq_rel.gpu;\n";
  EXPECT_GT(cycles_of_a_round({{"sm.fence.empties_l1", "true"}}, body), cycles_of_a_round({}, body) + 30);
}

TEST(Drain, HidesWhatTheLastStoresTake) {
  const auto cycles = [](const char* overlap) {
    return run({{"launch.drain", "1000"}, {"launch.drain_overlap", overlap}},
               "add.u64 a, d, t; st.global.u32 [a], n;\n", 1)
        .cycles;
  };
  EXPECT_EQ(cycles("0") - cycles("20"), 20u);
  EXPECT_EQ(cycles("900"), cycles("1000")) << "more than the stores take";
  EXPECT_GT(cycles("0"), cycles("900") + 30);
}

/// Atomics of one warp whose lanes meet `same` by `same` in a word, each round after the one before.
std::string meeting(unsigned same) {
  const unsigned words = 32 / same;
  return "and.b64 a, t, " + std::to_string(4 * words - 4) +
         "; add.u64 a, a, d; atom.global.add.u32 y, [a], 0; and.b32 y, y, 0; cvt.u64.u32 a, y; add.u64 t, t, a;\n";
}

TEST(AtomicsOnAWord, ComeLaterForEachFurtherLane) {
  const Settings slow{{"l2.atomic_word_latency", "7"}};
  for (const unsigned same : {1u, 2u, 8u, 32u})
    EXPECT_EQ(cycles_of_a_round(slow, meeting(same)) - cycles_of_a_round({}, meeting(same)), (same - 1) * 7.0)
        << same << " lanes on a word";
}

TEST(AtomicsOnAWord, KeepABankBusy) {
  // Eight warps, 200 times, on one word each time: with one lane at a time 32 cycles for each.
  const Settings slow{{"l2.atomic_word_lanes", "1"}, {"l2.atomics_per_cycle", "32"}};
  const Settings fast{{"l2.atomics_per_cycle", "32"}};
  const std::string body = "red.global.add.u32 [d], 1;\n";
  EXPECT_GE(cycles_of_a_round(slow, body, 256), 8 * 32.0);
  EXPECT_LT(cycles_of_a_round(fast, body, 256), 8 * 16.0);
  const std::string apart = "add.u64 a, d, t; red.global.add.u32 [a], 1;\n";
  EXPECT_EQ(cycles_of_a_round(slow, apart), cycles_of_a_round(fast, apart)) << "each lane has its own word";
}

/// A chain of divisions, all of whose quotients are their dividends; of thread 0, whose `d` comes after it, only if
/// told.
std::string dividing(const std::string& first_lane) {
  return "mov.b32 f, 0f3F800000; setp.eq.u64 q, t, 0; @q mov.b32 f, " + first_lane +
         "; mov.b32 g, 0f3F800000; div.rn.f32 f, f, g; div.rn.f32 f, f, g; st.global.f32 [d], f;\n";
}

TEST(LongWays, AreTakenForTheOperandsOfAnyLane) {
  const std::string declared = "{ .reg .f32 f, g; .reg .pred q;\n";
  const auto cycles = [&](const Settings& settings, const std::string& first_lane) {
    return run(settings, declared + dividing(first_lane) + "}\n", 20).cycles;
  };
  const Settings slow{{"sm.opcodes", "FDIV=40/16/10"}, {"sm.long_ways", "FDIV.F32=240/16/10"}};
  const Settings plain{{"sm.opcodes", "FDIV=40/16/10"}};
  const std::string one = "0f3F800000", zero = "0f00000000";
  EXPECT_EQ(cycles(slow, one), cycles(plain, one));
  EXPECT_EQ(cycles(plain, zero), cycles(plain, one)) << "nothing is said of a longer way";
  EXPECT_EQ(cycles(slow, zero) - cycles(slow, one), 20 * 2 * 200u);
}

}  // namespace
}  // namespace heddle::test
