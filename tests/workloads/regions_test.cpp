// Regions of every workload's code keep their promises to the hardware (compile/regions/regions.h).
#include "compile/regions/regions.h"

#include <gtest/gtest.h>

#include <map>

#include "workloads/workload.h"

namespace heddle::compile {
namespace {

/// Runs through a region as the hardware does and looks at what it holds.
class RegionWalk {
 public:
  RegionWalk(const Program& program, const isa::RegionCode& code, const isa::Region& region)
      : program_(program), code_(code), region_(region) {}

  void run() {
    for (const isa::PreparedRegister& entry : region_.list) {
      EXPECT_TRUE(listed_.emplace(entry.reg, entry.what).second) << "R" << int{entry.reg} << " is listed twice";
      if (entry.what != isa::Prepare::invalidate) held_[entry.reg] = false;
    }
    look();
    for (std::uint32_t pc = region_.begin; pc < region_.end; ++pc) step(pc);
    for (const auto& [reg, landing] : held_) EXPECT_TRUE(landing) << "R" << reg << " is not let go";
  }

 private:
  void step(std::uint32_t pc) {
    SCOPED_TRACE(isa::disassemble(program_.code[pc]));
    const isa::Instruction& i = program_.code[pc];
    for (const isa::Operand& s : i.src) {
      for_each_general(s, [&](std::size_t r) {
        EXPECT_TRUE(held_.contains(r)) << "R" << r << " is read and was neither preloaded nor written";
      });
    }
    for (const isa::LastUse& use : code_.last_uses_at(pc)) {
      if (use.at_write) continue;
      EXPECT_EQ(held_.erase(use.reg), 1u) << "R" << int{use.reg} << " is let go twice";
    }
    for (const isa::Operand& d : i.dst) for_each_general(d, [&](std::size_t r) { held_.emplace(r, false); });
    look();
    for (const isa::LastUse& use : code_.last_uses_at(pc)) {
      // Results may come late: what is let go when it is written takes a line until the region ends.
      if (use.at_write) held_.at(use.reg) = true;
      if (!use.erase || !listed_.contains(use.reg)) continue;
      EXPECT_NE(listed_.at(use.reg), isa::Prepare::preload) << "a copy of R" << int{use.reg} << " is left in memory";
    }
  }

  void look() {
    std::array<unsigned, isa::kRegionBanks> banks{};
    for (const auto& [reg, landing] : held_) ++banks[reg % isa::kRegionBanks];
    for (unsigned b = 0; b < isa::kRegionBanks; ++b) EXPECT_LE(banks[b], region_.need[b]) << "bank " << b;
    EXPECT_LE(held_.size(), region_.live);
  }

  const Program& program_;
  const isa::RegionCode& code_;
  const isa::Region& region_;
  std::map<std::size_t, isa::Prepare> listed_;
  std::map<std::size_t, bool> held_;  ///< registers with a line, and whether it goes when a result lands
};

void check_regions(const Program& program, const RegionOptions& options) {
  const isa::RegionCode code = make_regions(program, options);
  std::uint32_t pc = 0;
  std::uint32_t words = 0;
  for (const isa::Region& region : code.regions) {
    SCOPED_TRACE("region at " + std::to_string(region.begin));
    ASSERT_EQ(region.begin, pc) << "every instruction is in one region";
    ASSERT_GT(region.end, region.begin);
    pc = region.end;
    RegionWalk(program, code, region).run();
    if (region.size() > 1) {
      EXPECT_LE(region.live, options.most_registers);
      for (const unsigned need : region.need) EXPECT_LE(need, options.most_in_bank);
    }
    EXPECT_EQ(encode_region(code, region, program.code).size(), region.start_words + region.flag_words);
    words += region.start_words + region.flag_words;
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_EQ(pc, program.code.size());
  EXPECT_EQ(code.size, program.code.size() + words);
}

TEST(WorkloadRegions, HoldWhatTheyReadAndNoMoreThanTheySay) {
  for (const workloads::Workload* workload : workloads::all()) {
    SCOPED_TRACE(workload->name());
    Diagnostics diagnostics{std::string(workload->name())};
    const Program program = compile(ptx::parse(std::string(workload->ptx()), diagnostics), {}, diagnostics);
    ASSERT_TRUE(diagnostics.ok()) << diagnostics.text();
    RegionOptions small;
    small.most_registers = 8;
    small.most_in_bank = 4;
    RegionOptions printed;
    printed.soft = SoftTest::printed;
    printed.splits_loads = false;
    for (const RegionOptions& options : {RegionOptions{}, small, printed}) check_regions(program, options);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace heddle::compile
