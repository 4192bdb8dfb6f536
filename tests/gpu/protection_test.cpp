// Applications that share a GPU and do what they must not: each attack ends the attacker, and nobody else notices.
#include <gtest/gtest.h>

#include "runtime/machine.h"
#include "small_gpu.h"

namespace heddle::test {
namespace {

using Changes = std::vector<std::pair<std::string, std::string>>;

const Changes kSharedTlb{{"sms", "2"},
                         {"sm.mmu.kind", "tlb"},
                         {"sm.mmu.walks", "shared"},
                         {"sm.mmu.tlb.entries", "8"},
                         {"mmu.tlb.entries", "32"},
                         {"mmu.walker.walks", "4"},
                         {"vm.check", "true"}};

/// Reads or writes one word at an address, after it has read its own memory for a while.
std::string attack_ptx(const std::string& access) {
  return R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry attack(.param .u64 A, .param .u64 D)
{
  .reg .pred p;
  .reg .b32 v, n;
  .reg .b64 a, d, s;
  ld.param.u64 a, [A];
  ld.param.u64 d, [D];
  mov.u32 n, 20;
AGAIN:
  ld.volatile.global.u32 v, [d];
  sub.u32 n, n, 1;
  setp.ne.u32 p, n, 0;
  @p bra AGAIN;
  )" + access +
         R"(
  st.global.u32 [d], v;
  ret;
}
)";
}

struct Result {
  int attacker = 0;  ///< CUDA error; 0: none
  std::string said;
  bool again_refused = false;  ///< its next launch is
  std::uint64_t victim = 0;    ///< what its kernel left behind
  std::uint64_t cycles = 0;
  std::uint64_t address = 0;
};

/// The victim follows a ring of pointers while the attacker attacks `address(victim's ring)`.
Result attack(const std::string& access, const std::function<std::uint64_t(std::uint64_t ring)>& address,
              const Changes& more = {}, unsigned threads = 1) {
  auto gpu = small_gpu();
  for (const auto& changes : {kSharedTlb, more}) {
    for (const auto& [path, value] : changes) gpu->set_text(path, value);
  }
  runtime::MachineOptions options;
  options.gpu = gpu;
  options.threads = threads;
  options.applications = 2;
  const auto machine = std::make_shared<runtime::Machine>(options);
  runtime::Device victim(machine, {});
  runtime::Device attacker(machine, {});
  constexpr std::size_t kCount = 64;
  const Ring ring(victim, kCount, 4096 + 128);
  Result result;
  result.address = ring.start();
  const std::vector<std::function<void()>> programs{
      [&] {
        const runtime::Module module = victim.load(chase_ptx("ld.global.u64"), "chase.ptx");
        const runtime::DeviceArray<std::uint64_t> out(victim, 1);
        const runtime::LaunchStatistics launch =
            victim.launch(module.kernel("chase"), {1, 1, 1}, {1, 1, 1}, 0, ring.start(), out.address(),
                          static_cast<std::uint32_t>(4 * kCount));
        result.victim = out.download()[0];
        result.cycles = launch.cycles;
      },
      [&] {
        const runtime::Module module = attacker.load(attack_ptx(access), "attack.ptx");
        const runtime::DeviceArray<std::uint32_t> own(attacker, 32);
        const auto launch = [&] {
          attacker.launch(module.kernel("attack"), {8, 1, 1}, {64, 1, 1}, 0, address(ring.start()), own.address());
        };
        try {
          launch();
        } catch (const runtime::LaunchError& error) {
          result.attacker = error.cuda_error();
          result.said = error.what();
        }
        try {
          launch();
        } catch (const runtime::LaunchError&) {
          result.again_refused = true;
        }
      }};
  machine->run_together(programs);
  EXPECT_FALSE(machine->failed());
  return result;
}

void expect_contained(const Result& result, int error) {
  EXPECT_EQ(result.attacker, error) << result.said;
  EXPECT_TRUE(result.again_refused) << "an application that has failed does not go on";
  EXPECT_EQ(result.victim, result.address) << "the victim's ring leads back to its start";
  EXPECT_GT(result.cycles, 0u);
}

const char* const kRead = "ld.global.u32 v, [a];";
const char* const kWrite = "st.global.u32 [a], v;";
constexpr int kIllegal = 700;

TEST(Protection, WildPointersEndTheAttackerOnly) {
  for (const std::uint64_t wild : {std::uint64_t{0}, std::uint64_t{8}, std::uint64_t{1} << 40, ~std::uint64_t{7}}) {
    for (const char* access : {kRead, kWrite, "atom.global.add.u32 v, [a], 1;"})
      expect_contained(attack(access, [&](std::uint64_t) { return wild & ~std::uint64_t{3}; }), kIllegal);
  }
}

TEST(Protection, AnAddressOfAnotherApplicationIsNoneHere) {
  // Beyond what the attacker has of its own, at the end of the victim's ring.
  const auto guess = [](std::uint64_t ring) { return ring + 50 * (4096 + 128); };
  expect_contained(attack(kRead, guess), kIllegal);
  expect_contained(attack(kWrite, guess), kIllegal);
}

TEST(Protection, AnAddressSpaceCannotBeGuessedIntoAnAddress) {
  // Bits in which caches and TLBs keep applications apart.
  for (const unsigned bit : {40u, 44u, 46u, 47u, 48u, 56u}) {
    const auto guess = [&](std::uint64_t ring) { return ring | std::uint64_t{1} << bit; };
    expect_contained(attack(kRead, guess), kIllegal);
  }
}

