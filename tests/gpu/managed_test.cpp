// Managed memory that migrates, on whole GPUs: with and without address translation, with any number of host threads.
#include <gtest/gtest.h>

#include <numeric>

#include "small_gpu.h"

namespace heddle::test {
namespace {

using Changes = std::vector<std::pair<std::string, std::string>>;

constexpr std::uint32_t kManagedWords = 512 * 1024;  // 2 MiB

/// Every thread adds 1 to the words that are a grid apart.
const char* const kAddOne = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry add(.param .u64 A, .param .u32 N)
{
  .reg .pred p;
  .reg .b32 i, n, t, b, g, v;
  .reg .b64 a, o;
  ld.param.u64 a, [A];
  ld.param.u32 n, [N];
  mov.u32 t, %tid.x;
  mov.u32 b, %ctaid.x;
  mov.u32 g, %ntid.x;
  mad.lo.u32 i, b, g, t;
  mov.u32 b, %nctaid.x;
  mul.lo.u32 g, g, b;
AGAIN:
  setp.ge.u32 p, i, n;
  @p bra DONE;
  mul.wide.u32 o, i, 4;
  add.u64 o, o, a;
  ld.global.u32 v, [o];
  add.u32 v, v, 1;
  st.global.u32 [o], v;
  add.u32 i, i, g;
  bra AGAIN;
DONE:
  ret;
}
)";

const Changes kMigrating{{"managed.migrates", "true"}, {"managed.host", "all"}};

struct Outcome {
  bool right = true;
  std::vector<std::uint64_t> cycles;
  std::map<std::string, std::uint64_t> counters;

