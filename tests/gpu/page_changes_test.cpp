// Pages that a host moves, remaps, protects and evicts under virtual caches while a kernel uses them, and applications
// whose addresses are the same: in checked runs.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "base/diagnostics.h"
#include "mix_kernel.h"
#include "runtime/machine.h"

namespace heddle::test {
namespace {

const Changes kChecked{{"check_lines", "true"}, {"sms", "2"}, {"vm.faults.minor", "500"}, {"vm.faults.major", "900"}};

std::shared_ptr<gpu::GpuParameters> hosted(const Changes& more) {
  auto gpu = small_gpu();
  for (const Changes& changes : {kHostedMachine, kChecked, more}) {
    for (const auto& [path, value] : changes) gpu->set_text(path, value);
  }
  return gpu;
}

// Reads a word of the first page and writes it by any name, round after round; ends early when the word is 7000007.
constexpr const char* kWork = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry work(.param .u64 A, .param .u64 W, .param .u64 O, .param .u32 ROUNDS)
{
  .reg .pred p, q;
  .reg .b32 x, n, rounds;
  .reg .b64 a, w, o;
  ld.param.u64 a, [A];
  ld.param.u64 w, [W];
  ld.param.u64 o, [O];
  ld.param.u32 rounds, [ROUNDS];
  mov.u32 n, 0;
AGAIN:
  ld.global.u32 x, [a];
  st.global.u32 [w], n;
  add.u32 n, n, 1;
  setp.eq.u32 q, x, 7000007;
  @q bra DONE;
  setp.lt.u32 p, n, rounds;
  @p bra AGAIN;
DONE:
  st.global.u32 [o], x;
  ret;
}
)";

/// Four pages: the second is another name of the first. What a script says happens to them.
class Pages {
 public:
  explicit Pages(const std::string& script, const Changes& more = {}, unsigned threads = 1)
      : device_(options(script, more, threads)),
        kernel_(device_.load(kWork, "work.ptx").kernel("work")),
        memory_(device_, 4 * kWords),
        out_(device_, 1) {
    std::vector<std::uint32_t> values(4 * kWords, 5);
    std::fill(values.begin() + 2 * kWords, values.begin() + 3 * kWords, 7000007);
    memory_.upload(values);
    device_.alias(page(1), page(0), 4096);
  }
  [[nodiscard]] std::uint64_t page(unsigned number) const { return memory_.address() + number * 4096; }
  /// Works on these words until the word is 7000007, or for so many rounds.
  runtime::LaunchStatistics run(std::uint64_t read, std::uint64_t written, std::uint32_t rounds) {
    return device_.launch(kernel_, {1, 1, 1}, {1, 1, 1}, 0, read, written, out_.address(), rounds);
  }
  /// Begins that work and lets some time pass.
  void start(std::uint64_t read, std::uint64_t written, std::uint32_t rounds) {
    launch_async(device_, kernel_, {1, 1, 1}, {1, 1, 1}, read, written, out_.address(), rounds);
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(device_.idle(0));
  }
  /// Returns what is counted by the end.
  std::map<std::string, std::uint64_t> finish() {
    device_.synchronize();
    return sim::totals(device_.gpu()->statistics());
  }
  [[nodiscard]] runtime::Device& device() { return device_; }
  [[nodiscard]] std::uint64_t frame(unsigned number) const {
    return device_.gpu()->address_space(0)->frame(vm::page_of(page(number)))->number;
  }
  [[nodiscard]] std::uint32_t seen() const { return out_.download()[0]; }
  /// Where the allocations of a device begin.
  static constexpr std::uint64_t kBase = 0x100000000;

