// Accesses of synonyms by generation: a shootdown waits for those before it and for no other.
#include "vm/synonym_accesses.h"

#include <gtest/gtest.h>

namespace heddle::vm {
namespace {

TEST(SynonymAccesses, HaveEndedAtOnceWhereThereAreNone) {
  SynonymAccesses accesses;
  EXPECT_TRUE(accesses.has_ended(accesses.end_generation()));
}

TEST(SynonymAccesses, EndWithTheLastThatWasSentBefore) {
  SynonymAccesses accesses;
  const std::uint8_t early = accesses.send();
  const std::uint64_t generation = accesses.end_generation();
  const std::uint8_t late = accesses.send();
  EXPECT_NE(early, late);
  EXPECT_FALSE(accesses.has_ended(generation)) << "nobody knows yet how many wait for the miss";
  accesses.replayed(early);  // its slice may be faster than the one that tells of it
  EXPECT_FALSE(accesses.has_ended(generation));
  accesses.forwarded(early, 2);
  EXPECT_FALSE(accesses.has_ended(generation));
  accesses.replayed(early);
  EXPECT_TRUE(accesses.has_ended(generation)) << "the late one is none of its business";
}

TEST(SynonymAccesses, WaitForOlderGenerationsToo) {
  SynonymAccesses accesses;
  const std::uint8_t first = accesses.send();
  (void)accesses.end_generation();
  const std::uint64_t second = accesses.end_generation();
  EXPECT_FALSE(accesses.has_ended(second));
  accesses.forwarded(first, 0);
  EXPECT_TRUE(accesses.has_ended(second));
}

TEST(SynonymAccesses, GoOnWhenAllNumbersAreInUse) {
  SynonymAccesses accesses;
  const std::uint8_t oldest = accesses.send();
  std::uint64_t last = 0;
  for (int i = 0; i < 1000; ++i) last = accesses.end_generation();
  const std::uint8_t newest = accesses.send();
  EXPECT_NE(newest, oldest);
  EXPECT_FALSE(accesses.has_ended(last));
  accesses.forwarded(oldest, 0);
  EXPECT_FALSE(accesses.has_ended(last)) << "what came with it waits, too";
  accesses.forwarded(newest, 0);
  EXPECT_TRUE(accesses.has_ended(last));
}

}  // namespace
}  // namespace heddle::vm