TEST(Protection, CodeParametersAndLocalMemoryOfOthersHaveNoAddress) {
  // Where instructions, kernel parameters and local memory lie for the caches.
  for (const std::uint64_t window : {std::uint64_t{1} << 47, (std::uint64_t{1} << 47) + (std::uint64_t{1} << 46),
                                     std::uint64_t{1} << 62, (std::uint64_t{1} << 62) + (std::uint64_t{1} << 50)}) {
    expect_contained(attack(kRead, [&](std::uint64_t) { return window; }), kIllegal);
    expect_contained(attack(kWrite, [&](std::uint64_t) { return window; }), kIllegal);
  }
}

TEST(Protection, SharedMemoryBeyondTheBlocksOwnIsRefused) {
  expect_contained(attack("ld.shared.u32 v, [a];", [](std::uint64_t) { return std::uint64_t{1} << 14; }), kIllegal);
}

TEST(Protection, ATrapEndsItsOwnApplication) {
  const Result result = attack("trap;", [](std::uint64_t) { return std::uint64_t{0}; });
  EXPECT_NE(result.attacker, 0);
  EXPECT_EQ(result.victim, result.address);
}

TEST(Protection, WhatIsHarmlessGoesOn) {
  const Result result = attack("mov.u32 v, 1;", [](std::uint64_t) { return std::uint64_t{0}; });
  EXPECT_EQ(result.attacker, 0) << result.said;
  EXPECT_FALSE(result.again_refused);
  EXPECT_EQ(result.victim, result.address);
}

TEST(Protection, HoldsWithoutTranslationAndOnSharedSms) {
  for (const Changes& changes : {Changes{{"sm.mmu.kind", "none"}, {"sm.mmu.walks", "private"}},
                                 Changes{{"sharing.policy", "spatial"}}, Changes{{"sms", "1"}}})
    expect_contained(attack(
                         kRead, [](std::uint64_t) { return std::uint64_t{1} << 40; }, changes),
                     kIllegal);
}

TEST(Protection, IsTheSameWithAnyNumberOfThreads) {
  const auto wild = [](std::uint64_t) { return std::uint64_t{1} << 40; };
  const Result one = attack(kRead, wild, {}, 1);
  for (const unsigned threads : {2u, 3u}) {
    const Result other = attack(kRead, wild, {}, threads);
    EXPECT_EQ(one.cycles, other.cycles);
    EXPECT_EQ(one.said, other.said);
  }
}

TEST(Protection, MemoryThatWasGivenBackIsNobodys) {
  auto gpu = small_gpu();
  for (const auto& [path, value] : kSharedTlb) gpu->set_text(path, value);
  for (const char* shootdown : {"all", "space", "page"}) {
    gpu->set_text("vm.shootdown", shootdown);
    runtime::Device::Options options;
    options.gpu = gpu;
    runtime::Device device(options);
    const runtime::Module module = device.load(attack_ptx(kRead), "attack.ptx");
    const runtime::DeviceArray<std::uint32_t> own(device, 32);
    const runtime::DeviceAddress given = device.allocate(1 << 16);
    device.launch(module.kernel("attack"), {1, 1, 1}, {32, 1, 1}, 0, given, own.address());
    device.free(given);
    EXPECT_THROW((void)device.launch(module.kernel("attack"), {1, 1, 1}, {32, 1, 1}, 0, given, own.address()),
                 runtime::LaunchError)
        << shootdown;
  }
}

/// Two applications that each follow a ring; what both left behind, and root changes.
std::uint64_t roots(const char* one_root, std::uint64_t& changes) {
  auto gpu = small_gpu();
  for (const auto& [path, value] : kSharedTlb) gpu->set_text(path, value);
  gpu->set_text("sms", "1");
  gpu->set_text("sm.mmu.one_root", one_root);
  runtime::MachineOptions options;
  options.gpu = gpu;
  options.applications = 2;
  const auto machine = std::make_shared<runtime::Machine>(options);
  std::vector<std::unique_ptr<runtime::Device>> devices;
  std::vector<std::function<void()>> programs;
  std::uint64_t overlaps = 0;
  std::vector<runtime::LaunchStatistics> launches(2);
  for (std::size_t a = 0; a < 2; ++a) {
    devices.push_back(std::make_unique<runtime::Device>(machine, runtime::Device::Options{}));
    programs.emplace_back([&, a] {
      runtime::Device& device = *devices[a];
      const runtime::Module module = device.load(chase_ptx("ld.global.u64"), "chase.ptx");
      const Ring ring(device, 16, 4096 + 128);
      const runtime::DeviceArray<std::uint64_t> out(device, 1);
      for (int i = 0; i < 2; ++i) {
        launches[a] = device.launch(module.kernel("chase"), {1, 1, 1}, {1, 1, 1}, 0, ring.start(), out.address(),
                                    std::uint32_t{64});
        EXPECT_EQ(out.download()[0], ring.start());
      }
    });
  }
  machine->run_together(programs);
  overlaps = launches[0].ended_at > launches[1].started_at + 200 && launches[1].ended_at > launches[0].started_at + 200;
  changes = machine->gpu()->statistics().root_changes.value();
  return overlaps;
}

TEST(Root, AnSmWithOneRootServesOneApplicationAfterTheOther) {
  std::uint64_t changes = 0;
  (void)roots("false", changes);
  EXPECT_EQ(changes, 0u);
  (void)roots("true", changes);
  EXPECT_EQ(changes, 3u) << "two launches of each, in turn";
}

}  // namespace
}  // namespace heddle::test