 private:
  static constexpr std::uint32_t kWords = 1024;
  static runtime::Device::Options options(const std::string& script, const Changes& more, unsigned threads) {
    const auto gpu = hosted(more);
    gpu->set_text("mmu.forward_backward.host.script", script);
    runtime::Device::Options options;
    options.gpu = gpu;
    options.threads = threads;
    return options;
  }
  runtime::Device device_;
  runtime::Kernel kernel_;
  runtime::DeviceArray<std::uint32_t> memory_;
  runtime::DeviceArray<std::uint32_t> out_;
};

TEST(AHostThatChangesPages, GivesARunningProgramTheDataOfThePageThatItMapsThere) {
  for (const unsigned threads : {1u, 3u}) {
    Pages pages(fmt::format("4000 remap {:#x} {:#x}", Pages::kBase + 4096, Pages::kBase + 2 * 4096), {}, threads);
    ASSERT_EQ(pages.page(0), Pages::kBase);
    const auto launch = pages.run(pages.page(1), pages.page(3), 1'000'000);
    EXPECT_EQ(pages.seen(), 7000007u) << "else it would go on for long";
    EXPECT_EQ(launch.counters.at("gpu.page_changes.remapped"), 1u);
    EXPECT_GE(launch.cycles, 4000u);
    EXPECT_LT(launch.cycles, 6000u) << "the word stays in the L1 until the page is shot down";
  }
}

TEST(AHostThatChangesPages, MovesAPageWithAllItsNames) {
  Pages pages(fmt::format("2000 move {:#x}; 4000 move {:#x}", Pages::kBase, Pages::kBase + 4096));
  const std::uint64_t before = pages.frame(0);
  const auto launch = pages.run(pages.page(0), pages.page(1), 3000);
  EXPECT_EQ(launch.counters.at("gpu.page_changes.moved"), 2u);
  EXPECT_NE(pages.frame(0), before);
  EXPECT_EQ(pages.frame(1), pages.frame(0));
  EXPECT_EQ(launch.counters.at("gpu.mmu.table.shootdowns"), 4u) << "two names, twice";
  EXPECT_EQ(launch.counters.at("gpu.faults.minor"), 0u) << "whoever comes meanwhile is held back, not faulted";
}

TEST(AHostThatChangesPages, ServesTheFirstWriteToAPageThatItHasProtected) {
  Pages pages(fmt::format("3000 protect {:#x}", Pages::kBase));
  const auto launch = pages.run(pages.page(0), pages.page(0), 4000);
  EXPECT_EQ(launch.counters.at("gpu.page_changes.protected"), 1u);
  EXPECT_EQ(launch.counters.at("gpu.page_changes.allowed"), 1u);
  EXPECT_EQ(launch.counters.at("gpu.faults.minor"), 1u);
  EXPECT_GE(launch.counters.at("gpu.mmu.table.denied"), 1u);
  EXPECT_EQ(launch.counters.at("gpu.mmu.table.shootdowns"), 2u) << "the old right goes, and then the new one";
}

TEST(AHostThatChangesPages, LeavesThoseAloneWhoOnlyReadAProtectedPage) {
  Pages pages(fmt::format("100 protect {:#x}", Pages::kBase));
  const auto launch = pages.run(pages.page(0), pages.page(3), 4000);
  EXPECT_EQ(launch.counters.at("gpu.page_changes.protected"), 1u);
  EXPECT_EQ(launch.counters.at("gpu.mmu.table.denied"), 0u);
}

TEST(AHostThatChangesPages, FindsTheRightInTheLineOfTheL1) {
  // The page is protected before anything of it is read; the load brings a line that must not be written.
  Pages pages(fmt::format("1 protect {:#x}", Pages::kBase));
  const auto launch = pages.run(pages.page(0), pages.page(0), 50);
  EXPECT_GE(launch.counters.at("gpu.sm.l1_denied"), 1u);
  EXPECT_EQ(launch.counters.at("gpu.page_changes.allowed"), 1u);
}

TEST(AHostThatChangesPages, BringsBackWhatItHasEvicted) {
  Pages pages(fmt::format("2000 evict {:#x}", Pages::kBase));
  const auto launch = pages.run(pages.page(0), pages.page(1), 3000);
  EXPECT_EQ(launch.counters.at("gpu.page_changes.evicted"), 1u);
  EXPECT_EQ(launch.counters.at("gpu.faults.major"), 2u) << "each name's entry";
}

TEST(AHostThatChangesPages, DoesNothingToPagesThatAreNotThere) {
  Pages pages(
      "100 move 0x900000000; 200 remap 0x900000000 0x100000000; 300 protect 0x900000000; 400 evict 0x900000000");
  const auto counters = pages.run(pages.page(0), pages.page(3), 100).counters;
  for (const char* change : {"moved", "remapped", "protected", "evicted"})
    EXPECT_EQ(counters.at(std::string("gpu.page_changes.") + change), 0u) << change;
}

TEST(AHostThatChangesPages, RefusesToTakeThePageOfOthersAway) {
  Pages pages(fmt::format("100 remap {:#x} {:#x}", Pages::kBase, Pages::kBase + 2 * 4096));
  try {
    pages.run(pages.page(0), pages.page(3), 1000);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("owns memory that 1 other pages name"), std::string::npos) << error.what();
  }
}

