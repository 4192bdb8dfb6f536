// Tags and the miss table against plain models of themselves.
#include "memory/cache.h"
#include "sim/statistic.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>

namespace heddle::memory {
namespace {

LineTag tag(std::uint64_t address) { return LineTag(PhysLine{address}); }

TEST(LineTag, KeepsVirtualLinesApartFromPhysicalOnesAndSpacesFromEachOther) {
  const LineTag physical(PhysLine{0x1000});
  const LineTag first(VirtLine{0x1000}, 1);
  EXPECT_NE(physical, first);
  EXPECT_NE(first, LineTag(VirtLine{0x1000}, 2));
  EXPECT_EQ(first.virtual_line(), VirtLine{0x1000});
  EXPECT_EQ(first.space(), 1);
  EXPECT_EQ(physical.physical(), PhysLine{0x1000});
  EXPECT_THROW((void)first.physical(), InvariantError);
  EXPECT_THROW((void)physical.virtual_line(), InvariantError);
}

struct SomeCache : sim::ParameterGroup {
  CacheParameters cache{*this, "cache", "A cache."};
};

TEST(SetIndex, OfFermiIsTheHashThatWasMeasured) {
  SomeCache some;
  for (const auto& [key, value] : {std::pair{"kib", "32"}, {"ways", "4"}, {"line_bytes", "128"}, {"index", "fermi"}})
    some.set_text(std::string("cache.") + key, value);
  const SetIndex index(some.cache);
  const auto set = [&](unsigned bit) { return index(tag(std::uint64_t{1} << bit)); };
  EXPECT_EQ(index(tag(0)), 0u);
  for (const auto& [bit, other, result] :
       {std::array{7u, 13u, 1u}, {8u, 14u, 2u}, {9u, 15u, 4u}, {10u, 17u, 8u}, {11u, 19u, 16u}}) {
    EXPECT_EQ(set(bit), result) << bit;
    EXPECT_EQ(set(other), result) << other;
    EXPECT_EQ(index(tag(std::uint64_t{1} << bit | std::uint64_t{1} << other)), 0u) << bit;
  }
  EXPECT_EQ(set(12), 32u);
  for (const unsigned unused : {16u, 18u, 20u, 30u}) EXPECT_EQ(set(unused), 0u) << unused;
  EXPECT_EQ(index.bank(tag(std::uint64_t{1} << 9 | std::uint64_t{1} << 13), 8), 5u);
}

TEST(MissTable, FindsWhatIsThereAndNothingElseWhateverComesAndGoes) {
  for (const unsigned entries : {1u, 3u, 32u, 100u}) {
    MissTable table(entries, 4);
    std::map<std::uint64_t, std::uint32_t> model;
    std::mt19937_64 random(entries);
    for (int step = 0; step < 20000; ++step) {
      const std::uint64_t line = random() % (3 * entries) * 128;
      const auto known = model.find(line);
      const auto found = table.find(tag(line));
      ASSERT_EQ(found.has_value(), known != model.end());
      if (found) {
        ASSERT_EQ(*found, known->second);
        ASSERT_EQ(table.at(*found).line, tag(line));
        table.remove(*found);
        model.erase(known);
      } else if (!table.full()) {
        model[line] = table.add(tag(line), true);
      }
      ASSERT_EQ(table.used(), model.size());
      ASSERT_EQ(table.full(), model.size() == entries);
    }
  }
}

TEST(MissTable, LetsSoManyWaitAsItIsToldTo) {
  MissTable table(2, 2);
  const std::uint32_t miss = table.add(tag(0), true);
  EXPECT_TRUE(table.can_merge(miss));
  table.at(miss).waiters = {1, 2};
  EXPECT_FALSE(table.can_merge(miss));
  table.remove(miss);
  EXPECT_TRUE(table.can_merge(table.add(tag(128), true))) << "a new miss has no waiters";
}

class Tags : public testing::Test {
 protected:
  Tags() {
    parameters_.set_text("kib", "1");
    parameters_.set_text("ways", "8");  // one set
  }
  sim::ParameterGroup root_;
  CacheParameters parameters_{root_, "cache", "A cache."};
  sim::StatisticGroup statistics_{"cache"};
};

TEST_F(Tags, TheVictimIsWhatAllocateReplaces) {
  CacheTags tags(parameters_, statistics_);
  CacheLine evicted;
  for (std::uint64_t line = 0; line < 8; ++line) tags.allocate(tag(line * 128), evicted)->valid = 1;
  tags.touch(*tags.find(tag(0)));
  const CacheLine* victim = tags.victim(tag(8 * 128));
  ASSERT_NE(victim, nullptr);
  EXPECT_EQ(victim->tag, tag(128)) << "the least recently used";
  EXPECT_EQ(tags.allocate(tag(8 * 128), evicted), victim);
  EXPECT_EQ(evicted.tag, tag(128));
  EXPECT_EQ(tags.find(tag(128)), nullptr);
}

TEST_F(Tags, DropsCleanLinesAndKeepsDirtyAndReservedOnes) {
  CacheTags tags(parameters_, statistics_);
  CacheLine evicted;
  for (std::uint64_t line = 0; line < 3; ++line) tags.allocate(tag(line * 128), evicted)->valid = 1;
  tags.find(tag(128))->dirty = 1;
  tags.find(tag(256))->reserved = true;
  tags.invalidate_clean([](const CacheLine&) { return true; });
  EXPECT_EQ(tags.find(tag(0)), nullptr);
  EXPECT_NE(tags.find(tag(128)), nullptr);
  EXPECT_NE(tags.find(tag(256)), nullptr);
}

}  // namespace
}  // namespace heddle::memory
