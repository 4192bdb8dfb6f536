// Frames, page tables and address spaces, against simple rules and a simple model.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "vm/address_space.h"

namespace heddle::test {
namespace {

using vm::AddressSpace;
using vm::PageSize;
using vm::PhysFrame;
using vm::VirtPage;

struct MemoryRoot : sim::ParameterGroup {
  vm::FrameParameters frames{*this, "frames", ""};
};

class FramesOf : public testing::TestWithParam<const char*> {
 protected:
  FramesOf() {
    root_.set_text("frames.gib", "1");
    root_.set_text("frames.allocation", GetParam());
  }
  MemoryRoot root_;
};

TEST_P(FramesOf, NoFrameIsGivenOutTwiceAndLargePagesAreAligned) {
  vm::PhysicalMemory memory(root_.frames);
  std::set<std::uint64_t> used;
  for (unsigned i = 0; i < 300; ++i) {
    const PageSize size = i % 10 == 0 ? PageSize::large : PageSize::small;
    const PhysFrame frame = memory.allocate(size);
    EXPECT_EQ(frame.number % pages_in(size), 0u);
    for (std::uint64_t f = 0; f < pages_in(size); ++f) EXPECT_TRUE(used.insert(frame.number + f).second);
  }
  EXPECT_EQ(memory.used_frames(), used.size());
}

TEST_P(FramesOf, MemoryRunsOutWithAMessageAndNotBefore) {
  vm::PhysicalMemory memory(root_.frames);
  for (unsigned i = 0; i < 511; ++i) (void)memory.allocate(PageSize::large);
  EXPECT_THROW((void)memory.allocate(PageSize::large), UserError);
}

INSTANTIATE_TEST_SUITE_P(Allocations, FramesOf, testing::Values("contiguous", "scattered", "fragmented"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST(PageTable, EntriesMayLieApart) {
  MemoryRoot root;
  root.set_text("frames.entry_bytes", "128");
  vm::PhysicalMemory memory(root.frames);
  vm::PageTable table(memory);
  std::set<std::uint64_t> data;
  for (std::uint64_t p = 0; p < 600; ++p) {
    const PhysFrame frame = memory.allocate(PageSize::small);
    EXPECT_TRUE(data.insert(frame.number).second);
    table.map({{p}, frame, PageSize::small, true});
  }
  // The root, one table of each level between, and the leaves of 600 pages in two; each takes 64 KiB, and no frame of
  // theirs is one of the data.
  EXPECT_EQ(memory.used_frames(), 600u + 5 * 16);
  std::uint64_t leaves = table.root();
  for (unsigned level = vm::kLevels; level > 1; --level)
    leaves = vm::Entry{memory.read(memory.entry_address(leaves, {300}, level))}.address();
  EXPECT_EQ(memory.entry_address(leaves, {301}, 1) - memory.entry_address(leaves, {300}, 1), 128u);
  for (std::uint64_t f = 0; f < 16; ++f) EXPECT_FALSE(data.contains((leaves >> 12) + f));
  std::uint64_t p = 0;
  for (const std::uint64_t frame : data) EXPECT_EQ(table.find({p++})->frame.number, frame);
  table.unmap({301});
  EXPECT_FALSE(table.find({301}));
  EXPECT_TRUE(table.find({300}) && table.find({302}));
}

TEST(PageTable, EntriesLieApartByAPowerOfTwo) {
  MemoryRoot root;
  root.set_text("frames.entry_bytes", "24");
  EXPECT_THROW(vm::PhysicalMemory(root.frames), UserError);
}

TEST(PageTable, HoldsEntriesAsTheManualSaysThem) {
  MemoryRoot root;
  vm::PhysicalMemory memory(root.frames);
  vm::PageTable table(memory);
  const VirtPage page = vm::page_of(0x7f12'3456'7000);
  table.map({page, {0x1234}, PageSize::small, true});
  // Level by level, by hand: 9 bits of the address each.
  std::uint64_t at = table.root();
  for (const std::uint64_t index : {0x0feu, 0x048u, 0x1a2u}) {
    const std::uint64_t entry = memory.read(at + 8 * index);
    EXPECT_EQ(entry & 0xfff, 0x7u);  // present, writable, user
    at = entry & ~std::uint64_t{0xfff};
  }
  EXPECT_EQ(memory.read(at + 8 * 0x167), 0x1234007u);
  EXPECT_EQ(table.find(page)->frame, PhysFrame{0x1234});
  table.touch(page, false);
  EXPECT_EQ(memory.read(at + 8 * 0x167), 0x1234027u);  // accessed
  table.touch(page, true);
  EXPECT_EQ(memory.read(at + 8 * 0x167), 0x1234067u);  // and dirty
  table.protect(page, false);
  EXPECT_FALSE(table.find(page)->writable);
  table.unmap(page);
  EXPECT_FALSE(table.find(page).has_value());
}

TEST(PageTable, LargeAndHugePagesEndTheWalkEarly) {
  MemoryRoot root;
  vm::PhysicalMemory memory(root.frames);
  vm::PageTable table(memory);
  table.map({{512}, {1024}, PageSize::large, true});
  table.map({{1u << 18}, {1u << 18}, PageSize::huge, true});
  EXPECT_EQ(table.find({512 + 77})->frame_of({512 + 77}), PhysFrame{1024 + 77});
  EXPECT_EQ(table.find({512 + 77})->size, PageSize::large);
  EXPECT_EQ(table.find({(1u << 18) + 99999})->frame_of({(1u << 18) + 99999}), PhysFrame{(1u << 18) + 99999});
  EXPECT_FALSE(table.find({511}).has_value());
}

TEST(AddressSpace, ALazyPageIsThereAfterItsFaultOnly) {
  MemoryRoot root;
  vm::PhysicalMemory memory(root.frames);
  AddressSpace space(memory, {0, PageSize::small, true});
  space.add(0x1000, 4096);
  EXPECT_EQ(space.classify({1}), vm::FaultClass::minor);
  EXPECT_FALSE(space.find({1}).has_value());
  space.serve({1});
  EXPECT_EQ(space.classify({1}), vm::FaultClass::none);
  EXPECT_EQ(space.find({1})->frame, *space.frame({1}));
  space.evict({1});
  EXPECT_EQ(space.classify({1}), vm::FaultClass::major);
  EXPECT_EQ(space.classify({2}), vm::FaultClass::illegal);
}

TEST(AddressSpace, TwoRangesInOneLargePageShareItUntilTheLastGoes) {
  MemoryRoot root;
  vm::PhysicalMemory memory(root.frames);
  AddressSpace space(memory, {0, PageSize::large, false});
  space.add(0x200000, 100);
  space.add(0x201000, 100);
  EXPECT_EQ(space.pages(), 1u);
  space.remove(0x200000, 100);
  EXPECT_TRUE(space.find({0x201}).has_value());
  space.remove(0x201000, 100);
  EXPECT_FALSE(space.find({0x201}).has_value());
}

/// Random programs of add, remove, protect, alias, migrate, evict and serve against a map.
TEST(AddressSpace, AgreesWithASimpleModelOnRandomPrograms) {
  struct Known {
    bool writable = true;
    bool present = true;
    unsigned token = 0;  ///< pages that share a frame have the same
  };
  for (unsigned seed = 0; seed < 20; ++seed) {
    MemoryRoot root;
    root.set_text("frames.gib", "1");
    root.set_text("frames.allocation", seed % 2 == 0 ? "contiguous" : "scattered");
    vm::PhysicalMemory memory(root.frames);
    AddressSpace space(memory, {0, PageSize::small, seed % 3 == 0});
    std::map<std::uint64_t, Known> model;
    std::mt19937 random(seed);
    unsigned tokens = 0;
    for (unsigned step = 0; step < 400; ++step) {
      const std::uint64_t page = random() % 64 + (random() % 4 << 27);  // four regions under different tables
      const auto found = model.find(page);
      const unsigned what = random() % 8;
      const auto shared = [&](unsigned token) {
        return std::count_if(model.begin(), model.end(), [&](const auto& m) { return m.second.token == token; }) > 1;
      };
      if (found == model.end()) {
        space.add(page << 12, 4096);
        model[page] = {true, seed % 3 != 0, ++tokens};
      } else if (what == 0 && !shared(found->second.token)) {
        space.remove(page << 12, 4096);
        model.erase(page);
      } else if (what == 1) {
        found->second.writable = random() % 2 == 0;
        space.protect(page << 12, 4096, found->second.writable);
      } else if (what == 2) {
        const auto other = model.begin();
        if (other->first == page || shared(found->second.token)) continue;
        space.alias({page}, {other->first});
        found->second.token = other->second.token;
      } else if (what == 3 && !shared(found->second.token)) {
        space.evict({page});
        found->second.present = false;
      } else if (what == 4 && !found->second.present) {
        space.serve({page});
        found->second.present = true;
      }
      for (const auto& [number, known] : model) {
        const auto mapping = space.find({number});
        ASSERT_EQ(mapping.has_value(), known.present) << "seed " << seed << " step " << step;
        if (!mapping) continue;
        ASSERT_EQ(mapping->writable, known.writable);
        ASSERT_EQ(mapping->frame, *space.frame({number}));
      }
      std::map<std::uint64_t, unsigned> owners;
      for (const auto& [number, known] : model) {
        const auto [owner, is_new] = owners.emplace(space.frame({number})->number, known.token);
        ASSERT_EQ(owner->second, known.token) << "two pages share a frame that should not";
      }
    }
  }
}

}  // namespace
}  // namespace heddle::test
