// Regions of code (RegLess, section 4.4).
#include "compile/regions/regions.h"

#include <algorithm>

#include "compile_text.h"

namespace heddle::compile {
namespace {

using isa::Prepare;
using isa::RegionEnd;

struct CutBody {
  Compiled compiled;
  isa::RegionCode code;

  [[nodiscard]] const isa::Region& at_line(std::uint32_t line) const { return code.at(compiled.at_line(line)); }
  [[nodiscard]] std::size_t count(const isa::Region& region, Prepare what) const {
    return static_cast<std::size_t>(std::count_if(region.list.begin(), region.list.end(),
                                                  [&](const isa::PreparedRegister& p) { return p.what == what; }));
  }
};

CutBody cut_body(std::string_view body, const RegionOptions& options = {}) {
  CutBody result{good_body(body), {}};
  result.code = make_regions(result.compiled.program, options);
  return result;
}

TEST(Regions, KeepALoadAndItsFirstUseApart) {
  const CutBody c = cut_body(R"(ld.param.u64 %d1, [in];
ld.global.u32 %r1, [%d1];
add.u32 %r2, %r1, 1;
st.global.u32 [%d1], %r2;
exit;)");
  EXPECT_NE(&c.at_line(4), &c.at_line(5)) << c.compiled.listing();
  EXPECT_EQ(c.at_line(4).ends, RegionEnd::load);
  EXPECT_EQ(&c.at_line(5), &c.at_line(6));
  EXPECT_EQ(c.at_line(6).ends, RegionEnd::block);
}

TEST(Regions, LoadsFromSharedMemoryStayWithTheirUses) {
  const CutBody c = cut_body(R"(ld.shared.u32 %r1, [shared_data];
add.u32 %r2, %r1, 1;
st.shared.u32 [shared_data], %r2;
exit;)");
  EXPECT_EQ(c.code.regions.size(), 1u);
}

TEST(Regions, EndAfterABarrier) {
  const CutBody c = cut_body(R"(ld.shared.u32 %r1, [shared_data];
bar.sync 0;
st.shared.u32 [shared_data], %r1;
exit;)");
  EXPECT_EQ(c.code.regions.size(), 2u);
  EXPECT_EQ(c.code.regions[0].ends, RegionEnd::meeting);
}

TEST(Regions, BeginWhereLanesMeetIfTheyMayWaitThere) {
  const std::string_view body = R"(ld.shared.u32 %r1, [shared_data];
add.u32 %r2, %r1, 1;
bar.warp.sync 0xffffffff;
add.u32 %r3, %r2, %r1;
st.shared.u32 [shared_data], %r3;
exit;)";
  EXPECT_EQ(cut_body(body).code.regions.size(), 1u);
  RegionOptions options;
  options.splits_meetings = true;
  const CutBody c = cut_body(body, options);
  ASSERT_EQ(c.code.regions.size(), 2u);
  EXPECT_EQ(c.code.regions[0].ends, RegionEnd::meeting);
  EXPECT_EQ(c.code.regions[1].begin, c.compiled.at_line(5));
}

TEST(Regions, LanesThatMayBeAnywhereKeepWhatTheyNeedThere) {
  // With a stack nobody needs %r2 or %r3 while the other side runs. Lanes that need not wait at the join may.
  const std::string_view body = R"(ld.shared.u32 %r1, [shared_data];
setp.eq.u32 %p1, %r1, 0;
@%p1 bra JOIN;
mul.lo.u32 %r2, %r1, 7;
st.shared.u32 [shared_data], %r2;
JOIN: add.u32 %r3, %r1, 5;
bar.warp.sync 0xffffffff;
st.shared.u32 [shared_data+4], %r3;
st.shared.u32 [shared_data+8], %r1;
exit;)";
  RegionOptions options;
  options.splits_meetings = true;
  const CutBody stack = cut_body(body, options);
  EXPECT_EQ(stack.count(stack.at_line(6), Prepare::preload), 1u) << "%r1";
  EXPECT_EQ(stack.at_line(8).inputs, 1u) << "%r1";
  options.soft = SoftTest::scattered;
  const CutBody anywhere = cut_body(body, options);
  EXPECT_EQ(stack.at_line(6).interior, 1u) << "%r2 never leaves its region";
  EXPECT_EQ(anywhere.at_line(6).interior, 0u) << "it shares a register with %r3, which others may have";
  EXPECT_EQ(anywhere.at_line(8).inputs, 2u) << "others may have their %r3";
  for (const std::uint32_t line : {10u, 11u}) {
    EXPECT_TRUE(stack.code.last_uses_at(stack.compiled.at_line(line))[0].erase);
    EXPECT_FALSE(anywhere.code.last_uses_at(anywhere.compiled.at_line(line))[0].erase) << "others may need it";
  }
}

