// Thread block compaction never loses, doubles or reorders what a thread does: random control flow computes what it
// does with a stack for each warp, with and without timing.
#include <fmt/format.h>

#include "gpu/gpu.h"
#include "kernel_bench.h"

namespace heddle::runtime {
namespace {

/// Structured programs of branches, loops, breaks, calls, guards, early exits, barriers, shared and local memory and
/// atomics. Each thread keeps a hash of all that it does, in order (%r10), and stores it.
class RandomProgram {
 public:
  explicit RandomProgram(std::uint64_t seed) : state_(seed * 2 + 1) {
    statements(3, 4);
    // All threads that are left meet: what they wrote is read by others.
    text_ +=
        "and.b32 %r20, %r2, 63; mad.lo.u32 %r20, %r20, 4, %r40; atom.shared.xor.b32 %r21, [%r20], %r10; bar.sync 0;\n";
    text_ += "st.global.u32 [%d1], %r10;\n";
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::uint32_t random(std::uint32_t below) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state_ >> 33) % below;
  }
  int label() { return labels_++; }
  void mix() {
    text_ += fmt::format("xor.b32 %r10, %r10, {}; mul.lo.u32 %r10, %r10, 16777619;", random(1u << 30));
    text_ += " shr.u32 %r17, %r10, 15; xor.b32 %r10, %r10, %r17;\n";
  }
  /// A predicate that differs between threads, warps or not at all.
  void condition(int predicate) {
    static constexpr const char* kSources[] = {"%r10", "%r2", "%r11", "%r0"};
    text_ +=
        fmt::format("shr.u32 %r12, {}, {}; and.b32 %r12, %r12, {}; setp.{}.u32 %p{}, %r12, {};\n", kSources[random(4)],
                    random(7), 1 + random(7), random(2) == 0 ? "lt" : "ge", predicate, random(4));
  }
  void statements(int depth, std::uint32_t count) {
    for (std::uint32_t i = 0; i < 1 + random(count); ++i) statement(depth);
  }
  void statement(int depth) {
    mix();
    switch (depth == 0 ? 5 + random(4) : random(9)) {
      case 0:
      case 1:
        return if_else(depth);
      case 2:
      case 3:
        return loop(depth);
      case 4:
        text_ += "{ .param .b32 a, r; st.param.b32 [a], %r10; call (r), f, (a); ld.param.b32 %r13, [r]; }\n";
        text_ += "xor.b32 %r10, %r10, %r13;\n";
        return;
      case 5: {
        condition(1);
        text_ += fmt::format("@%p1 add.u32 %r10, %r10, {}; @!%p1 xor.b32 %r10, %r10, %r0;\n", random(1000));
        return;
      }
      case 6:
        text_ += "atom.global.add.u32 %r14, [%d0+16380], 1; add.u32 %r11, %r11, 1;\n";
        return;
      case 7:
        text_ += "st.local.u32 [spill], %r10; ld.local.u32 %r15, [spill]; add.u32 %r10, %r10, %r15;\n";
        return;
      default:
        text_ += "st.global.u32 [%d1], %r10; ld.global.u32 %r16, [%d1]; add.u32 %r10, %r10, %r16;\n";
        if (depth == 3 && random(3) == 0) {
          condition(2);
          text_ += "@%p2 st.global.u32 [%d1], %r10; @%p2 exit;\n";
        }
        if (depth == 3) text_ += "bar.sync 0;\n";
        return;
    }
  }
  void if_else(int depth) {
    const int other = label();
    const int end = label();
    condition(3);
    text_ += fmt::format("@%p3 bra L{};\n", other);
    statements(depth - 1, 2);
    if (random(2) == 0) {
      text_ += fmt::format("bra L{};\nL{}:\n", end, other);
      statements(depth - 1, 2);
      text_ += fmt::format("L{}:\n", end);
    } else {
      text_ += fmt::format("L{}:\n", other);
    }
  }
  /// As many rounds as a few bits of the thread's number say, perhaps with a way out in the middle.
  void loop(int depth) {
    const int again = label();
    const int out = label();
    const std::string counter = fmt::format("%r{}", 30 + depth);
    if (random(2) == 0) {
      // As often for all threads that come here.
      text_ += fmt::format("mov.u32 {0}, %ctaid.x; add.u32 {0}, {0}, {1};\nL{2}:\n", counter, 1 + random(3), again);
    } else {
      text_ += fmt::format("shr.u32 {0}, %r0, {1}; and.b32 {0}, {0}, 3; add.u32 {0}, {0}, 1;\nL{2}:\n", counter,
                           random(6), again);
    }
    statements(depth - 1, 2);
    if (random(2) == 0) {
      condition(4);
      text_ += fmt::format("@%p4 bra L{};\n", out);
    }
    mix();
    text_ += fmt::format("sub.u32 {0}, {0}, 1; setp.ne.u32 %p5, {0}, 0; @%p5 bra L{1};\nL{2}:\n", counter, again, out);
  }