TEST(AHostThatChangesPages, SaysWhatIsWrongWithAScript) {
  try {
    (void)hosted({{"mmu.forward_backward.host.script", "5 remap 0x1000"}});
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("'5 remap 0x1000' does not say whose memory the page is to name"),
              std::string::npos);
  }
}

/// How long it takes until the program that changes the page goes on.
sim::Cycle time_of(Pages& pages, const std::function<void(runtime::Device&)>& change) {
  const sim::Cycle before = pages.device().gpu()->now();
  change(pages.device());
  return pages.device().gpu()->now() - before;
}

constexpr sim::Cycle kThereAndBack = 2 * 12;  // to the L1s, at least

TEST(AProgramThatChangesPages, FindsTheNewMeaningWhenTheOldOneIsShotDown) {
  std::map<std::string, std::uint64_t> first;
  for (const unsigned threads : {1u, 3u}) {
    Pages pages("", {}, threads);
    pages.start(pages.page(1), pages.page(3), 1'000'000);
    EXPECT_GE(time_of(pages, [&](auto& device) { device.alias(pages.page(1), pages.page(2), 4096); }), kThereAndBack);
    const auto counters = pages.finish();
    EXPECT_EQ(pages.seen(), 7000007u) << "else it would go on for long";
    EXPECT_EQ(pages.frame(1), pages.frame(2));
    EXPECT_EQ(counters.at("gpu.page_changes.remapped"), 1u);
    EXPECT_EQ(counters.at("gpu.mmu.table.shootdowns"), 1u);
    if (first.empty()) first = counters;
    EXPECT_EQ(counters, first) << threads << " threads";
  }
}

TEST(AProgramThatChangesPages, MovesAPageWithAllItsNames) {
  Pages pages("");
  pages.start(pages.page(0), pages.page(1), 3000);
  const std::uint64_t before = pages.frame(0);
  EXPECT_GE(time_of(pages, [&](auto& device) { device.migrate(pages.page(1), 2 * 4096); }), kThereAndBack);
  EXPECT_NE(pages.frame(0), before);
  EXPECT_EQ(pages.frame(1), pages.frame(0));
  const auto counters = pages.finish();
  EXPECT_EQ(counters.at("gpu.page_changes.moved"), 2u);
  EXPECT_EQ(counters.at("gpu.mmu.table.shootdowns"), 2u + 1u) << "of the first page both names";
}

TEST(AProgramThatChangesPages, BringsBackWhatItHasEvicted) {
  Pages pages("");
  pages.start(pages.page(0), pages.page(1), 3000);
  EXPECT_GE(time_of(pages, [&](auto& device) { device.evict(pages.page(0), 4096); }), kThereAndBack);
  const auto counters = pages.finish();
  EXPECT_EQ(counters.at("gpu.page_changes.evicted"), 1u);
  EXPECT_EQ(counters.at("gpu.faults.major"), 2u) << "each name's entry";
}

TEST(AProgramThatChangesPages, EndsAKernelThatGoesOnWritingWhatItMustNot) {
  Pages pages("");
  pages.start(pages.page(3), pages.page(0), 1'000'000);
  try {
    pages.device().protect(pages.page(0), 4096, false);
    (void)pages.finish();
    FAIL() << "the stores went through";
  } catch (const runtime::LaunchError& error) {
    EXPECT_EQ(error.cuda_error(), 700);
    EXPECT_NE(std::string(error.what()).find("read-only"), std::string::npos) << error.what();
  }
}

TEST(AProgramThatChangesPages, TakesRightsAndGivesThemBack) {
  Pages pages("");
  pages.start(pages.page(0), pages.page(3), 3000);
  const auto right = [&] { return pages.device().gpu()->address_space(0)->find(vm::page_of(pages.page(0)))->writable; };
  for (const bool writable : {false, true}) {
    EXPECT_GE(time_of(pages, [&](auto& device) { device.protect(pages.page(0), 4096, writable); }), kThereAndBack);
    EXPECT_EQ(right(), writable);
    EXPECT_FALSE(pages.device().idle(0)) << "it reads the page again";
  }
  EXPECT_EQ(pages.finish().at("gpu.page_changes.rights"), 2u);
  EXPECT_NO_THROW((void)pages.run(pages.page(3), pages.page(0), 20)) << "which writes there";
}