TEST(Regions, ValuesThatDieInsideAreErasedAndThoseThatGoOnAreEvicted) {
  const CutBody c = cut_body(R"(ld.param.u64 %d1, [in];
ld.global.u32 %r1, [%d1];
add.u32 %r2, %r1, 1;
add.u32 %r3, %r2, %r1;
st.global.u32 [%d1], %r3;
exit;)");
  // The second region: %r1 and the address come in for the last time, %r2 and %r3 live inside.
  const isa::Region& second = c.at_line(5);
  EXPECT_EQ(second.inputs, 3u) << "the loaded value and the two halves of the address";
  EXPECT_EQ(c.count(second, Prepare::preload_last), 3u);
  EXPECT_EQ(second.interior, 2u);
  EXPECT_EQ(second.outputs, 0u);
  for (const isa::LastUse& use : c.code.last_uses_at(c.compiled.at_line(6))) EXPECT_TRUE(use.erase);
  const isa::Region& first = c.at_line(4);
  EXPECT_EQ(first.outputs, 3u) << "the address goes on, and what is loaded";
}

TEST(Regions, AreCutWhereRegistersDoNotFit) {
  std::string body = "ld.shared.u32 %r0, [shared_data];\n";
  for (unsigned r = 1; r < 40; ++r)
    body += "add.u32 %r" + std::to_string(r) + ", %r" + std::to_string(r - 1) + ", " + std::to_string(r) + ";\n";
  for (unsigned r = 0; r < 40; ++r)
    body += "st.shared.u32 [shared_data+" + std::to_string(4 * r) + "], %r" + std::to_string(r) + ";\n";
  body += "exit;";
  RegionOptions options;
  options.most_registers = 12;
  const CutBody c = cut_body(body, options);
  EXPECT_GT(c.code.regions.size(), 4u);
  for (const isa::Region& region : c.code.regions) EXPECT_LE(region.live, 12u);
  EXPECT_EQ(c.code.regions[0].ends, RegionEnd::registers);
}

TEST(Regions, RegistersSetOnBothSidesOfABranchArePreloadedOnTheSecond) {
  // Each side sets %r2 for the use behind the join; the side that runs second must keep what the first set.
  const CutBody c = cut_body(R"(ld.shared.u32 %r1, [shared_data];
setp.eq.u32 %p1, %r1, 0;
@%p1 bra OTHER;
mul.lo.u32 %r2, %r1, 7;
bra JOIN;
OTHER: add.u32 %r2, %r1, 3;
JOIN: st.shared.u32 [shared_data], %r2;
exit;)");
  for (const std::uint32_t line : {6u, 8u}) {
    const isa::Region& side = c.at_line(line);
    const auto& i = c.compiled.program.code[c.compiled.at_line(line)];
    const bool preloads = std::any_of(side.list.begin(), side.list.end(), [&](const isa::PreparedRegister& p) {
      return p.reg == i.dst[0].index && p.what == Prepare::preload;
    });
    EXPECT_TRUE(preloads) << "line " << line << "\n" << c.compiled.listing();
  }
}

TEST(Regions, TemporariesOfOneSideAreNotPreloaded) {
  const CutBody c = cut_body(R"(ld.shared.u32 %r1, [shared_data];
setp.eq.u32 %p1, %r1, 0;
@%p1 bra JOIN;
mul.lo.u32 %r2, %r1, 7;
st.shared.u32 [shared_data], %r2;
JOIN: exit;)");
  const isa::Region& side = c.at_line(6);
  EXPECT_EQ(side.inputs, 1u);
  EXPECT_EQ(side.interior, 1u);
  EXPECT_EQ(c.count(side, Prepare::preload_last), 1u) << "nobody needs %r1 any more";
}

TEST(Regions, WhatDiesOnTheWayIntoABlockIsInvalidatedWhereAllLanesMeet) {
  // %r2 is read on one side only: it is dead at the join, where all lanes have come.
  const CutBody c = cut_body(R"(ld.shared.u32 %r1, [shared_data];
ld.shared.u32 %r2, [shared_data+4];
setp.eq.u32 %p1, %r1, 0;
@%p1 bra JOIN;
st.shared.u32 [shared_data+8], %r2;
JOIN: st.shared.u32 [shared_data+12], %r1;
exit;)");
  const isa::Region& side = c.at_line(7);
  EXPECT_EQ(c.count(side, Prepare::preload_last), 1u) << "lanes that jumped do not need it either";
  const isa::Region& join = c.at_line(8);
  EXPECT_EQ(c.count(join, Prepare::invalidate), 1u) << "if no lane came by the side, it has not been erased";
}

