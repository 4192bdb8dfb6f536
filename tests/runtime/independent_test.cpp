// Lanes of one warp that wait for each other in loops: every one makes progress where lanes are independent; with a
// reconvergence stack the kernel ends with a message.
#include "gpu/gpu.h"
#include "kernel_bench.h"

namespace heddle::runtime {
namespace {

// while (atomicCAS(lock, 0, 1)); ++*count; atomicExch(lock, 0): the words are out[0] and out[1].
constexpr std::string_view kSpinLock =
    "SPIN: atom.global.cas.b32 %r3, [%d0], 0, 1; setp.ne.u32 %p0, %r3, 0; @%p0 bra SPIN;\n"
    "ld.volatile.global.u32 %r4, [%d0+4]; add.u32 %r4, %r4, 1; st.volatile.global.u32 [%d0+4], %r4; membar.gl;\n"
    "atom.global.exch.b32 %r5, [%d0], 0;";

// Lane 1 waits for lane 0's word, adds to it and hands it back; lane 0 waits for that.
constexpr std::string_view kProducerConsumer =
    "setp.eq.u32 %p0, %r0, 0; setp.eq.u32 %p1, %r0, 1; @%p0 bra PRODUCE; @%p1 bra CONSUME; bra END;\n"
    "CONSUME: ld.volatile.global.u32 %r3, [%d0]; setp.eq.u32 %p2, %r3, 0; @%p2 bra CONSUME;\n"
    "add.u32 %r3, %r3, 1; st.volatile.global.u32 [%d0+4], %r3; bra END;\n"
    "PRODUCE: st.volatile.global.u32 [%d0], 41; membar.gl;\n"
    "BACK: ld.volatile.global.u32 %r4, [%d0+4]; setp.eq.u32 %p3, %r4, 0; @%p3 bra BACK; add.u32 %r4, %r4, 100; "
    "st.global.u32 [%d0+8], %r4;\nEND:";

// cuda::counting_semaphore: acquire polls, decrements with compare-and-swap, and backs off by sleeping ever longer and
// looking at the clock; release adds. Two places (out[0]), a counter of those inside (out[1]) and of entries (out[2]).
constexpr std::string_view kSemaphore =
    "AGAIN: mov.u64 %d5, %globaltimer; mov.u32 %r9, 0;\n"
    "POLL: ld.relaxed.gpu.global.u32 %r3, [%d0]; setp.gt.s32 %p0, %r3, 0; @%p0 bra TAKE;\n"
    "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 16; @%p1 bra POLL;\n"
    "mov.u64 %d6, %globaltimer; sub.u64 %d7, %d6, %d5; cvt.u32.u64 %r8, %d7; shr.u32 %r8, %r8, 2; min.u32 %r8, %r8, "
    "1000; nanosleep.u32 %r8; bra POLL;\n"
    "TAKE: sub.u32 %r4, %r3, 1; atom.acquire.gpu.global.cas.b32 %r5, [%d0], %r3, %r4; setp.ne.u32 %p2, %r5, %r3; @%p2 "
    "bra AGAIN;\n"
    "atom.global.add.u32 %r6, [%d0+4], 1; setp.gt.u32 %p3, %r6, 1; @%p3 trap;\n"
    "atom.global.add.u32 %r7, [%d0+8], 1; atom.global.add.u32 %r6, [%d0+4], -1;\n"
    "atom.release.gpu.global.add.u32 %r7, [%d0], 1;";

struct Mode {
  const char* name;
  bool timed;
};

class Independent : public testing::TestWithParam<Mode> {
 protected:
  Device::Options options(const std::string& divergence, unsigned spin_limit = 1000) const {
    Device::Options options;
    std::vector<std::pair<std::string, std::string>> settings;
    if (divergence == "stack") settings = {{"spin_limit", std::to_string(spin_limit)}};
    options.divergence = exec::divergence_named(divergence, settings);
    options.instruction_limit = 20'000'000;
    if (GetParam().timed) {
      auto gpu = std::make_shared<gpu::GpuParameters>();
      gpu->set_text("sms", "1");
      gpu->set_text("sm.divergence", divergence);
      gpu->set_text("sm.stack.spin_limit", std::to_string(spin_limit));
      options.gpu = gpu;
    }
    return options;
  }
  std::string failure(std::string_view body) const {
    const LaunchError error = Bench(options("stack")).fault(body);
    EXPECT_EQ(error.cuda_error(), 702);
    return error.what();
  }
};

TEST_P(Independent, LanesTakeALockInTurn) {
  EXPECT_EQ(Bench(options("independent")).run(kSpinLock, {1}, {32}, 2), (std::vector<std::uint32_t>{0, 32}));
}

TEST_P(Independent, LanesThatGiveWayAreCounted) {
  if (!GetParam().timed) return;
  const auto turns = [&](std::string_view body) {
    Bench bench(options("independent"));
    (void)bench.run(body, {1}, {32}, 2);
    return sim::totals(bench.device().gpu()->statistics()).at("gpu.sm.independent.turns");
  };
  EXPECT_GE(turns(kSpinLock), 31);
  EXPECT_EQ(turns("mov.u32 %r5, 1;"), 0);
}

TEST_P(Independent, LanesOfSeveralWarpsAndBlocksTakeALockInTurn) {
  EXPECT_EQ(Bench(options("independent")).run(kSpinLock, {3}, {48}, 2), (std::vector<std::uint32_t>{0, 144}));
}

TEST_P(Independent, LanesProduceAndConsume) {
  EXPECT_EQ(Bench(options("independent")).run(kProducerConsumer, {1}, {32}, 3),
            (std::vector<std::uint32_t>{41, 42, 142}));
}

TEST_P(Independent, LanesShareASemaphore) {
  Bench bench(options("independent"));
  const Module module = bench.device().load(kernel_text(kSemaphore), "test.ptx");
  const DeviceArray<std::uint32_t> out(bench.device(), std::vector<std::uint32_t>{2, 0, 0});
  bench.device().launch(module.kernel("k"), {1}, {32}, 0, out.address());
  EXPECT_EQ(out.download(), (std::vector<std::uint32_t>{2, 0, 32}));
}

TEST_P(Independent, LanesThatWaitForALockOnAStackEndWithAMessage) {
  const std::string text = failure(kSpinLock);
  EXPECT_NE(text.find("test.ptx:4"), std::string::npos) << text;
  EXPECT_NE(text.find("wait for them at PTX line 5"), std::string::npos) << text;
  EXPECT_NE(text.find("lanes 0xfffffffe have gone round"), std::string::npos) << text;
}

TEST_P(Independent, LanesThatConsumeOnAStackEndWithAMessage) {
  const std::string text = failure(kProducerConsumer);
  EXPECT_NE(text.find("sm.divergence=independent"), std::string::npos) << text;
}

TEST_P(Independent, LanesMeetAgainWhereAStackWouldLetThem) {
  // 300 rounds in some lanes while the others wait are no reason to go on without them.
  const std::string_view loop =
      "mov.u32 %r5, 0; and.b32 %r6, %r0, 1; mad.lo.u32 %r6, %r6, 300, 5;\nL: add.u32 %r5, %r5, 1; setp.lt.u32 %p0, "
      "%r5, %r6; @%p0 bra L;\nactivemask.b32 %r7; st.global.u32 [%d1], %r7;";
  EXPECT_EQ(Bench(options("independent")).run_warp(loop), lanes([](auto) { return 0xffffffffu; }));
  EXPECT_EQ(Bench(options("stack")).run_warp(loop), lanes([](auto) { return 0xffffffffu; }));
}

TEST_P(Independent, LanesWaitAtAWarpBarrierForThoseItNames) {
  // The lower half passes a value through shared memory, each lane on a way of its own.
  EXPECT_EQ(Bench(options("independent"))
                .run_warp("mov.u32 %r4, shared_data; mad.lo.u32 %r5, %r0, 4, %r4; setp.ge.u32 %p0, %r0, 16; @%p0 bra "
                          "UPPER;\nbar.warp.sync -1; xor.b32 %r6, %r0, 16; mad.lo.u32 %r6, %r6, 4, %r4; ld.shared.u32 "
                          "%r7, [%r6]; bra END;\nUPPER: add.u32 %r8, %r0, 1000; st.shared.u32 [%r5], %r8; "
                          "bar.warp.sync -1; mov.u32 %r7, 7;\nEND: st.global.u32 [%d1], %r7;"),
            lanes([](auto lane) { return lane < 16 ? 1016 + lane : 7; }));
}

TEST_P(Independent, LanesMeetForACollectiveThatTheyComeToSeparately) {
  // The lower half goes past the place where the halves would meet, spins there, and the upper half comes later.
  EXPECT_EQ(
      Bench(options("independent"))
          .run_warp("mov.u32 %r5, 0; and.b32 %r6, %r0, 7;\nL: add.u32 %r5, %r5, 1; setp.eq.u32 %p0, %r5, %r6; @%p0 bra "
                    "VOTE; setp.lt.u32 %p1, %r5, 20; @%p1 bra L;\nVOTE: vote.sync.ballot.b32 %r7, %p0, -1; "
                    "st.global.u32 [%d1], %r7;"),
      lanes([](auto) { return 0xfefefefeu; }));
}

TEST_P(Independent, LanesOnBothSidesOfABranchComeToTheSameBarrier) {
  // Every thread of the block adds before it, every one reads all of it after it.
  const auto out =
      Bench(options("independent"))
          .run(
              "and.b32 %r3, %r2, 1; setp.eq.u32 %p0, %r3, 0; @%p0 bra EVEN;\natom.shared.add.u32 %r4, [shared_data], "
              "1; bar.sync 0; ld.shared.u32 %r5, [shared_data]; add.u32 %r5, %r5, 1000; bra END;\n"
              "EVEN: atom.shared.add.u32 %r4, [shared_data], 1; bar.sync 0; ld.shared.u32 %r5, [shared_data];\nEND: "
              "st.global.u32 [%d1], %r5;",
              {1}, {96}, 96);
  for (std::uint32_t t = 0; t < 96; ++t) EXPECT_EQ(out[t], t % 2 == 0 ? 96u : 1096u) << t;
}

INSTANTIATE_TEST_SUITE_P(On, Independent, testing::Values(Mode{"Functional", false}, Mode{"Timed", true}),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace heddle::runtime
