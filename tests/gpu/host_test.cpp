// A host that reads, writes and shoots down memory under virtual caches while kernels run, and random programs of
// all of it: a checked run sees every load that gets old data.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "base/diagnostics.h"
#include "mix_kernel.h"
#include "two_names.h"

namespace heddle::test {
namespace {

Changes hosted(const Changes& more) {
  Changes all = kHostedMachine;
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::map<std::string, std::uint64_t> run_with_host(const std::string& operations, unsigned threads = 1) {
  Checked run(hosted({{"mmu.forward_backward.host.interval", "150"},
                      {"mmu.forward_backward.host.operations", operations},
                      {"mmu.forward_backward.host.seed", "7"}}),
              threads);
  run.launch(33, 12);
  return sim::totals(run.gpu().statistics());
}

TEST(AHost, AsksForLinesOfWhichTheTableStopsThoseThatNobodyHas) {
  const auto counters = run_with_host("read write");
  EXPECT_GT(counters.at("gpu.mmu.table.probes"), 10u);
  EXPECT_GT(counters.at("gpu.mmu.table.probes_filtered"), 0u);
  EXPECT_LT(counters.at("gpu.mmu.table.probes_filtered"), counters.at("gpu.mmu.table.probes"));
}

TEST(AHost, ShootsPagesDownWhileTheyAreUsed) {
  const auto counters = run_with_host("shootdown shootdown flush");
  EXPECT_GT(counters.at("gpu.mmu.table.flushes"), 5u);
  EXPECT_GT(counters.at("gpu.mmu.table.shootdown_hits"), 5u);
  // The L2 gives its lines up, then the L1s answer: never faster than the links there and back.
  EXPECT_GT(counters.at("gpu.mmu.table.shootdown_latency"), counters.at("gpu.mmu.table.shootdown_hits") * 2 * 12);
}

TEST(AHost, GivesTheSameCyclesForAnyNumberOfThreads) {
  const auto one = run_with_host("read write shootdown flush");
  EXPECT_EQ(run_with_host("read write shootdown flush", 2), one);
  EXPECT_EQ(run_with_host("read write shootdown flush", 3), one);
}

TEST(AHost, FollowsAScript) {
  TwoNames names([] {
    auto gpu = small_gpu();
    for (const auto& [path, value] : hosted({})) gpu->set_text(path, value);
    // The first allocation of a device begins here.
    gpu->set_text("mmu.forward_backward.host.script",
                  "100 write 0x100000000; 300 shootdown 0x100000000;400 flush ; 500 read 0x900000000");
    return gpu;
  }());
  ASSERT_EQ(names.name(0), 0x100000000u);
  const auto counters = names.run(names.name(2)).counters;
  EXPECT_EQ(counters.at("gpu.mmu.table.probes"), 1u) << "one page is not there";
  EXPECT_EQ(counters.at("gpu.mmu.table.shootdowns"), 1u);
  EXPECT_EQ(counters.at("gpu.mmu.table.flushes"), 1u);
}

TEST(AHost, SaysWhatIsWrongWithAScript) {
  const auto complaint = [](const std::string& key, const std::string& value) -> std::string {
    try {
      small_gpu()->set_text("mmu.forward_backward.host." + key, value);
      return "";
    } catch (const UserError& error) {
      return error.what();
    }
  };
  EXPECT_NE(complaint("script", "100 jump 0x1").find("'100 jump 0x1' is not a cycle and an operation"),
            std::string::npos);
  EXPECT_NE(complaint("script", "100 read").find("'100 read' has no address"), std::string::npos);
  EXPECT_NE(complaint("operations", "read reed").find("there is no operation 'reed'"), std::string::npos);
}

// Threads go where a random number says, over all names: they load, store and add, or only load (LOADS of 8 is all).
// Names lie 2 to the power of PAGE bytes apart; of each, as many words are used as WORD bits can count.
constexpr const char* kWander = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry wander(.param .u64 A, .param .u32 MASK, .param .u32 SEED, .param .u32 ROUNDS, .param .u32 LOADS,
                       .param .u32 WORD, .param .u32 PAGE)
{
  .reg .pred p, q, r;
  .reg .b32 t, b, k, i, x, y, rounds, mask, loads, word, page, name;
  .reg .b64 a, w;
  ld.param.u64 a, [A];
  ld.param.u32 mask, [MASK];
  ld.param.u32 x, [SEED];
  ld.param.u32 rounds, [ROUNDS];
  ld.param.u32 loads, [LOADS];
  ld.param.u32 word, [WORD];
  ld.param.u32 page, [PAGE];
  mov.u32 t, %tid.x;
  mov.u32 b, %ctaid.x;
  mov.u32 k, %ntid.x;
  mad.lo.u32 i, b, k, t;
  shr.u32 y, i, 2;
  mad.lo.u32 x, y, 2654435761, x;
AGAIN:
  mad.lo.u32 x, x, 1664525, 1013904223;
  shr.u32 y, x, 9;
  and.b32 y, y, mask;
  shr.u32 name, y, word;
  shl.b32 k, name, word;
  sub.u32 y, y, k;
  shl.b32 name, name, page;
  mad.lo.u32 name, y, 4, name;
  cvt.u64.u32 w, name;
  add.u64 w, w, a;
  shr.u32 y, x, 29;
  setp.lt.u32 p, y, loads;
  setp.eq.u32 q, y, 7;
  @p bra LOAD;
  @q bra ADD;
  st.global.u32 [w], x;
  bra NEXT;
ADD:
  atom.global.add.u32 y, [w], 1;
  bra NEXT;
LOAD:
  ld.global.u32 y, [w];
NEXT:
  sub.u32 rounds, rounds, 1;
  setp.ne.u32 r, rounds, 0;
  @r bra AGAIN;
  ret;
}
)";

/// Eight pages, and eight more names that become names of them; the host changes all of it between launches and while
/// they run.
class RandomProgram {
 public:
  struct Size {
    const char* page;    ///< vm.page
    std::uint32_t bits;  ///< of an address within a page
    std::uint32_t word;  ///< of a word's number: so many words of each page are used
    int rounds;          ///< of a program
  };
  static constexpr Size kSmall{"4k", 12, 10, 6};
  static constexpr Size kLarge{"2m", 21, 12, 1};  ///< four parts of 4 KiB

