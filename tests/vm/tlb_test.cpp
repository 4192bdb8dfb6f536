#include "vm/tlb.h"

#include <gtest/gtest.h>

#include <random>

namespace heddle::test {
namespace {

using vm::Mapping;
using vm::PageSize;
using vm::Tlb;

struct TlbRoot : sim::ParameterGroup {
  vm::TlbParameters tlb{*this, "tlb", "", 8};
};

Mapping small(std::uint64_t page) { return {{page}, {page + 1000}, PageSize::small, true}; }

TEST(Tlb, ReplacesTheLeastRecentlyUsedOfTheSet) {
  TlbRoot root;
  root.set_text("tlb.ways", "4");  // two sets: even and odd pages
  Tlb tlb(root.tlb);
  tlb.count_depth();
  for (const std::uint64_t page : {0, 2, 4, 6}) EXPECT_FALSE(tlb.insert(0, small(page), 7).has_value());
  EXPECT_EQ(tlb.find(0, {0})->depth, 3u);
  EXPECT_EQ(tlb.find(0, {0})->depth, 0u);
  const auto evicted = tlb.insert(0, small(8), 9);
  ASSERT_TRUE(evicted.has_value());
  EXPECT_EQ(evicted->page.number, 2u);
  EXPECT_EQ(evicted->owner, 7u);
  EXPECT_FALSE(tlb.insert(0, small(1), 7).has_value());
}

TEST(Tlb, ForgetsAnAddressSpaceOrAPageAlone) {
  TlbRoot root;
  Tlb tlb(root.tlb);
  for (const vm::SpaceId space : {vm::SpaceId{1}, vm::SpaceId{2}}) {
    (void)tlb.insert(space, small(5), 0);
    (void)tlb.insert(space, small(6), 0);
  }
  tlb.flush(1, {5});
  EXPECT_FALSE(tlb.contains(1, {5}));
  EXPECT_TRUE(tlb.contains(1, {6}));
  EXPECT_TRUE(tlb.contains(2, {5}));
  tlb.flush(2);
  EXPECT_TRUE(tlb.contains(1, {6}));
  EXPECT_EQ(tlb.size(), 1u);
}

TEST(Tlb, ForgetsALargePageWithItsParts) {
  TlbRoot root;
  Tlb tlb(root.tlb);
  const auto large = [](std::uint64_t page) { return Mapping{{page}, {page + 2048}, PageSize::large, true}; };
  (void)tlb.insert(1, small(512 + 5), 0);
  (void)tlb.insert(1, small(1024 + 5), 0);
  (void)tlb.insert(1, large(512), 0);
  (void)tlb.insert(1, large(1024), 0);
  (void)tlb.insert(2, large(512), 0);
  tlb.flush(1, {512 + 7}, PageSize::large);
  EXPECT_FALSE(tlb.contains(1, {512 + 5}));
  EXPECT_FALSE(tlb.contains(1, {512 + 6}));
  EXPECT_TRUE(tlb.contains(1, {1024 + 5}));
  EXPECT_TRUE(tlb.contains(2, {512 + 5}));
  EXPECT_EQ(tlb.size(), 3u);
}

TEST(Tlb, TellsAddressSpacesApart) {
  TlbRoot root;
  Tlb tlb(root.tlb);
  (void)tlb.insert(1, small(5), 0);
  EXPECT_TRUE(tlb.find(1, {5}).has_value());
  EXPECT_FALSE(tlb.find(2, {5}).has_value());
}

TEST(Tlb, HoldsPagesOfAllSizes) {
  TlbRoot root;
  Tlb tlb(root.tlb);
  (void)tlb.insert(0, {{512}, {2048}, PageSize::large, true}, 0);
  (void)tlb.insert(0, small(3), 0);
  EXPECT_EQ(tlb.find(0, {512 + 100})->mapping.frame_of({512 + 100}).number, 2148u);
  EXPECT_EQ(tlb.find(0, {3})->mapping.frame_of({3}).number, 1003u);
  EXPECT_FALSE(tlb.find(0, {1024}).has_value());
}

TEST(Tlb, AFlushForgetsEverything) {
  TlbRoot root;
  Tlb tlb(root.tlb);
  for (std::uint64_t page = 0; page < 8; ++page) (void)tlb.insert(0, small(page), 0);
  EXPECT_EQ(tlb.size(), 8u);
  tlb.flush();
  EXPECT_EQ(tlb.size(), 0u);
  EXPECT_FALSE(tlb.find(0, {3}).has_value());
}

TEST(Tlb, WithMoreEntriesNeverMissesMoreWhenFullyAssociative) {
  std::mt19937 random(1);
  std::vector<std::uint64_t> stream;
  for (unsigned i = 0; i < 20000; ++i)
    stream.push_back(random() % 16 == 0 ? random() % 4096 : random() % (1 + i % 200));
  std::size_t before = stream.size();
  for (const char* entries : {"1", "2", "4", "16", "64", "128", "512"}) {
    TlbRoot root;
    root.set_text("tlb.entries", entries);
    Tlb tlb(root.tlb);
    std::size_t misses = 0;
    for (const std::uint64_t page : stream) {
      if (tlb.find(0, {page})) continue;
      ++misses;
      (void)tlb.insert(0, small(page), 0);
    }
    EXPECT_LE(misses, before) << entries;
    before = misses;
  }
}

TEST(Tlb, RefusesWaysThatDoNotDivideItsEntries) {
  TlbRoot root;
  root.set_text("tlb.ways", "3");
  EXPECT_THROW(root.tlb.check(), UserError);
}

}  // namespace
}  // namespace heddle::test