TEST(Regions, LanesThatLeftALoopKeepTheirValues) {
  // %r2 is written in each round and read behind the loop by lanes that left it before.
  const CutBody c = cut_body(R"(ld.shared.u32 %r1, [shared_data];
LOOP: add.u32 %r2, %r1, 5;
sub.u32 %r1, %r1, 1;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra LOOP;
st.shared.u32 [shared_data], %r2;
exit;)");
  const isa::Region& round = c.at_line(4);
  const auto& i = c.compiled.program.code[c.compiled.at_line(4)];
  EXPECT_TRUE(std::any_of(round.list.begin(), round.list.end(), [&](const isa::PreparedRegister& p) {
    return p.reg == i.dst[0].index;
  })) << c.compiled.listing();
  RegionOptions printed;
  printed.soft = SoftTest::printed;
  const CutBody missed = cut_body(R"(ld.shared.u32 %r1, [shared_data];
LOOP: add.u32 %r2, %r1, 5;
sub.u32 %r1, %r1, 1;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra LOOP;
st.shared.u32 [shared_data], %r2;
exit;)",
                                  printed);
  const isa::Region& without = missed.at_line(4);
  EXPECT_FALSE(std::any_of(without.list.begin(), without.list.end(), [&](const isa::PreparedRegister& p) {
    return p.reg == i.dst[0].index;
  })) << "Algorithm 2 alone does not see them";
}

TEST(Regions, AGuardedDefinitionKeepsTheOldValueUnlessItsReadersHaveTheSameGuard) {
  const CutBody c = cut_body(R"(ld.shared.u32 %r1, [shared_data];
bar.sync 0;
setp.eq.u32 %p1, %r1, 0;
@%p1 mov.u32 %r1, 5;
@%p1 mov.u32 %r3, 9;
@%p1 st.shared.u32 [shared_data+4], %r3;
st.shared.u32 [shared_data], %r1;
exit;)");
  const isa::Region& region = c.at_line(5);
  EXPECT_EQ(region.inputs, 1u) << "%r1, and not %r3";
  EXPECT_EQ(region.interior, 1u);
}

TEST(Regions, MetadataOfAShortRegionIsOneInstruction) {
  const CutBody c = cut_body(R"(ld.shared.u32 %r1, [shared_data];
add.u32 %r2, %r1, 1;
st.shared.u32 [shared_data], %r2;
exit;)");
  const isa::Region& region = c.code.regions[0];
  EXPECT_TRUE(region.compact);
  EXPECT_EQ(region.start_words + region.flag_words, 1);
  EXPECT_EQ(encode_region(c.code, region, c.compiled.program.code).size(), 1u);
  EXPECT_EQ(c.code.size, c.compiled.program.code.size() + 1);
  EXPECT_EQ(c.code.place[0], 0u);
  EXPECT_EQ(c.code.place[1], 2u) << "behind the metadata and the first instruction";
}

TEST(Regions, MetadataSaysBanksListsAndLastUses) {
  std::string body = "ld.shared.u32 %r0, [shared_data];\nbar.sync 0;\n";
  for (unsigned r = 1; r < 10; ++r)
    body += "add.u32 %r" + std::to_string(r) + ", %r" + std::to_string(r - 1) + ", 3;\n";
  body += "st.shared.u32 [shared_data], %r9;\nexit;";
  const CutBody c = cut_body(body);
  const isa::Region& region = c.at_line(5);
  ASSERT_EQ(region.size(), 11u);
  EXPECT_EQ(region.start_words, 1);
  EXPECT_EQ(region.flag_words, 2) << "nine instructions, then two";
  const std::vector<std::uint64_t> words = encode_region(c.code, region, c.compiled.program.code);
  ASSERT_EQ(words.size(), 3u);
  std::uint64_t start = words[0] >> 10;
  for (const std::uint8_t need : region.need) {
    EXPECT_EQ(start & 7u, need);
    start >>= 3;
  }
  EXPECT_EQ(start & 0xffu, region.list[0].reg);
  EXPECT_EQ(start >> 8 & 3u, static_cast<unsigned>(region.list[0].what));
  // The first instruction reads its source for the last time and erases it: bits 1 and 1.
  EXPECT_EQ(words[1] >> 10 & 3u, 3u);
}

}  // namespace
}  // namespace heddle::compile
