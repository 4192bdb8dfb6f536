#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "isa/instruction.h"

namespace heddle::isa {
namespace {

struct OpcodeRow {
  std::string_view mnemonic;
  Unit unit;
};

constexpr OpcodeRow kOpcodes[] = {
#define HEDDLE_OPCODE(name, mnemonic, unit) {mnemonic, Unit::unit},
#include "isa/opcodes.def"
#undef HEDDLE_OPCODE
};

constexpr std::string_view kTypes[] = {"",       "B8",  "B16", "B32",   "B64",   "U8",  "U16",   "U32",
                                       "U64",    "S8",  "S16", "S32",   "S64",   "F16", "F16x2", "BF16",
                                       "BF16x2", "F32", "F64", "U16x2", "S16x2", "PRED"};
constexpr std::string_view kRoundings[] = {"",    "RN",  "RZ",  "RM",  "RP",     "RNA",
                                           "RNI", "RZI", "RMI", "RPI", "APPROX", "FULL"};
constexpr std::string_view kCompares[] = {"",   "EQ",  "NE",  "LT",  "LE",  "GT",  "GE",  "LO",  "LS", "HI",
                                          "HS", "EQU", "NEU", "LTU", "LEU", "GTU", "GEU", "NUM", "NAN"};
constexpr std::string_view kLogics[] = {"", "AND", "OR", "XOR", "NOT", "MOV"};
constexpr std::string_view kSpaces[] = {"", "GLOBAL", "SHARED", "LOCAL", "CONST", "PARAM"};
constexpr std::string_view kCaches[] = {"", "CA", "CG", "CS", "LU", "CV", "WB", "WT"};
constexpr std::string_view kScopes[] = {"", "CTA", "CLUSTER", "GPU", "SYS"};
constexpr std::string_view kAtomics[] = {"", "ADD", "MIN", "MAX", "INC", "DEC", "EXCH", "CAS", "AND", "OR", "XOR"};
constexpr std::string_view kParts[] = {
    "",    "LO",   "HI",     "WIDE",     "WRAP",   "CLAMP",      "SHIFTAMT", "F4E",       "B4E",     "RC8",   "ECL",
    "ECR", "RC16", "FINITE", "INFINITE", "NUMBER", "NOTANUMBER", "NORMAL",   "SUBNORMAL", "UP",      "DOWN",  "BFLY",
    "IDX", "ALL",  "ANY",    "UNI",      "BALLOT", "SYNC",       "ARRIVE",   "RED.POPC",  "RED.AND", "RED.OR"};
constexpr std::string_view kSpecials[] = {"SR_TID.X",           "SR_TID.Y",
                                          "SR_TID.Z",           "SR_NTID.X",
                                          "SR_NTID.Y",          "SR_NTID.Z",
                                          "SR_CTAID.X",         "SR_CTAID.Y",
                                          "SR_CTAID.Z",         "SR_NCTAID.X",
                                          "SR_NCTAID.Y",        "SR_NCTAID.Z",
                                          "SR_LANEID",          "SR_WARPID",
                                          "SR_NWARPID",         "SR_SMID",
                                          "SR_NSMID",           "SR_GRIDID",
                                          "SR_LANEMASK_EQ",     "SR_LANEMASK_LE",
                                          "SR_LANEMASK_LT",     "SR_LANEMASK_GE",
                                          "SR_LANEMASK_GT",     "SR_CLOCK",
                                          "SR_CLOCK_HI",        "SR_CLOCK64",
                                          "SR_GLOBALTIMER",     "SR_GLOBALTIMER_LO",
                                          "SR_GLOBALTIMER_HI",  "SR_DYNAMIC_SMEM_SIZE",
                                          "SR_TOTAL_SMEM_SIZE", "SR_WORKSPACE_HIGH",
                                          "SR_WORKSPACE_LOW",   "SR_ZERO"};
constexpr std::string_view kCalls[] = {"VPRINTF", "MALLOC", "FREE", "ASSERTFAIL"};

template <typename Enum, std::size_t Count>
std::string_view row(const std::string_view (&table)[Count], Enum value) {
  const auto index = static_cast<std::size_t>(value);
  return index < Count ? table[index] : "?";
}

std::string text(const Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::none:
      return "_";
    case Operand::Kind::gpr:
      return fmt::format("R{}", operand.index);
    case Operand::Kind::gpr_pair:
      return fmt::format("R{}:R{}", operand.index, operand.index + 1);
    case Operand::Kind::predicate:
      return fmt::format("{}P{}", operand.negated ? "!" : "", operand.index);
    case Operand::Kind::immediate:
    case Operand::Kind::immediate_wide:
      return fmt::format("{:#x}", operand.value);
    case Operand::Kind::constant:
    case Operand::Kind::constant_wide:
      return fmt::format("c[0][{:#x}]", operand.index);
  }
  return "?";
}

bool is_memory(Opcode op) {
  return op == Opcode::ld || op == Opcode::st || op == Opcode::atom || op == Opcode::red || op == Opcode::prefetch;
}

std::string address_text(const Instruction& i) {
  if (!i.src[0].exists()) return fmt::format("[{:#x}]", static_cast<std::uint64_t>(i.offset));
  if (i.offset == 0) return fmt::format("[{}]", text(i.src[0]));
  return i.offset < 0 ? fmt::format("[{}-{:#x}]", text(i.src[0]), -i.offset)
                      : fmt::format("[{}+{:#x}]", text(i.src[0]), i.offset);
}

}  // namespace