  RandomProgram(std::uint32_t seed, unsigned threads, const Changes& changes, std::uint32_t loads = 5,
                const Size& size = kSmall)
      : random_(seed),
        loads_(loads),
        size_(size),
        changes_meanwhile_(seed % 2 == 0),
        device_(options(seed, threads, changes, size)),
        kernel_(device_.load(kWander, "wander.ptx").kernel("wander")),
        data_(device_, std::size_t{kNames} << (size.bits - 2)) {
    for (unsigned name = kPages; name < kNames; ++name) rename(name);
  }
  /// Returns how many accesses its threads made.
  std::uint64_t round() {
    change();
    change();
    constexpr std::uint32_t kBlocks = 9;
    constexpr std::uint32_t kThreads = 128;
    constexpr std::uint32_t kRounds = 16;
    launch_async(device_, kernel_, {kBlocks, 1, 1}, {kThreads, 1, 1}, data_.address(), (kNames << size_.word) - 1,
                 static_cast<std::uint32_t>(random_()), kRounds, loads_, size_.word, size_.bits);
    while (changes_meanwhile_ && !device_.idle(0)) change();
    device_.synchronize();
    return std::uint64_t{kBlocks} * kThreads * kRounds;
  }
  [[nodiscard]] gpu::Gpu& gpu() const { return *device_.gpu(); }

 private:
  static constexpr std::uint32_t kPages = 8;
  static constexpr std::uint32_t kNames = 16;

  static runtime::Device::Options options(std::uint32_t seed, unsigned threads, const Changes& changes,
                                          const Size& size) {
    const auto gpu = small_gpu();
    gpu->set_text("vm.page", size.page);
    gpu->set_text("vm.faults.major", "300");
    for (const auto& [path, value] : hosted(changes)) gpu->set_text(path, value);
    gpu->set_text("check_lines", "true");
    gpu->set_text("sms", "3");
    gpu->set_text("l2.kib", "4");
    gpu->set_text("l2.ways", "4");
    gpu->set_text("vm.faults.minor", "60");
    gpu->set_text("watchdog", "100000");  // a stop ends at once
    gpu->set_text("mmu.forward_backward.host.interval", "120");
    gpu->set_text("mmu.forward_backward.host.operations",
                  "read read write write shootdown shootdown flush move remap remap protect evict");
    gpu->set_text("mmu.forward_backward.host.seed", std::to_string(seed));
    runtime::Device::Options options;
    options.gpu = gpu;
    options.threads = threads;
    return options;
  }
  [[nodiscard]] std::uint64_t page_bytes() const { return std::uint64_t{1} << size_.bits; }
  [[nodiscard]] std::uint64_t address(std::uint32_t name) const { return data_.address() + name * page_bytes(); }
  void rename(unsigned name) {
    target_[name] = static_cast<std::uint32_t>(random_() % kPages);
    device_.alias(address(name), address(target_[name]), page_bytes());
  }
  void change() {
    const auto page = static_cast<std::uint32_t>(random_() % kPages);
    switch (random_() % 5) {
      case 0:
        rename(kPages + page);
        break;
      case 1:
        device_.migrate(address(page), page_bytes());
        for (unsigned name = kPages; name < kNames; ++name) {
          if (target_[name] == page) device_.alias(address(name), address(page), page_bytes());
        }
        break;
      case 2:
        // Stores would end the run.
        if (loads_ == 8 || device_.gpu()->running() == 0) device_.protect(address(page), page_bytes(), false);
        device_.protect(address(page), page_bytes(), true);
        break;
      case 3:
        device_.evict(address(page), page_bytes());
        break;
      default:
        break;
    }
  }

