// Register allocation: no two live values share a register, pairs are even, what does not fit is spilled.
#include <fmt/format.h>

#include <map>
#include <set>

#include "compile_text.h"

namespace heddle::compile {
namespace {

using isa::Opcode;
using Kind = isa::Operand::Kind;

/// Checks an allocation without spills against the function it came from. Instructions are matched by their line; the
/// place of every virtual register is read off the operands, and liveness is derived here, set by set.
class Checker {
 public:
  Checker(const MachineFunction& before, const MachineFunction& after) : before_(before) {
    for (std::size_t b = 0; b < before.blocks.size(); ++b) {
      auto at = after.blocks[b].code.begin();
      for (const isa::Instruction& i : before.blocks[b].code) {
        if (at == after.blocks[b].code.end() || at->line != i.line) {
          EXPECT_TRUE(i.op == Opcode::mov || i.op == Opcode::plogic) << "only copies may go: " << isa::disassemble(i);
          erased_.push_back(&i);
          continue;
        }
        for (std::size_t d = 0; d < i.dst.size(); ++d) note(i.dst[d], at->dst[d]);
        for (std::size_t s = 0; s < i.src.size(); ++s) note(i.src[s], at->src[s]);
        if (i.guard.exists())
          note(register_operand(RegisterClass::predicate, i.guard.predicate),
               register_operand(RegisterClass::predicate, at->guard.predicate));
        ++at;
      }
      EXPECT_TRUE(at == after.blocks[b].code.end());
    }
    for (const isa::Instruction* copy : erased_) EXPECT_EQ(place_[copy->src[0].index], place_[copy->dst[0].index]);
  }

  void check_overlaps() {
    std::vector<std::set<std::uint32_t>> in(before_.blocks.size());
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t b = before_.blocks.size(); b-- > 0;) {
        std::set<std::uint32_t> live;
        for (const std::uint32_t s : before_.blocks[b].successors) live.insert(in[s].begin(), in[s].end());
        for (std::size_t n = before_.blocks[b].code.size(); n-- > 0;) {
          const isa::Instruction& i = before_.blocks[b].code[n];
          std::set<std::uint32_t> written = live;
          for_each_definition(i, [&](std::uint32_t r) { written.insert(r); });
          expect_distinct(written, i);
          if (!is_partial(i)) for_each_definition(i, [&](std::uint32_t r) { live.erase(r); });
          for_each_use(i, [&](std::uint32_t r) { live.insert(r); });
          expect_distinct(live, i);
        }
        changed = changed || live != in[b];
        in[b] = live;
      }
    }
  }

 private:
  void note(const isa::Operand& from, const isa::Operand& to) {
    if (!from.is_register()) return;
    ASSERT_EQ(from.kind, to.kind);
    EXPECT_TRUE(from.kind != Kind::gpr_pair || to.index % 2 == 0);
    const auto [known, is_new] = place_.try_emplace(from.index, to.index);
    EXPECT_EQ(known->second, to.index) << "virtual register " << from.index;
  }

  void expect_distinct(const std::set<std::uint32_t>& live, const isa::Instruction& i) {
    std::map<std::uint32_t, std::uint32_t> owner;
    for (const std::uint32_t r : live) {
      const RegisterClass c = before_.registers[r];
      const std::uint32_t base = c == RegisterClass::predicate ? 1000 + place_[r] : place_[r];
      for (std::uint32_t half = 0; half < (c == RegisterClass::pair ? 2u : 1u); ++half) {
        const auto [other, is_free] = owner.try_emplace(base + half, r);
        EXPECT_TRUE(is_free) << "virtual registers " << r << " and " << other->second << " share one at "
                             << isa::disassemble(i);
      }
    }
  }

  const MachineFunction& before_;
  std::map<std::uint32_t, std::uint32_t> place_;
  std::vector<const isa::Instruction*> erased_;
};

std::size_t instructions_of(const MachineFunction& f) {
  std::size_t count = 0;
  for (const Block& block : f.blocks) count += block.code.size();
  return count;
}