  std::uint64_t state_;
  int labels_ = 0;
  std::string text_ = ".local .align 4 .b8 spill[4]; mov.u32 %r40, shared_data; mov.u32 %r10, %r0; mov.u32 %r11, 0;\n";
};

// Calls with a way out before the end.
constexpr std::string_view kFunction =
    ".func (.param .b32 r) f(.param .b32 a) { .reg .pred p; .reg .b32 value, low; ld.param.b32 value, [a]; "
    "st.param.b32 "
    "[r], value; and.b32 low, value, 3; setp.eq.u32 p, low, 1; @p ret; mul.lo.u32 value, value, 3; and.b32 low, value, "
    "8; "
    "setp.eq.u32 p, low, 0; @p bra SKIP; add.u32 value, value, 77; SKIP: st.param.b32 [r], value; ret; }";

struct Result {
  std::vector<std::uint32_t> values;
  std::uint64_t threads = 0;
  std::uint64_t warps = 0;
  std::map<std::string, std::uint64_t> counters;
};

Result run_with(const std::string& text, const std::string& divergence, bool timed,
                const std::vector<std::pair<std::string, std::string>>& changes = {}) {
  Device::Options options;
  options.divergence = exec::divergence_named(divergence);
  if (timed) {
    auto gpu = std::make_shared<gpu::GpuParameters>();
    gpu->set_text("sms", "2");
    gpu->set_text("memory.partitions", "2");
    gpu->set_text("sm.divergence", divergence);
    for (const auto& [path, value] : changes) gpu->set_text(path, value);
    options.gpu = gpu;
  }
  Bench bench(options);
  Result result;
  result.values = bench.run(text, {3}, {200}, 4096, kFunction);
  result.threads = bench.device().launches().back().thread_instructions;
  result.warps = bench.device().launches().back().warp_instructions;
  if (timed) result.counters = sim::totals(bench.device().gpu()->statistics());
  return result;
}

TEST(BlockCompaction, OfRandomControlFlowComputesTheSame) {
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    const std::string text = RandomProgram(seed).text();
    SCOPED_TRACE(fmt::format("seed {}:\n{}", seed, text));
    const Result stack = run_with(text, "stack", false);
    const Result compacted = run_with(text, "tbc", false);
    ASSERT_EQ(stack.values, compacted.values);
    ASSERT_EQ(stack.threads, compacted.threads) << "no instruction of a thread is lost or done twice";
    ASSERT_LE(compacted.warps, stack.warps) << "compaction needs no more warps";
  }
}

TEST(BlockCompaction, OfRandomControlFlowComputesTheSameWhenTimed) {
  std::uint64_t fewer = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const std::string text = RandomProgram(seed).text();
    SCOPED_TRACE(fmt::format("seed {}:\n{}", seed, text));
    const Result stack = run_with(text, "stack", true, {{"check_lines", "true"}});
    for (const char* kind : {"tbc", "tbc-tlb", "tbc-oracle"}) {
      const Result compacted = run_with(text, kind, true,
                                        {{"check_lines", "true"},
                                         {"sm.mmu.kind", "tlb"},
                                         {"sm.mmu.tlb.entries", "4"},
                                         {"sm.tbc_tlb.bits", "1"},
                                         {"sm.tbc_tlb.flush", "0"}});
      ASSERT_EQ(stack.values, compacted.values) << kind;
      ASSERT_EQ(stack.threads, compacted.threads) << kind;
      fewer += compacted.warps < stack.warps ? 1 : 0;
    }
  }
  EXPECT_GT(fewer, 10u) << "these programs diverge in ways that compaction helps";
}