  std::mt19937 random_;
  std::uint32_t loads_;  ///< of eight accesses
  Size size_;
  bool changes_meanwhile_;  ///< the program changes pages while its kernels run, too
  std::array<std::uint32_t, kNames> target_{};
  runtime::Device device_;
  runtime::Kernel kernel_;
  runtime::DeviceArray<std::uint32_t> data_;
};

/// Accesses of the random programs below; HEDDLE_ALIAS_STEPS asks for more, or, with sanitizers, for fewer.
std::uint64_t steps_wanted(std::uint64_t usually) {
  const char* asked = std::getenv("HEDDLE_ALIAS_STEPS");
  return asked == nullptr ? usually : std::strtoull(asked, nullptr, 10);
}

/// Runs programs on the machines in turn, on one to three threads, until they have made so many accesses.
void run_random_programs(const std::vector<Changes>& machines, const RandomProgram::Size& size, std::uint64_t wanted) {
  std::uint64_t steps = 0;
  for (std::uint32_t seed = 1; steps < wanted; ++seed) {
    SCOPED_TRACE(seed);
    RandomProgram program(seed, 1 + seed % 3, machines[seed % machines.size()], 5, size);
    for (int round = 0; round < size.rounds; ++round) ASSERT_NO_THROW(steps += program.round());
    const auto counters = sim::totals(program.gpu().statistics());
    EXPECT_GT(counters.at("gpu.mmu.table.synonyms"), 0u);
    EXPECT_GT(counters.at("gpu.mmu.table.shootdown_hits"), 0u);
    for (const char* change : {"moved", "remapped", "protected", "allowed", "evicted"})
      EXPECT_GT(counters.at(std::string("gpu.page_changes.") + change), 0u) << change;
  }
}

TEST(RandomProgramsOfAliases, NeverSeeOldData) {
  const std::vector<Changes> machines{{{"vm.faults.major", "400"}},
                                      {{"vm.faults.major", "100"}, {"mmu.forward_backward.entries", "4"}},
                                      {{"vm.faults.major", "300"}, {"mmu.forward_backward.free_empty", "true"}},
                                      {{"vm.faults.major", "200"}, {"l2.mshrs", "3"}, {"sm.l1.writes", "evict"}},
                                      {{"vm.faults.major", "300"}, {"sm.mmu.synonyms", "4"}}};
  run_random_programs(machines, RandomProgram::kSmall, steps_wanted(1'000'000));
}

// Of pages of 2 MiB an entry of the table is for a part, or for all of it and counts lines. A TLB that has parts from
// the table and whole pages from walks, one beside no second level, tables of two sets, sectors, SMs that know names.
TEST(RandomProgramsOfAliases, NeverSeeOldDataInLargePages) {
  const char* kind = "mmu.forward_backward.large_pages";
  const char* entries = "mmu.forward_backward.entries";
  const std::vector<Changes> machines{
      {{kind, "subpages"}, {"vm.faults.major", "400"}},
      {{kind, "counter"}, {"vm.faults.major", "400"}},
      {{kind, "subpages"}, {entries, "8"}, {"l2.mshrs", "3"}},
      {{kind, "counter"}, {entries, "4"}, {"mmu.forward_backward.ways", "2"}, {"sm.l1.writes", "evict"}},
      {{kind, "counter"}, {"mmu.forward_backward.free_empty", "true"}, {"l2.sector_bytes", "32"}},
      {{kind, "subpages"}, {"mmu.forward_backward.second_level", "false"}, {"mmu.tlb.entries", "8"}},
      {{kind, "counter"}, {"sm.mmu.synonyms", "4"}, {"vm.faults.major", "200"}}};
  run_random_programs(machines, RandomProgram::kLarge, steps_wanted(120'000));
}

// Nobody stores, so that SMs go by the leading names that they have been told; what changes, the host changes.
TEST(RandomProgramsOfAliases, NeverSeeOldDataUnderNamesThatSmsHaveLearnt) {
  const Changes machine{{"vm.faults.major", "300"}, {"sm.mmu.synonyms", "4"}};
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    RandomProgram program(seed, 1 + seed % 3, machine, 8);
    for (int round = 0; round < 3; ++round) ASSERT_NO_THROW(program.round());
    EXPECT_GT(sim::totals(program.gpu().statistics()).at("gpu.sm.l1_renamed"), 100u);
  }
}

}  // namespace
}  // namespace heddle::test