void expect_sound(const std::string& body, unsigned banks = 0) {
  MachineFunction before = body_blocks(body);
  std::uint32_t line = 0;
  for (Block& block : before.blocks) {
    for (isa::Instruction& i : block.code) i.line = ++line;
  }
  MachineFunction after = before;
  const Allocation allocation = allocate_registers(after);
  ASSERT_TRUE(allocation.ok);
  Checker(before, after).check_overlaps();
  if (banks == 0) return;
  MachineFunction spread = before;
  spread.banks = banks;
  EXPECT_LE(allocate_registers(spread).registers, allocation.registers);
  EXPECT_LE(instructions_of(spread), instructions_of(after)) << "copies that went away came back";
  Checker(before, spread).check_overlaps();
}

/// A body with values of all classes, branches and a loop, different for every seed.
std::string random_body(std::uint32_t seed) {
  std::uint32_t state = seed * 2654435761u + 1;
  const auto random = [&](std::uint32_t bound) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % bound;
  };
  std::string text;
  for (int i = 0; i < 8; ++i)
    text += fmt::format("ld.global.u32 %r{}, [%d0+{}];\ncvt.u64.u32 %d{}, %r{};\nsetp.lt.u32 %p{}, %r{}, 9;\n", i,
                        4 * i, i + 1, i, i, i);
  text += "LOOP:\n";
  for (int n = 0; n < 60; ++n) {
    const std::string guard = random(4) == 0 ? fmt::format("@%p{} ", random(8)) : "";
    switch (random(6)) {
      case 0:
        text += fmt::format("{}add.u32 %r{}, %r{}, %r{};\n", guard, random(8), random(8), random(8));
        break;
      case 1:
        text += fmt::format("{}mul.wide.u32 %d{}, %r{}, %r{};\n", guard, 1 + random(8), random(8), random(8));
        break;
      case 2:
        text += fmt::format("{}mov.u32 %r{}, %r{};\n", guard, random(8), random(8));
        break;
      case 3:
        text += fmt::format("{}setp.lt.u32 %p{}, %r{}, %r{};\n", guard, random(8), random(8), random(8));
        break;
      case 4:
        text += fmt::format("{}mov.b64 {{%r{}, %r{}}}, %d{};\n", guard, random(4), 4 + random(4), 1 + random(8));
        break;
      default:
        text += fmt::format("@%p{} bra L{};\nmov.u32 %r{}, %r{};\nL{}:\n", random(8), n, random(8), random(8), n);
    }
  }
  text += "@%p0 bra LOOP;\n";
  for (int i = 0; i < 8; ++i)
    text += fmt::format("st.global.u32 [%d0], %r{};\nst.global.u64 [%d0], %d{};\n@%p{} st.global.u32 [%d0], 1;\n", i,
                        i + 1, i);
  return text + "ret;";
}

/// Values that live for a short while, many of them copies, without branches.
std::string random_chain(std::uint32_t seed) {
  std::uint32_t state = seed * 2654435761u + 1;
  const auto random = [&](std::uint32_t bound) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % bound;
  };
  std::string text;
  for (int i = 0; i < 12; ++i) text += fmt::format("ld.global.u32 %r{}, [%d0+{}];\n", i, 4 * i);
  for (std::uint32_t n = 12; n < 100; ++n) {
    const auto recent = [&] { return n - 1 - random(11); };
    switch (random(4)) {
      case 0:
        text += fmt::format("mov.u32 %r{0}, %r{1};\nst.global.u32 [%d0], %r{0};\n", n, recent());
        break;
      case 1:
        text +=
            fmt::format("mul.wide.u32 %d{0}, %r{1}, %r{2};\nst.global.u64 [%d0], %d{0};\nadd.u32 %r{3}, %r{1}, 1;\n",
                        1 + n % 19, recent(), recent(), n);
        break;
      default:
        text += fmt::format("mad.lo.u32 %r{}, %r{}, %r{}, %r{};\n", n, recent(), recent(), recent());
    }
  }
  for (int i = 90; i < 100; ++i) text += fmt::format("st.global.u32 [%d0], %r{};\n", i);
  return text + "ret;";
}