TEST(BlockCompaction, HalvesTheWarpsOfABranchThatHalfOfEachWarpTakes) {
  // Odd and even warps have other lanes on each side.
  const std::string text =
      "shr.u32 %r3, %r2, 5; add.u32 %r3, %r3, %r2; and.b32 %r3, %r3, 1; setp.eq.u32 %p0, %r3, 0; @%p0 bra A;\n"
      "add.u32 %r4, %r0, 1; add.u32 %r4, %r4, 1; add.u32 %r4, %r4, 1; bra B;\n"
      "A: add.u32 %r4, %r0, 9; add.u32 %r4, %r4, 1; add.u32 %r4, %r4, 1;\n"
      "B: st.global.u32 [%d1], %r4;";
  const Result stack = run_with(text, "stack", true);
  const Result compacted = run_with(text, "tbc", true);
  EXPECT_EQ(stack.values, compacted.values);
  const auto& counters = compacted.counters;
  // Blocks of 200 threads: 6 warps and one of 8 threads, which makes two pairs of ways.
  EXPECT_EQ(counters.at("gpu.sm.tbc.blocks"), 3u);
  EXPECT_EQ(counters.at("gpu.sm.tbc.divergent"), 3u);
  EXPECT_LT(compacted.warps, stack.warps);
  EXPECT_EQ(counters.at("gpu.sm.tbc.left_alone"), 0u);
}

TEST(BlockCompaction, DoesNotWaitAtBranchesThatNeverSplitABlock) {
  // The first branch splits blocks; the loop goes round as often for all: 10, 11 and 12 times in the three blocks.
  const std::string text =
      "mov.u32 %r3, %ctaid.x; add.u32 %r3, %r3, 10; mov.u32 %r4, %r0; setp.ge.u32 %p1, %r2, 150; @%p1 bra E;\n"
      "L: add.u32 %r4, %r4, %r3; sub.u32 %r3, %r3, 1; setp.ne.u32 %p0, %r3, 0; @%p0 bra L;\n"
      "E: st.global.u32 [%d1], %r4;";
  const Result knows = run_with(text, "tbc", true);
  const Result waits = run_with(text, "tbc", true, {{"sm.tbc.uniform", "false"}});
  EXPECT_EQ(knows.values, waits.values);
  EXPECT_EQ(knows.counters.at("gpu.sm.tbc.meetings"), 3u);
  EXPECT_EQ(waits.counters.at("gpu.sm.tbc.meetings"), 3u + 10 + 11 + 12);
  // What threads bring from there to where all meet is not the same for all: the second loop splits them.
  const std::string after =
      text +
      "\nM: add.u32 %r4, %r4, %r3; add.u32 %r3, %r3, 1; setp.lt.u32 %p0, %r3, 4; @%p0 bra M; st.global.u32 [%d1], %r4;";
  EXPECT_EQ(run_with(after, "tbc", true).values, run_with(after, "stack", true).values);
}

TEST(BlockCompaction, LeavesKernelsAloneWhoseLanesMeet) {
  const std::string text =
      "and.b32 %r3, %r2, 1; setp.eq.u32 %p0, %r3, 0; @%p0 bra A; shfl.sync.bfly.b32 %r4, %r0, 2, 31, 0xaaaaaaaa; bra "
      "B;\n"
      "A: shfl.sync.bfly.b32 %r4, %r0, 4, 31, 0x55555555;\n"
      "B: st.global.u32 [%d1], %r4;";
  for (const bool timed : {false, true}) {
    const Result compacted = run_with(text, "tbc", timed);
    EXPECT_EQ(run_with(text, "stack", timed).values, compacted.values);
    if (timed) {
      EXPECT_EQ(compacted.counters.at("gpu.sm.tbc.left_alone"), 3u);
    }
  }
}

TEST(BlockCompaction, CountsVotesOfABarrierInTheWarpsThatTheThreadsAreFrom) {
  const std::string text =
      "shr.u32 %r3, %r2, 5; add.u32 %r3, %r3, %r2; and.b32 %r3, %r3, 1; setp.eq.u32 %p0, %r3, 0; mov.u32 %r6, 0;\n"
      "@%p0 bra A; add.u32 %r6, %r6, 5; and.b32 %r7, %r2, 4; setp.ne.u32 %p1, %r7, 0; bar.red.popc.u32 %r6, 0, %p1;\n"
      "bar.red.or.pred %p2, 0, %p1; selp.u32 %r8, 100, 0, %p2; add.u32 %r6, %r6, %r8;\n"
      "A: st.global.u32 [%d1], %r6;";
  // A barrier in a branch waits for those who took it.
  const std::vector<std::uint32_t> values = run_with(text, "tbc", true).values;
  EXPECT_EQ(values, run_with(text, "tbc", false).values);
  unsigned voted = 0;
  for (unsigned t = 0; t < 200; ++t) voted += (t / 32 + t) % 2 == 1 && (t & 4) != 0 ? 1 : 0;
  for (unsigned t = 0; t < 200; ++t) EXPECT_EQ(values[t], (t / 32 + t) % 2 == 1 ? voted + 100 : 0) << t;
}

}  // namespace
}  // namespace heddle::runtime
