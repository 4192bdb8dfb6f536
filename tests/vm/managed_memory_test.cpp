#include "vm/managed_memory.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace heddle::test {
namespace {

using sim::Cycle;
using vm::Advice;
using vm::ManagedMemory;
using vm::page_range;
using vm::PageBlock;
using vm::PageSet;
using vm::Reach;
using vm::Side;

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kBase = std::uint64_t{1} << 32;
constexpr std::uint64_t kBlock = vm::kBlockPages * kPage;

/// A host that takes 1000 cycles for a batch, of which 400 until it looks, 100 for a chunk; the link has a cycle for
/// ten bytes.
struct Host {
  struct Root : sim::ParameterGroup {
    vm::ManagedParameters managed{*this, "managed", ""};
  } root;
  sim::StatisticGroup statistics{"gpu"};
  vm::HostLink link;
  std::vector<std::tuple<std::uint64_t, std::uint64_t>> came;
  unsigned left = 0;
  std::unique_ptr<ManagedMemory> memory;

  using Changes = std::vector<std::pair<std::string, std::string>>;
  explicit Host(const Changes& changes = {}) {
    const Changes base{
        {"fault_ns", "1000"},   {"gather_ns", "400"},   {"chunk_ns", "100"},         {"back_ns", "50"},
        {"back_chunk_ns", "7"}, {"prefetch_ns", "300"}, {"prefetch_back_ns", "200"}, {"prefetch_back_chunk_ns", "30"},
        {"remote_ns", "60"}};
    for (const Changes* some : {&base, &changes}) {
      for (const auto& [key, value] : *some) root.set_text("managed." + key, value);
    }
    memory = std::make_unique<ManagedMemory>(ManagedMemory::Setup{
        root.managed, statistics, 1000.0, [](std::uint64_t bytes) { return static_cast<double>(bytes) / 10; }, link,
        [this](vm::SpaceId, std::uint64_t address, std::uint64_t bytes) { came.emplace_back(address, bytes); },
        [this](vm::SpaceId, std::uint64_t, std::uint64_t) { ++left; }});
    memory->add(0, kBase, 4 * kBlock);
  }
  void host_writes(std::uint64_t address, std::uint64_t pages) {
    const PageSet all = page_range(address / kPage % vm::kBlockPages, pages);
    static_cast<void>(memory->touch(0, address, all, all));
  }
  [[nodiscard]] const PageBlock& block(std::uint64_t address = kBase) const { return *memory->block(0, address); }
  /// Lets time pass until nothing is left to do; when that was.
  Cycle finish() {
    Cycle now = 0;
    while (memory->wakes_at() != sim::kNever) {
      now = memory->wakes_at();
      memory->advance(now);
    }
    return now;
  }
};

TEST(ManagedMemory, NobodysPagesAreMadeOnTheDevice) {
  Host host;
  EXPECT_EQ(host.memory->reach(0, kBase, false), Reach::away);
  EXPECT_EQ(host.memory->reach(0, kBase - kPage, false), Reach::here);  // not managed
  EXPECT_EQ(host.memory->reach(1, kBase, false), Reach::here);          // another application's
  host.memory->fault({0, kBase + 8, false}, 10);
  host.memory->fault({0, kBase + kPage, true}, 11);
  host.memory->fault({0, kBase + 16, false}, 12);
  // It looks after 400, is through with the rest of the batch after 600 more, and with a chunk that does not travel.
  EXPECT_EQ(host.finish(), 10u + 400 + 600 + 100);
  EXPECT_EQ(host.memory->reach(0, kBase, true), Reach::here);
  EXPECT_EQ(host.memory->reach(0, kBase + 64 * 1024 - 1, false), Reach::here);
  EXPECT_EQ(host.memory->reach(0, kBase + 64 * 1024, false), Reach::away);
  const auto& counts = host.memory->statistics();
  EXPECT_EQ(counts.faults.value(), 2u);
  EXPECT_EQ(counts.merged.value(), 1u);
  EXPECT_EQ(counts.batches.value(), 1u);
  EXPECT_EQ(counts.made.value(), 16u);
  EXPECT_EQ(counts.grown.value(), 14u);
  EXPECT_EQ(counts.bytes_in.value(), 0u);
  EXPECT_TRUE(host.came.empty());
}

TEST(ManagedMemory, PagesOfTheHostTravel) {
  Host host;
  host.host_writes(kBase, 3);
  host.memory->fault({0, kBase, false}, 0);
  // Three pages over the link, the rest of the chunk is made.
  EXPECT_EQ(host.finish(), 1000u + 100 + 1229);
  EXPECT_EQ(host.memory->statistics().faulted_in.value(), 3u);
  EXPECT_EQ(host.memory->statistics().made.value(), 13u);
  EXPECT_EQ(host.memory->statistics().bytes_in.value(), 3 * kPage);
  ASSERT_EQ(host.came.size(), 1u);
  EXPECT_EQ(host.came[0], std::make_tuple(kBase, 3 * kPage));
  EXPECT_TRUE((host.block().on_host).none());
}

TEST(ManagedMemory, WhatFaultsAfterTheHostLookedIsOfTheNextBatch) {
  Host host;
  host.memory->fault({0, kBase, false}, 0);
  host.memory->advance(400);
  host.memory->fault({0, kBase + kBlock, false}, 500);
  host.memory->advance(1100);
  EXPECT_EQ(host.memory->reach(0, kBase, false), Reach::here);
  EXPECT_EQ(host.memory->reach(0, kBase + kBlock, false), Reach::away);
  EXPECT_EQ(host.finish(), 1100u + 1100);
  EXPECT_EQ(host.memory->statistics().batches.value(), 2u);
}

TEST(ManagedMemory, ABatchHasSoManyFaults) {
  Host host(Host::Changes{{"batch", "2"}});
  for (std::uint64_t b = 0; b < 3; ++b) host.memory->fault({0, kBase + b * kBlock, false}, 0);
  EXPECT_EQ(host.finish(), (400u + 600 + 200) + (1000 + 100));
  EXPECT_EQ(host.memory->statistics().services.value(), 3u);
}

TEST(ManagedMemory, TheFirstBatchAfterTheProgramsTurnTakesLonger) {
  Host host(Host::Changes{{"wake_ns", "5000"}});
  host.memory->fault({0, kBase, false}, 0);
  EXPECT_EQ(host.finish(), 5000u + 1100);
  host.memory->fault({0, kBase + kBlock, false}, 10000);
  EXPECT_EQ(host.finish(), 10000u + 1100);
  host.memory->sleep();
  host.memory->fault({0, kBase + 2 * kBlock, false}, 20000);
  EXPECT_EQ(host.finish(), 20000u + 5000 + 1100);
}

TEST(ManagedMemory, WhatTheHostTouchesGoesBack) {
  Host host;
  host.memory->fault({0, kBase, true}, 0);
  static_cast<void>(host.finish());
  const std::uint64_t before = host.memory->generation();
  EXPECT_EQ(host.memory->touch(0, kBase, page_range(2, 1), page_range(2, 1)), 1u);
  EXPECT_EQ(host.memory->reach(0, kBase + 2 * kPage, false), Reach::away);
  EXPECT_EQ(host.memory->reach(0, kBase + 3 * kPage, false), Reach::here);
  EXPECT_EQ(host.memory->statistics().touched_back.value(), 1u);
  EXPECT_EQ(host.left, 1u);
  host.memory->count_back(1);
  EXPECT_EQ(host.memory->statistics().back.value(), 57u);
  EXPECT_EQ(host.memory->generation(), before);
}

TEST(ManagedMemory, APrefetchCarriesWhatIsOnTheOtherSide) {
  Host host;
  host.host_writes(kBase, 10);
  auto there = host.memory->begin_prefetch(0, kBase, 20 * kPage, Side::device, 1000);
  EXPECT_EQ(there.ends_at, 1000u + 300 + 4096);
  EXPECT_TRUE(host.memory->brings_pages());
  // What is coming is waited for, not faulted for.
  host.memory->fault({0, kBase, false}, 1500);
  EXPECT_EQ(host.memory->statistics().faults.value(), 0u);
  EXPECT_EQ(host.memory->reach(0, kBase, false), Reach::away);
  const std::uint64_t before = host.memory->generation();
  host.memory->end_prefetch(there);
  EXPECT_GT(host.memory->generation(), before);
  EXPECT_FALSE(host.memory->brings_pages());
  EXPECT_EQ(host.memory->reach(0, kBase + 19 * kPage, true), Reach::here);
  EXPECT_EQ(host.memory->reach(0, kBase + 20 * kPage, true), Reach::away);  // a prefetch brings no more than asked for

  auto back = host.memory->begin_prefetch(0, kBase, 20 * kPage, Side::host, 10000);
  EXPECT_EQ(back.ends_at, 10000u + 200 + 2 * 30);
  EXPECT_EQ(host.memory->reach(0, kBase, true), Reach::here);  // until it has gone
  host.memory->end_prefetch(back);
  EXPECT_EQ(host.memory->reach(0, kBase, true), Reach::away);
  EXPECT_EQ(host.memory->statistics().prefetched_in.value(), 20u);
  EXPECT_EQ(host.memory->statistics().prefetched_back.value(), 20u);
}

TEST(ManagedMemory, ReadMostlyPagesAreOnBothSidesUntilOneWrites) {
  Host host;
  host.host_writes(kBase, 16);
  host.memory->advise(0, kBase, 16 * kPage, Advice::read_mostly, Side::device, true);
  host.memory->fault({0, kBase, false}, 0);
  static_cast<void>(host.finish());
  EXPECT_EQ(host.memory->statistics().copied.value(), 16u);
  EXPECT_EQ(host.memory->reach(0, kBase, false), Reach::here);
  // Host reads change nothing.
  EXPECT_EQ(host.memory->touch(0, kBase, page_range(0, 16), {}), 0u);
  EXPECT_EQ(host.memory->reach(0, kBase, false), Reach::here);
  // A host write takes the device's copy away, with nothing to carry.
  EXPECT_EQ(host.memory->touch(0, kBase, page_range(0, 1), page_range(0, 1)), 0u);
  EXPECT_EQ(host.memory->reach(0, kBase, false), Reach::away);
  // A write of the device faults, and takes the host's away.
  EXPECT_EQ(host.memory->reach(0, kBase + kPage, true), Reach::away);
  host.memory->fault({0, kBase + kPage, true}, 50000);
  static_cast<void>(host.finish());
  EXPECT_EQ(host.memory->reach(0, kBase + kPage, true), Reach::here);
  EXPECT_FALSE(host.block().on_host[1]);
  EXPECT_TRUE(host.block().on_host[2]);
  EXPECT_EQ(host.memory->statistics().dropped.value(), 2u);
  EXPECT_EQ(host.memory->statistics().touched_back.value(), 0u);
}

TEST(ManagedMemory, WithoutTheAdviceOneOfTwoCopiesStays) {
  for (const bool prefers_host : {false, true}) {
    Host host;
    host.host_writes(kBase, 16);
    host.memory->advise(0, kBase, kBlock, Advice::read_mostly, Side::device, true);
    if (prefers_host) host.memory->advise(0, kBase, kBlock, Advice::preferred, Side::host, true);
    host.memory->fault({0, kBase, false}, 0);
    static_cast<void>(host.finish());
    EXPECT_TRUE(host.block().on_device[0] && host.block().on_host[0]);  // read mostly goes before the preference
    host.memory->advise(0, kBase, kBlock, Advice::read_mostly, Side::device, false);
    EXPECT_EQ(host.block().on_host[0], prefers_host);
    EXPECT_EQ(host.block().on_device[0], !prefers_host);
  }
}

TEST(ManagedMemory, PagesThatPreferTheHostAreMappedByAFault) {
  Host host;
  host.memory->advise(0, kBase, 8 * kPage, Advice::preferred, Side::host, true);
  EXPECT_EQ(host.memory->reach(0, kBase, false), Reach::away);
  host.memory->fault({0, kBase, false}, 0);
  static_cast<void>(host.finish());
  EXPECT_EQ(host.memory->reach(0, kBase, true), Reach::remote);
  EXPECT_EQ(host.memory->resident_pages(), 0u);
  // Their neighbours' chunks come without them.
  host.memory->fault({0, kBase + 9 * kPage, false}, 5000);
  static_cast<void>(host.finish());
  EXPECT_EQ(host.block().on_device, page_range(8, 8));
  // 128 bytes take 12.8 cycles of the link each.
  EXPECT_EQ(host.memory->access_remotely(128, false, 10000), 10000u + 12 + 60);
  EXPECT_EQ(host.memory->access_remotely(128, false, 10000), 10000u + 25 + 60);
  EXPECT_EQ(host.memory->access_remotely(128, true, 10000), 10000u + 13 + 60);  // the other direction
}

TEST(ManagedMemory, AccessedByMapsWithoutAFault) {
  Host host;
  host.host_writes(kBase, 16);
  host.memory->advise(0, kBase, 16 * kPage, Advice::accessed_by, Side::device, true);
  EXPECT_EQ(host.memory->reach(0, kBase, true), Reach::remote);
  EXPECT_EQ(host.memory->reach(0, kBase + 16 * kPage, true), Reach::away);
  host.memory->advise(0, kBase, 16 * kPage, Advice::accessed_by, Side::device, false);
  EXPECT_EQ(host.memory->reach(0, kBase, true), Reach::away);
  host.memory->advise(0, kBase, 16 * kPage, Advice::accessed_by, Side::host, true);
  EXPECT_EQ(host.memory->reach(0, kBase, true), Reach::away);
}

TEST(ManagedMemory, TheBlockThatCameFirstLeavesAFullDevice) {
  Host host(Host::Changes{{"chunk_kib", "2048"}});
  host.memory->set_room(2 * kBlock);
  for (std::uint64_t b = 0; b < 2; ++b) {
    host.memory->fault({0, kBase + b * kBlock, true}, b * 10000);
    static_cast<void>(host.finish());
  }
  EXPECT_EQ(host.memory->resident_pages(), 2 * vm::kBlockPages);
  host.memory->fault({0, kBase + 2 * kBlock, true}, 30000);
  // The first goes back over the link before the third is made.
  EXPECT_EQ(host.finish(), 30000u + 1000 + 209716 + 100);
  EXPECT_EQ(host.memory->reach(0, kBase, false), Reach::away);
  EXPECT_TRUE(host.block().on_host.all());
  EXPECT_EQ(host.memory->reach(0, kBase + kBlock, false), Reach::here);
  EXPECT_EQ(host.memory->reach(0, kBase + 2 * kBlock, false), Reach::here);
  EXPECT_EQ(host.memory->statistics().evicted.value(), vm::kBlockPages);
  EXPECT_EQ(host.left, 1u);
  // With no room at all, pages are accessed where they are.
  host.memory->set_room(0);
  host.memory->fault({0, kBase + 3 * kBlock, false}, 900000);
  static_cast<void>(host.finish());
  EXPECT_EQ(host.memory->reach(0, kBase + 3 * kBlock, true), Reach::remote);
}

TEST(ManagedMemory, WhatIsFreedIsForgotten) {
  Host host;
  host.memory->fault({0, kBase, false}, 0);
  host.memory->fault({0, kBase + kBlock, false}, 0);
  host.memory->advance(400);
  host.memory->fault({0, kBase + 2 * kBlock, false}, 500);
  EXPECT_TRUE(host.memory->in_use());
  EXPECT_TRUE(host.memory->any_away());
  host.memory->remove(0, kBase, 4 * kBlock);
  EXPECT_FALSE(host.memory->in_use());
  EXPECT_FALSE(host.memory->any_away());
  EXPECT_EQ(host.memory->resident_pages(), 0u);
  static_cast<void>(host.finish());  // the batch ends all the same
  EXPECT_EQ(host.memory->reach(0, kBase, false), Reach::here);
}

}  // namespace
}  // namespace heddle::test