TEST(AProgramThatChangesPages, NeedsNoTimeWhereNothingRuns) {
  Pages pages("");
  (void)pages.run(pages.page(0), pages.page(1), 20);
  EXPECT_EQ(time_of(pages, [&](auto& device) { device.migrate(pages.page(0), 4096); }), 0u);
  EXPECT_EQ(pages.finish().at("gpu.page_changes.moved"), 0u) << "a host's";
}

TEST(AProgramThatChangesPages, IsToldWhatItCannotDo) {
  Pages pages("");
  pages.start(pages.page(0), pages.page(1), 3000);
  try {
    pages.device().alias(pages.page(0), pages.page(2), 4096);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("owns memory that 1 other pages name"), std::string::npos) << error.what();
  }
  const runtime::Stream other = pages.device().create_stream();
  pages.device().call_async(other, [&] { pages.device().migrate(pages.page(0), 4096); });
  try {
    (void)pages.finish();
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("migrate: a host function of a stream cannot change pages"),
              std::string::npos)
        << error.what();
  }
}

TEST(AnAlias, KeepsWhetherItsNameMayBeWritten) {
  Pages pages("");
  pages.device().protect(pages.page(3), 4096, false);
  pages.device().alias(pages.page(3), pages.page(2), 4096);
  EXPECT_THROW((void)pages.run(pages.page(0), pages.page(3), 20), runtime::LaunchError);
}

/// Two applications that run the same kernel at the same addresses, with host operations at random.
std::map<std::string, std::uint64_t> homonyms(const std::string& operations, unsigned threads) {
  runtime::MachineOptions options;
  options.gpu = hosted({{"l2.kib", "4"},
                        {"l2.ways", "4"},
                        {"mmu.forward_backward.host.interval", "150"},
                        {"mmu.forward_backward.host.operations", operations}});
  options.threads = threads;
  options.applications = 2;
  const auto machine = std::make_shared<runtime::Machine>(options);
  std::array<std::uint64_t, 2> addresses{};
  std::vector<std::function<void()>> programs;
  std::vector<std::unique_ptr<runtime::Device>> devices;
  for (unsigned a = 0; a < 2; ++a)
    devices.push_back(std::make_unique<runtime::Device>(machine, runtime::Device::Options{}));
  for (unsigned a = 0; a < 2; ++a) {
    programs.emplace_back([&, a] {
      runtime::Device& device = *devices[a];
      const runtime::Kernel kernel = device.load(kMix, "mix.ptx").kernel("mix");
      constexpr std::uint32_t kWords = 8192;
      runtime::DeviceArray<std::uint32_t> data(device, kWords);
      data.upload(std::vector<std::uint32_t>(kWords, 1 + a));
      addresses[a] = data.address();
      for (const std::uint32_t step : {1u, 33u})
        device.launch(kernel, {12, 1, 1}, {128, 1, 1}, 0, data.address(), step, kWords);
    });
  }
  machine->run_together(programs);
  EXPECT_NO_THROW(machine->check());
  EXPECT_EQ(addresses[0], addresses[1]);
  EXPECT_GT(machine->gpu()->checker()->judged(), 6000u);
  return sim::totals(machine->gpu()->statistics());
}

TEST(Homonyms, OfTwoApplicationsAreToldApartInEveryCacheAndTable) {
  const auto one = homonyms("read write shootdown", 1);
  EXPECT_GT(one.at("gpu.mmu.application_0.requests"), 0u);
  EXPECT_GT(one.at("gpu.mmu.application_1.requests"), 0u);
  EXPECT_EQ(homonyms("read write shootdown", 3), one);
}

TEST(Homonyms, KeepTheirMeaningsWhileTheHostChangesPages) {
  const auto counters = homonyms("move protect evict shootdown flush write", 2);
  EXPECT_GT(counters.at("gpu.page_changes.moved"), 0u);
  EXPECT_GT(counters.at("gpu.page_changes.allowed"), 0u);
}

}  // namespace
}  // namespace heddle::test
