// Streams, events, copies and several applications on one machine.
#include <gtest/gtest.h>

#include <array>

#include "gpu/gpu.h"
#include "runtime/device.h"
#include "runtime/machine.h"

namespace heddle::test {
namespace {

using runtime::Device;
using runtime::DeviceArray;

/// Adds D to each of N words, M times over, one block per 32 words.
constexpr const char* kPtx = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry add(.param .u64 A, .param .u32 D, .param .u32 M)
{
  .reg .pred p;
  .reg .b32 t, b, d, m, v;
  .reg .b64 a, o;
  ld.param.u64 a, [A];
  ld.param.u32 d, [D];
  ld.param.u32 m, [M];
  mov.u32 t, %tid.x;
  mov.u32 b, %ctaid.x;
  mad.lo.u32 t, b, 32, t;
  mul.wide.u32 o, t, 4;
  add.u64 a, a, o;
AGAIN:
  ld.global.u32 v, [a];
  add.u32 v, v, d;
  st.global.u32 [a], v;
  sub.u32 m, m, 1;
  setp.ne.u32 p, m, 0;
  @p bra AGAIN;
  ret;
}
)";

std::shared_ptr<gpu::GpuParameters> four_sms() {
  auto p = std::make_shared<gpu::GpuParameters>();
  p->set_text("sms", "4");
  p->set_text("core_mhz", "1000");
  p->set_text("memory.partitions", "2");
  p->set_text("link.generation", "1");
  p->set_text("link.lanes", "4");
  p->set_text("link.efficiency", "1");
  p->set_text("link.latency_ns", "500");
  return p;
}

class Streams : public testing::TestWithParam<bool> {
 protected:
  Streams() : device_(options(GetParam())), kernel_(device_.load(kPtx, "add.ptx").kernel("add")) {}
  static Device::Options options(bool timed) {
    Device::Options options;
    if (timed) options.gpu = four_sms();
    return options;
  }
  void launch(runtime::Stream stream, const DeviceArray<std::uint32_t>& array, std::uint32_t add, std::uint32_t times) {
    const runtime::DeviceAddress address = array.address();
    const std::array<std::span<const std::byte>, 3> arguments{
        std::as_bytes(std::span(&address, 1)), std::as_bytes(std::span(&add, 1)), std::as_bytes(std::span(&times, 1))};
    device_.launch_async(stream, kernel_, {static_cast<std::uint32_t>(array.size() / 32), 1, 1}, {32, 1, 1}, 0,
                         arguments);
  }
  Device device_;
  runtime::Kernel kernel_;
};

TEST_P(Streams, WorkOfOneStreamRunsInOrder) {
  DeviceArray<std::uint32_t> array(device_, 32);
  const runtime::Stream stream = device_.create_stream();
  std::vector<std::uint32_t> start(32, 5);
  std::vector<std::uint32_t> middle(32);
  std::vector<std::uint32_t> end(32);
  device_.copy_to_device_async(stream, array.address(), start.data(), 128);
  start.assign(32, 99);  // the copy has read its source already
  launch(stream, array, 1, 3);
  device_.copy_to_host_async(stream, middle.data(), array.address(), 128);
  launch(stream, array, 10, 1);
  device_.copy_to_host_async(stream, end.data(), array.address(), 128);
  device_.synchronize(stream);
  EXPECT_EQ(middle, std::vector<std::uint32_t>(32, 8));
  EXPECT_EQ(end, std::vector<std::uint32_t>(32, 18));
  ASSERT_EQ(device_.launches().size(), 2u);
  EXPECT_LE(device_.launches()[0].ended_at, device_.launches()[1].started_at);
}

TEST_P(Streams, AnEventHoldsAnotherStreamBack) {
  DeviceArray<std::uint32_t> array(device_, 32);
  const runtime::Stream first = device_.create_stream();
  const runtime::Stream second = device_.create_stream();
  const runtime::Event event = Device::create_event();
  std::vector<std::uint32_t> seen(32);
  launch(first, array, 1, 50);
  device_.record(event, first);
  device_.wait(second, event);
  device_.copy_to_host_async(second, seen.data(), array.address(), 128);
  device_.synchronize(second);
  EXPECT_EQ(seen, std::vector<std::uint32_t>(32, 50));
  EXPECT_TRUE(Device::reached(event));
}

TEST_P(Streams, AnEventThatWasNeverRecordedHoldsNobodyBack) {
  const runtime::Stream stream = device_.create_stream();
  device_.wait(stream, Device::create_event());
  device_.synchronize(stream);
  EXPECT_TRUE(device_.idle(stream));
}

TEST_P(Streams, HostFunctionsRunInStreamOrderAndMayQueueMore) {
  DeviceArray<std::uint32_t> array(device_, 32);
  array.fill(0);
  const runtime::Stream stream = device_.create_stream();
  std::string order;
  launch(stream, array, 1, 1);
  device_.call_async(stream, [&] {
    order += "a";
    device_.call_async(stream, [&] { order += "c"; });
  });
  device_.call_async(stream, [&] { order += "b"; });
  device_.synchronize();
  // Without timing a function runs when it is queued, so what it queues comes before what is queued later.
  EXPECT_EQ(order, GetParam() ? "abc" : "acb");
}

TEST_P(Streams, AskingInALoopEnds) {
  DeviceArray<std::uint32_t> array(device_, 32);
  launch(0, array, 1, 2000);
  unsigned asked = 1;
  while (!device_.idle(0)) ++asked;
  EXPECT_EQ(array.download()[0], 2000u);
  EXPECT_EQ(asked > 1, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Modes, Streams, testing::Bool(),
                         [](const auto& instance) { return instance.param ? "Timed" : "Functional"; });

using TimedStreams = Streams;

TEST_P(TimedStreams, KernelsOfTwoStreamsOverlapAndAreCountedApart) {
  DeviceArray<std::uint32_t> a(device_, 32);
  DeviceArray<std::uint32_t> b(device_, 64);
  launch(0, a, 1, 100);
  launch(device_.create_stream(), b, 1, 100);
  device_.synchronize();
  const auto& launches = device_.launches();
  ASSERT_EQ(launches.size(), 2u);
  for (const auto& l : launches) {
    EXPECT_FALSE(l.alone);
    EXPECT_EQ(l.started_at, 0u);
    EXPECT_EQ(l.counters.at("gpu.sm.loads"), 100 * l.grid.x);
    EXPECT_EQ(l.warp_instructions, l.grid.x * (8 + 6 * 100));
  }
  EXPECT_EQ(sim::totals(device_.gpu()->statistics()).at("gpu.sm.instructions"),
            launches[0].warp_instructions + launches[1].warp_instructions);
}

TEST_P(TimedStreams, ACopyTakesWhatTheLinkSays) {
  const DeviceArray<std::uint8_t> array(device_, 1000);
  const std::vector<std::uint8_t> data(1000);
  const runtime::Event begin = Device::create_event();
  const runtime::Event middle = Device::create_event();
  const runtime::Event end = Device::create_event();
  device_.record(begin, 0);
  device_.copy_to_device_async(0, array.address(), data.data(), 1000);
  device_.record(middle, 0);
  // Two copies of two streams share the link.
  const runtime::Stream other = device_.create_stream();
  device_.wait(other, middle);
  device_.copy_to_device_async(other, array.address(), data.data(), 1000);
  device_.copy_to_device_async(0, array.address(), data.data(), 1000);
  device_.wait(0, middle);
  device_.synchronize(other);
  device_.synchronize();
  device_.record(end, 0);
  device_.synchronize();
  // 4 lanes of 0.25 bytes per nanosecond: 1000 ns and 500 ns to start, each; rounded up to a quantum.
  const double quantum = 1.01e-6 * four_sms()->network.latency;
  EXPECT_NEAR(device_.elapsed_ms(begin, middle), 1500e-6, quantum);
  EXPECT_NEAR(device_.elapsed_ms(begin, end), 4500e-6, 3 * quantum);
}

TEST_P(TimedStreams, AFaultStopsEverythingThatIsQueued) {
  DeviceArray<std::uint32_t> array(device_, 32);
  const runtime::DeviceAddress nowhere = 0x40;
  const std::uint32_t one = 1;
  const std::array<std::span<const std::byte>, 3> arguments{
      std::as_bytes(std::span(&nowhere, 1)), std::as_bytes(std::span(&one, 1)), std::as_bytes(std::span(&one, 1))};
  device_.launch_async(0, kernel_, {1, 1, 1}, {32, 1, 1}, 0, arguments);
  launch(0, array, 1, 1);
  try {
    device_.synchronize();
    FAIL() << "no error";
  } catch (const runtime::LaunchError& error) {
    EXPECT_EQ(error.cuda_error(), 700);
  }
  EXPECT_THROW(launch(0, array, 1, 1), runtime::LaunchError);
  EXPECT_EQ(device_.launches().size(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Timed, TimedStreams, testing::Values(true), [](const auto&) { return "Timed"; });

struct Together {
  std::vector<std::vector<std::uint32_t>> results;
  std::vector<runtime::LaunchStatistics> launches;
  std::map<std::string, std::uint64_t> counters;
  std::size_t divided = 0;  ///< counters that count for each application, and have counted
  std::string not_divided;  ///< those whose shares do not make the whole
};

/// Compares every counter of a group, and below it, with the shares of applications.
void compare_shares(const sim::StatisticGroup& group, unsigned applications, Together& to) {
  for (const sim::ApplicationCounter* all : group.divisible()) {
    std::uint64_t shares = 0;
    unsigned found = 0;
    for (const sim::StatisticGroup* part : group.groups()) {
      if (!part->name().starts_with("application_")) continue;
      for (const sim::Counter* own : part->counters()) {
        if (own->name() != all->name()) continue;
        ++found;
        shares = all->merge() == sim::Counter::Merge::most ? std::max(shares, own->value()) : shares + own->value();
      }
    }
    to.divided += all->value() != 0 ? 1 : 0;
    if (found != applications || shares != all->value())
      to.not_divided += group.path() + "." + all->name() + ": " + std::to_string(shares) + " in " +
                        std::to_string(found) + " shares, " + std::to_string(all->value()) + " in all\n";
  }
  for (const sim::StatisticGroup* child : group.groups()) compare_shares(*child, applications, to);
}

Together run_together(unsigned threads, const std::vector<std::pair<std::string, std::string>>& changes = {}) {
  runtime::MachineOptions options;
  const auto gpu = four_sms();
  for (const auto& [path, value] : changes) gpu->set_text(path, value);
  options.gpu = gpu;
  options.threads = threads;
  options.applications = 3;
  auto machine = std::make_shared<runtime::Machine>(options);
  Together together;
  together.results.resize(3);
  std::vector<std::function<void()>> programs;
  for (std::uint32_t program = 0; program < 3; ++program) {
    programs.emplace_back([&, program] {
      Device device(machine, {});
      const runtime::Kernel kernel = device.load(kPtx, "add.ptx").kernel("add");
      const DeviceArray<std::uint32_t> array(device, 64);
      for (std::uint32_t round = 0; round < 3; ++round)
        device.launch(kernel, {2, 1, 1}, {32, 1, 1}, 0, array.address(), program + 1, 40 * (program + 1));
      together.results[program] = array.download();
      together.launches.insert(together.launches.end(), device.launches().begin(), device.launches().end());
    });
  }
  machine->run_together(programs);
  together.counters = sim::totals(machine->gpu()->statistics());
  compare_shares(machine->gpu()->statistics(), 3, together);
  return together;
}

TEST(Events, RecordedAgainDoNotReleaseThoseWhoWaitForTheFirst) {
  Device::Options options;
  options.gpu = four_sms();
  Device device(options);
  const runtime::Kernel kernel = device.load(kPtx, "add.ptx").kernel("add");
  const DeviceArray<std::uint32_t> array(device, 32);
  const runtime::Stream slow = device.create_stream();
  const runtime::Stream waits = device.create_stream();
  const runtime::Stream idle = device.create_stream();
  const auto launch = [&](runtime::Stream stream, std::uint32_t times) {
    const runtime::DeviceAddress address = array.address();
    const std::uint32_t add = 1;
    const std::array<std::span<const std::byte>, 3> arguments{
        std::as_bytes(std::span(&address, 1)), std::as_bytes(std::span(&add, 1)), std::as_bytes(std::span(&times, 1))};
    device.launch_async(stream, kernel, {1, 1, 1}, {32, 1, 1}, 0, arguments);
  };
  const runtime::Event event = Device::create_event();
  launch(slow, 100);
  device.record(event, slow);
  device.wait(waits, event);
  launch(waits, 1);
  device.record(event, idle);  // reached at once
  device.synchronize(event);
  EXPECT_TRUE(Device::reached(event));
  EXPECT_TRUE(device.launches().empty()) << "synchronize is for the latest recording";
  device.synchronize();
  ASSERT_EQ(device.launches().size(), 2u);
  EXPECT_EQ(device.launches()[0].stream, slow);
  EXPECT_GE(device.launches()[1].started_at, device.launches()[0].ended_at);
}

TEST(Applications, KeepTheirMemoryApartAlthoughTheirAddressesAreTheSame) {
  const Together together = run_together(1);
  for (std::uint32_t p = 0; p < 3; ++p)
    EXPECT_EQ(together.results[p], std::vector<std::uint32_t>(64, 3 * 40 * (p + 1) * (p + 1)));
}

TEST(Applications, OverlapAndAreCountedApart) {
  const Together together = run_together(1);
  ASSERT_EQ(together.launches.size(), 9u);
  std::uint64_t starts_at_zero = 0;
  std::uint64_t instructions = 0;
  for (const auto& launch : together.launches) {
    starts_at_zero += launch.started_at == 0 ? 1 : 0;
    instructions += launch.warp_instructions;
    EXPECT_EQ(launch.warp_instructions, 2 * (8 + 6 * 40 * (launch.application + 1u)));
  }
  EXPECT_EQ(starts_at_zero, 3u);
  EXPECT_EQ(instructions, together.counters.at("gpu.sm.instructions"));
  std::uint64_t requests = 0;
  for (unsigned a = 0; a < 3; ++a) {
    const std::string path = "gpu.l2.application_" + std::to_string(a);
    const std::string sm = "gpu.sm.application_" + std::to_string(a);
    EXPECT_EQ(together.counters.at(sm + ".instructions"), 3u * 2 * (8 + 6 * 40 * (a + 1)));
    EXPECT_EQ(together.counters.at(sm + ".blocks"), 6u);
    EXPECT_EQ(together.counters.at(sm + ".stores"), together.counters.at(path + ".writes"));
    EXPECT_EQ(together.counters.at(sm + ".bytes_in"), together.counters.at(path + ".bytes_out"));
    EXPECT_EQ(together.counters.at(sm + ".bytes_out"), together.counters.at(path + ".bytes_in"));
    EXPECT_GT(together.counters.at(path + ".writes"), 0u);
    EXPECT_GT(together.counters.at(sm + ".instruction_misses"), 0u);
    requests += together.counters.at(path + ".hits") + together.counters.at(path + ".misses");
  }
  EXPECT_EQ(requests, together.counters.at("gpu.l2.hits") + together.counters.at("gpu.l2.misses"));
}

TEST(Applications, TheirTranslationsAreCountedApart) {
  for (const char* walks : {"private", "shared"}) {
    const auto counters =
        run_together(1, {{"sm.mmu.kind", "tlb"}, {"sm.mmu.walks", walks}, {"vm.lazy", "true"}}).counters;
    const std::string walker = std::string(walks) == "private" ? "gpu.sm.mmu.walker" : "gpu.mmu.walker";
    const auto sum = [&](const std::string& part, const std::string& name) {
      std::uint64_t all = 0;
      for (unsigned a = 0; a < 3; ++a) {
        const std::uint64_t own = counters.at(part + ".application_" + std::to_string(a) + "." + name);
        EXPECT_GT(own, 0u) << part << " " << name << " of " << a;
        all += own;
      }
      return all;
    };
    EXPECT_EQ(sum("gpu.sm.mmu", "hits"), counters.at("gpu.sm.mmu.hits")) << walks;
    EXPECT_EQ(sum("gpu.sm.mmu", "misses"), counters.at("gpu.sm.mmu.misses")) << walks;
    EXPECT_EQ(sum(walker, "walks"), counters.at(walker + ".walks")) << walks;
    EXPECT_EQ(sum("gpu.faults", "minor"), counters.at("gpu.faults.minor")) << walks;
  }
}

TEST(Applications, SharesOfEveryCounterMakeTheWhole) {
  using Changes = std::vector<std::pair<std::string, std::string>>;
  const std::map<std::string, Changes> machines{
      {"no translation", {}},
      {"write-back L1", {{"sm.l1.writes", "write-back"}, {"sm.l1.mshrs", "1"}, {"sm.l1.mshr_merges", "1"}}},
      {"walkers of SMs", {{"sm.mmu.kind", "tlb"}, {"sm.mmu.tlb.entries", "2"}, {"sm.mmu.tlb2.entries", "4"}}},
      {"shared walker", {{"sm.mmu.kind", "tlb"}, {"sm.mmu.walks", "shared"}, {"vm.lazy", "true"}}},
      {"scheduled walks", {{"sm.mmu.kind", "tlb"}, {"sm.mmu.walks", "shared"}, {"mmu.walker.kind", "scheduled"}}},
      {"software walks", {{"sm.mmu.kind", "tlb"}, {"sm.mmu.walker.kind", "software"}}},
      {"ideal", {{"sm.mmu.kind", "ideal"}}},
      {"shuffled warps", {{"sm.coalescer", "warppool"}}},
  };
  for (const auto& [name, changes] : machines) {
    const Together together = run_together(1, changes);
    EXPECT_EQ(together.not_divided, "") << name;
    EXPECT_GT(together.divided, 40u) << name;
  }
}

TEST(Applications, GiveTheSameAnswerWithAnyNumberOfThreads) {
  const Together one = run_together(1);
  const Together two = run_together(2);
  EXPECT_EQ(one.counters, two.counters);
  EXPECT_EQ(one.results, two.results);
}

TEST(Applications, MoreThanTheMachineWasMadeForAreRefused) {
  auto machine = std::make_shared<runtime::Machine>(runtime::MachineOptions{});
  const Device first(machine, {});
  EXPECT_THROW(Device(machine, {}), UserError);
}

}  // namespace
}  // namespace heddle::test