std::string_view mnemonic(Opcode op) { return kOpcodes[static_cast<std::size_t>(op)].mnemonic; }
Unit unit(Opcode op) { return kOpcodes[static_cast<std::size_t>(op)].unit; }
std::string_view name_of(Type type) { return row(kTypes, type); }
std::string_view name_of(SpecialRegister reg) { return row(kSpecials, reg); }

bool is_part_of_names(std::string_view part) {
  const auto in = [part](const auto& table) {
    return std::any_of(std::begin(table), std::end(table), [part](std::string_view entry) {
      return !entry.empty() && (entry == part || (entry.size() > part.size() && entry.ends_with(part) &&
                                                  entry[entry.size() - part.size() - 1] == '.'));
    });
  };
  constexpr std::string_view kOthers[] = {"STRONG", "NC", "FTZ", "SAT", "SATFINITE", "NAN", "RELU", "V2", "V4", "RED"};
  const bool of_opcode = std::any_of(std::begin(kOpcodes), std::end(kOpcodes), [part](const OpcodeRow& row) {
    return row.mnemonic.find('.') != std::string_view::npos && row.mnemonic.ends_with(part);
  });
  return of_opcode || in(kTypes) || in(kRoundings) || in(kCompares) || in(kLogics) || in(kSpaces) || in(kCaches) ||
         in(kScopes) || in(kAtomics) || in(kParts) || in(kOthers);
}

std::string disassemble(const Instruction& i) {
  std::string out;
  if (i.guard.exists()) out += fmt::format("@{}P{} ", i.guard.negated ? "!" : "", i.guard.predicate);
  out += mnemonic(i.op);
  const auto add = [&](std::string_view part) {
    if (!part.empty()) out += fmt::format(".{}", part);
  };
  if (i.op == Opcode::syscall) add(row(kCalls, i.system_call));
  add(row(kAtomics, i.atomic));
  add(row(kParts, i.part));
  add(row(kCompares, i.compare));
  add(row(kLogics, i.logic));
  if (is_memory(i.op) || i.op == Opcode::cvta || i.op == Opcode::cvta_to || i.op == Opcode::isspacep)
    add(row(kSpaces, i.space));
  if (i.is_volatile) add("STRONG");
  if (i.non_coherent) add("NC");
  add(row(kScopes, i.scope));
  add(row(kCaches, i.cache));
  add(row(kRoundings, i.rounding));
  if (i.ftz) add("FTZ");
  if (i.saturate) add("SAT");
  if (i.saturate_finite) add("SATFINITE");
  if (i.nan) add("NAN");
  if (i.relu) add("RELU");
  if (i.vector > 1) out += fmt::format(".V{}", i.vector);
  if (i.op != Opcode::setp) add(row(kTypes, i.type));
  add(row(kTypes, i.source_type));

  std::vector<std::string> operands;
  for (std::size_t d = 0; d < i.dst.size(); ++d) {
    if (i.dst[d].exists()) operands.push_back(text(i.dst[d]));
  }
  if (i.op == Opcode::s2r) operands.emplace_back(name_of(i.special));
  if (is_memory(i.op)) operands.push_back(address_text(i));
  for (std::size_t s = is_memory(i.op) ? 1 : 0; s < i.src.size(); ++s) {
    if (i.src[s].exists()) operands.push_back(text(i.src[s]));
  }
  if (i.op == Opcode::lop3) operands.push_back(fmt::format("{:#04x}", i.immediate));
  if (i.target != kNoPc) {
    operands.push_back(i.op == Opcode::brx ? fmt::format("table {}", i.target)
                                           : fmt::format("{:#06x}", i.target * kInstructionBytes));
  }
  for (std::size_t o = 0; o < operands.size(); ++o) out += (o == 0 ? " " : ", ") + operands[o];
  return out;
}

}  // namespace heddle::isa