  [[nodiscard]] std::uint64_t count(const std::string& name) const { return counters.at("gpu.managed." + name); }
};

struct Plan {
  Changes changes;
  unsigned threads = 1;
  bool managed = true;
  unsigned launches = 3;
  std::uint32_t words = kManagedWords;
  std::function<void(runtime::Device&, std::uint64_t address)> before = {};
};

/// Launches the kernel; the host has its turn between launches.
Outcome add_up(const Plan& plan) {
  auto gpu = small_gpu();
  gpu->set_text("sms", "4");
  for (const auto& [path, value] : plan.changes) gpu->set_text(path, value);
  gpu->check();
  runtime::Device::Options options;
  options.gpu = gpu;
  options.threads = plan.threads;
  runtime::Device device(options);
  const runtime::Module module = device.load(kAddOne, "add.ptx");
  const std::uint64_t bytes = std::uint64_t{plan.words} * 4;
  const std::uint64_t address = plan.managed ? device.allocate_managed(bytes) : device.allocate(bytes);
  std::vector<std::uint32_t> words(plan.words);
  std::iota(words.begin(), words.end(), 0);
  device.copy_to_device(address, words.data(), bytes);
  if (plan.before) plan.before(device, address);
  Outcome outcome;
  for (unsigned l = 0; l < plan.launches; ++l)
    outcome.cycles.push_back(
        device.launch(module.kernel("add"), {8, 1, 1}, {256, 1, 1}, 0, address, plan.words).cycles);
  device.copy_to_host(words.data(), address, bytes);
  for (std::uint32_t i = 0; i < plan.words; ++i) outcome.right = outcome.right && words[i] == i + plan.launches;
  outcome.counters = sim::totals(device.gpu()->statistics());
  device.free(address);
  return outcome;
}

TEST(Managed, IsOffByDefaultAndCostsNothing) {
  const Outcome plain = add_up({.changes = {}, .managed = false});
  const Outcome managed = add_up({.changes = {}});
  EXPECT_TRUE(managed.right);
  EXPECT_EQ(managed.cycles, plain.cycles);
  EXPECT_EQ(managed.counters, plain.counters);
  EXPECT_FALSE(managed.counters.contains("gpu.managed.faults"));
}

TEST(Managed, OtherMemoryCostsNothingWhereItMigrates) {
  const Outcome plain = add_up({.changes = {}, .managed = false});
  const Outcome other = add_up({.changes = kMigrating, .managed = false});
  EXPECT_EQ(other.cycles, plain.cycles);
  EXPECT_EQ(other.count("faults"), 0u);
}

TEST(Managed, EveryLaunchFaultsAgainForWhatTheHostHas) {
  const Outcome outcome = add_up({.changes = kMigrating});
  EXPECT_TRUE(outcome.right);
  constexpr std::uint64_t kPages = kManagedWords / 1024;
  // The host is taken to have touched all before each launch.
  EXPECT_EQ(outcome.count("faulted_in"), 3 * kPages);
  EXPECT_EQ(outcome.count("touched_back"), 2 * kPages);
  EXPECT_EQ(outcome.count("bytes_in"), 3 * kPages * 4096);
  EXPECT_EQ(outcome.count("made"), 0u);
  EXPECT_GE(outcome.count("faults"), 3u * 4);
  EXPECT_GT(outcome.count("grown"), 0u);
  EXPECT_GT(outcome.count("waited"), outcome.count("serving"));
  // Each batch takes its time, and the pages theirs over the link.
  EXPECT_GT(outcome.cycles[0], outcome.count("batches") / 3 * 20000);
}

TEST(Managed, StaysOnTheDeviceIfTheHostDoesNotTouchIt) {
  Changes changes = kMigrating;
  changes.emplace_back("managed.host", "none");
  const Outcome outcome = add_up({.changes = changes});
  const Outcome plain = add_up({.changes = {}, .managed = false});
  EXPECT_TRUE(outcome.right);
  EXPECT_EQ(outcome.count("made"), kManagedWords / 1024);  // that the program has copied there is no touch
  EXPECT_EQ(outcome.count("faulted_in"), 0u);
  EXPECT_GT(outcome.cycles[0], plain.cycles[0]);
  // From the second launch on nothing is asked. Its addresses, and so its rows of DRAM, are others.
  const auto as_without = static_cast<double>(plain.cycles[2]);
  EXPECT_NEAR(static_cast<double>(outcome.cycles[2]), as_without, 0.01 * as_without);
}

TEST(Managed, ThreadsAndTranslationDoNotChangeWhatIsCounted) {
  const std::vector<std::pair<std::string, Changes>> machines{
      {"plain", {}},
      {"checked lines", {{"check_lines", "true"}}},
      {"private TLBs", {{"sm.mmu.kind", "tlb"}, {"vm.check", "true"}}},
      {"shared TLB",
       {{"sm.mmu.kind", "tlb"}, {"sm.mmu.walks", "shared"}, {"vm.check", "true"}, {"check_lines", "true"}}},
      {"virtual L1", {{"sm.mmu.kind", "after-l1"}, {"check_lines", "true"}}},
      {"across warps", {{"sm.coalescer", "warppool"}, {"check_lines", "true"}}},
      {"few may wait", {{"managed.waiting", "2"}}},
      {"written back", {{"sm.l1.writes", "write-back"}, {"check_lines", "true"}}},
  };
  constexpr std::uint32_t kFew = 64 * 1024;
  for (const auto& [name, machine] : machines) {
    Changes changes = kMigrating;
    changes.insert(changes.end(), machine.begin(), machine.end());
    const Outcome one = add_up({.changes = changes, .words = kFew});
    const Outcome two = add_up({.changes = changes, .threads = 2, .words = kFew});
    EXPECT_TRUE(one.right) << name;
    EXPECT_EQ(one.cycles, two.cycles) << name;
    EXPECT_EQ(one.counters, two.counters) << name;
    EXPECT_EQ(one.count("faulted_in"), 3u * kFew / 1024) << name;
  }
}

TEST(Managed, AnSmWaitsForNoMoreThanItMay) {
  Changes changes = kMigrating;
  const Outcome many = add_up({.changes = changes, .launches = 1});
  changes.emplace_back("managed.waiting", "1");
  const Outcome one = add_up({.changes = changes, .launches = 1});
  EXPECT_TRUE(one.right);
  // Sixteen warps of an SM wait at a time, or one.
  EXPECT_GT(many.count("waits"), 8 * one.count("waits"));
}

TEST(Managed, APrefetchSavesTheFaults) {
  const auto prefetch = [](runtime::Device& device, std::uint64_t address) {
    device.prefetch_async(0, address, std::uint64_t{kManagedWords} * 4, vm::Side::device);
    device.synchronize();
  };
  Changes changes = kMigrating;
  changes.emplace_back("managed.host", "none");
  const Outcome outcome = add_up({.changes = changes, .launches = 1, .before = prefetch});
  EXPECT_TRUE(outcome.right);
  EXPECT_EQ(outcome.count("faults"), 0u);
  EXPECT_EQ(outcome.count("prefetched_in"), kManagedWords / 1024);
}

TEST(Managed, MappedMemoryIsAccessedOverTheLink) {
  constexpr std::uint32_t kFew = 64 * 1024;
  const auto map = [](runtime::Device& device, std::uint64_t address) {
    device.advise(address, kFew * 4, vm::Advice::preferred, vm::Side::host, true);
    device.advise(address, kFew * 4, vm::Advice::accessed_by, vm::Side::device, true);
  };
  for (const unsigned threads : {1u, 2u}) {
    Changes changes = kMigrating;
    changes.emplace_back("check_lines", "true");
    const Outcome outcome =
        add_up({.changes = changes, .threads = threads, .launches = 1, .words = kFew, .before = map});
    EXPECT_TRUE(outcome.right);
    EXPECT_EQ(outcome.count("faults"), 0u);
    constexpr std::uint64_t kLines = kFew / 32;
    EXPECT_EQ(outcome.count("remote_lines"), 2 * kLines);
    EXPECT_EQ(outcome.count("bytes_in"), kLines * 128);
    EXPECT_EQ(outcome.count("bytes_back"), kLines * 128);
    // 12.6 GB/s at 1 GHz.
    EXPECT_GT(outcome.cycles[0], kLines * 10);
  }
}

TEST(Managed, MoreThanTheDeviceHasMovesInAndOut) {
  auto gpu = small_gpu();
  for (const auto& [path, value] : kMigrating) gpu->set_text(path, value);
  gpu->set_text("managed.host", "none");
  gpu->set_text("managed.beyond_mib", "64");
  runtime::Device::Options options;
  options.gpu = gpu;
  options.memory_bytes = std::uint64_t{6} << 20;
  runtime::Device device(options);
  const runtime::Module module = device.load(kAddOne, "add.ptx");
  constexpr unsigned kArrays = 5;  // of 2 MiB
  std::vector<std::uint64_t> arrays;
  for (unsigned a = 0; a < kArrays; ++a) arrays.push_back(device.allocate_managed(std::uint64_t{kManagedWords} * 4));
  EXPECT_THROW(static_cast<void>(device.allocate(std::uint64_t{8} << 20)), runtime::LaunchError);
  for (unsigned round = 0; round < 2; ++round) {
    for (const std::uint64_t array : arrays)
      device.launch(module.kernel("add"), {8, 1, 1}, {256, 1, 1}, 0, array, kManagedWords);
  }
  std::vector<std::uint32_t> words(kManagedWords);
  for (const std::uint64_t array : arrays) {
    device.copy_to_host(words.data(), array, std::uint64_t{kManagedWords} * 4);
    EXPECT_EQ(std::count(words.begin(), words.end(), 2u), kManagedWords);
  }
  const auto counters = sim::totals(device.gpu()->statistics());
  // Two or three have room, and the one that is needed next has always left.
  EXPECT_EQ(counters.at("gpu.managed.made"), std::uint64_t{kArrays} * kManagedWords / 1024);
  EXPECT_EQ(counters.at("gpu.managed.faulted_in"), std::uint64_t{kArrays} * kManagedWords / 1024);
  EXPECT_GE(counters.at("gpu.managed.evicted"), 7u * kManagedWords / 1024);
  EXPECT_LE(device.gpu()->managed()->resident_pages() * 4096, options.memory_bytes);
}

TEST(Managed, ParametersMustFit) {
  auto gpu = small_gpu();
  gpu->set_text("managed.chunk_kib", "256");
  gpu->set_text("managed.region_kib", "128");
  EXPECT_THROW(gpu->check(), UserError);
  gpu->set_text("managed.region_kib", "256");
  gpu->check();
  gpu->set_text("managed.gather_ns", "30000");
  EXPECT_THROW(gpu->check(), UserError);
}

// The host's time, and that of what streams wait for, is no time in which a kernel makes no progress.
TEST(Managed, TheWatchdogKnowsWhatIsWaitedFor) {
  Changes changes = kMigrating;
  changes.emplace_back("watchdog", "4000");
  EXPECT_TRUE(add_up({.changes = changes, .launches = 1}).right);
  const auto prefetch = [](runtime::Device& device, std::uint64_t address) {
    const runtime::Stream stream = device.create_stream();
    device.prefetch_async(stream, address, std::uint64_t{kManagedWords} * 4, vm::Side::device);
  };
  changes.emplace_back("managed.host", "none");
  const Outcome beside = add_up({.changes = changes, .launches = 1, .before = prefetch});
  EXPECT_TRUE(beside.right);
  EXPECT_EQ(beside.count("prefetched_in"), kManagedWords / 1024);
  const auto copy = [](runtime::Device& device, std::uint64_t address) {
    std::vector<std::uint32_t> words(kManagedWords);
    std::iota(words.begin(), words.end(), 0);
    device.copy_to_device_async(0, address, words.data(), words.size() * 4);
  };
  EXPECT_TRUE(add_up({.changes = {{"watchdog", "4000"}}, .launches = 1, .before = copy}).right);
}

}  // namespace
}  // namespace heddle::test