TEST(Allocation, NeverGivesOneRegisterToTwoLiveValues) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    // Seven predicates at most: the checker does not know spills.
    std::string body = random_body(seed);
    for (std::size_t at = body.find("%p7"); at != std::string::npos; at = body.find("%p7")) body[at + 2] = '6';
    for (const unsigned banks : {8u, 3u}) expect_sound(body, banks);
    expect_sound(random_chain(seed), 8);
  }
}

TEST(Allocation, ReusesARegisterWhenItsValueIsDead) {
  std::string body = "ld.param.u64 %d0, [in];\n";
  for (int i = 0; i < 50; ++i)
    body += fmt::format("ld.global.u32 %r{0}, [%d0+{1}];\nst.global.u32 [%d0+{1}], %r{0};\n", i, 4 * i);
  EXPECT_LE(good_body(body + "ret;").program.kernels.at(0).registers, 3u);
}

/// `values` values that are all alive at the same time.
std::string many_values(int values, std::string_view load, std::string_view combine) {
  std::string body = "ld.param.u64 %d0, [in];\n";
  for (int i = 0; i < values; ++i) body += fmt::format(fmt::runtime(load), i + 1, 8 * i);
  for (int i = 0; i < values; ++i) body += fmt::format(fmt::runtime(combine), i + 1);
  return body + "ret;";
}

TEST(Spilling, OfNarrowValuesKeepsTheLimit) {
  CompileOptions options;
  options.register_limit = 16;
  const Compiled c = good_module(
      body_text(many_values(40, "ld.global.u32 %r{}, [%d0+{}];\n", "st.global.u32 [%d0], %r{};\n")), options);
  EXPECT_LE(c.program.kernels.at(0).registers, 16u);
  EXPECT_GE(c.program.kernels[0].spill_bytes, 4u * 20);
}

TEST(Spilling, OfPairsUsesAlignedSlots) {
  CompileOptions options;
  options.register_limit = 16;
  const Compiled c = good_module(
      body_text(many_values(16, "ld.global.u64 %d{}, [%d0+{}];\n", "st.global.u64 [%d0], %d{};\n")), options);
  EXPECT_LE(c.program.kernels.at(0).registers, 16u);
  std::size_t slots = 0;
  for (const isa::Instruction& i : c.program.code) {
    if (i.space != isa::Space::local) continue;
    ++slots;
    EXPECT_EQ(i.type, isa::Type::b64);
    EXPECT_EQ(i.offset % 8, 0);
  }
  EXPECT_GT(slots, 0u);
}

TEST(Spilling, OfPredicatesGoesToGeneralRegisters) {
  const Compiled c = good_body(many_values(12, "setp.lt.u32 %p{}, %r0, {};\n", "@%p{} st.global.u32 [%d0], %r0;\n"));
  EXPECT_LE(c.program.kernels.at(0).predicates, kPredicateRegisters);
  EXPECT_EQ(c.program.kernels[0].spill_bytes, 0u);
}

TEST(RegisterLimits, AreWhatTheKernelSays) {
  const std::string body = many_values(40, "ld.global.u32 %r{}, [%d0+{}];\n", "st.global.u32 [%d0], %r{};\n") + "\n}";
  const auto registers = [&](const std::string& directive) {
    std::string text = std::string(kRegisters) + body;
    text.insert(text.find('{'), directive + " ");
    return good_module(text).program.kernels.at(0).registers;
  };
  EXPECT_GT(registers(""), 40u);
  EXPECT_LE(registers(".maxnreg 24"), 24u);
  EXPECT_LE(registers(".maxntid 1024, 1, 1 .minnctapersm 2"), 32u);
  EXPECT_LE(registers(".maxntid 256, 1, 1 .minnctapersm 8"), 32u);
}

TEST(RegisterLimits, HoldForFunctionsThatTheKernelCalls) {
  std::string text =
      ".func f(.param .u64 in) { .reg .b32 %r<50>; .reg .b64 %d<2>;\n" +
      many_values(40, "ld.global.u32 %r{}, [%d0+{}];\n", "st.global.u32 [%d0], %r{};\n") +
      "}\n.visible .entry k() .maxnreg 20 { .param .u64 a; .reg .b64 d; st.param.u64 [a], d; call f, (a); ret; }";
  EXPECT_LE(good_module(text).program.kernels.at(0).registers, 20u);
}

}  // namespace
}  // namespace heddle::compile
