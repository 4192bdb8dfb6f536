#include "exec/code.h"

#include <fmt/format.h>

#include <cstring>

#include "base/check.h"
#include "isa/member_mask.h"

namespace heddle::exec {
namespace {

using isa::Opcode;
using isa::Operand;

OpKind kind_of(const isa::Instruction& i) {
  switch (i.op) {
    case Opcode::s2r:
      return OpKind::special_register;
    case Opcode::ld:
      return OpKind::load;
    case Opcode::st:
      return OpKind::store;
    case Opcode::atom:
    case Opcode::red:
      return OpKind::atomic;
    case Opcode::cvta:
    case Opcode::cvta_to:
    case Opcode::isspacep:
      return OpKind::address_conversion;
    case Opcode::tex:
      return OpKind::texture;
    case Opcode::bra:
      return OpKind::branch;
    case Opcode::brx:
      return OpKind::branch_indexed;
    case Opcode::call:
      return OpKind::call;
    case Opcode::callx:
      return OpKind::call_indirect;
    case Opcode::ret:
      return OpKind::return_;
    case Opcode::exit:
      return OpKind::exit;
    case Opcode::trap:
      return OpKind::trap;
    case Opcode::bar:
      return OpKind::barrier;
    case Opcode::syscall:
      return OpKind::system_call;
    case Opcode::nanosleep:
      return OpKind::sleep;
    case Opcode::fence:
    case Opcode::prefetch:
    case Opcode::nop:
    case Opcode::barwarp:
      return OpKind::nothing;
    default:
      return OpKind::alu;
  }
}

bool is_constant(const Operand& o) {
  return o.kind == Operand::Kind::immediate || o.kind == Operand::Kind::immediate_wide ||
         o.kind == Operand::Kind::constant || o.kind == Operand::Kind::constant_wide;
}

}  // namespace

Code::Code(std::vector<isa::Instruction> instructions, std::vector<std::vector<std::uint32_t>> branch_tables,
           const std::vector<std::uint32_t>& functions)
    : instructions_(std::move(instructions)), branch_tables_(std::move(branch_tables)), ops_(instructions_.size()) {
  // Row 0 is zero in 64 bits: the base of addresses that have none.
  pool_.assign(2 * kWarpSize, 0);
  for (std::size_t pc = 0; pc < instructions_.size(); ++pc) decode(pc);
  for (const std::uint32_t function : functions) ops_.at(function).starts_function = true;
  rows_.clear();
}

bool Code::executes(const isa::Instruction& instruction) {
  return kind_of(instruction) != OpKind::alu || find_alu(instruction) != nullptr;
}

std::uint32_t Code::pool_row(const Operand& operand) {
  const auto word = static_cast<std::uint32_t>(pool_.size());
  const auto [known, is_new] = rows_.try_emplace({operand.kind, operand.index, operand.value}, word);
  if (!is_new) return known->second;
  const bool wide = operand.wide();
  pool_.resize(pool_.size() + 2 * kWarpSize, 0);  // rows stay 64-byte aligned
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if (wide) {
      std::memcpy(&pool_[word + 2 * lane], &operand.value, 8);
    } else {
      pool_[word + lane] = static_cast<std::uint32_t>(operand.value);
    }
  }
  if (operand.kind == Operand::Kind::constant || operand.kind == Operand::Kind::constant_wide) {
    bank_rows_.push_back({word, operand.index, wide});
  }
  return word;
}

void Code::decode(std::size_t pc) {
  const isa::Instruction& i = instructions_[pc];
  Op& op = ops_[pc];
  op.instruction = &i;
  op.kind = kind_of(i);
  op.meets = op.kind == OpKind::barrier;
  if (const int members = isa::member_mask(i); members >= 0 && i.src[static_cast<std::size_t>(members)].exists()) {
    op.meets = true;
    op.members = static_cast<std::uint8_t>(members);
  }
  if (i.guard.exists()) {
    op.guard = static_cast<std::uint8_t>(i.guard.predicate);
    op.guard_negated = i.guard.negated;
  }
  for (unsigned s = 0; s < i.src.size(); ++s) {
    const Operand& operand = i.src[s];
    const auto from_pool = [&] { op.pooled = static_cast<std::uint8_t>(op.pooled | 1u << s); };
    if (!operand.exists()) {
      from_pool();  // reads zero
      continue;
    }
    op.sources = static_cast<std::uint8_t>(s + 1);
    if (is_constant(operand)) {
      from_pool();
      op.src[s] = pool_row(operand);
    } else if (operand.kind == Operand::Kind::predicate) {
      op.has_predicates = true;
      from_pool();
    } else {
      op.src[s] = operand.index * kWarpSize;
      if (operand.wide()) op.wide_sources = static_cast<std::uint8_t>(op.wide_sources | 1u << s);
    }
  }
  for (std::size_t d = 0; d < i.dst.size(); ++d) {
    const Operand& operand = i.dst[d];
    if (!operand.exists()) continue;
    op.destinations = static_cast<std::uint8_t>(d + 1);
    if (operand.kind == Operand::Kind::predicate) {
      op.has_predicates = true;
    } else {
      op.dst[d] = static_cast<std::uint16_t>(operand.index * kWarpSize);
      if (operand.wide()) op.wide_destinations = static_cast<std::uint8_t>(op.wide_destinations | 1u << d);
    }
  }
  if (op.destinations > 1) op.has_predicates = true;  // the general path: some destinations may be absent
  if (op.kind == OpKind::alu) {
    op.alu = find_alu(i);
    HEDDLE_CHECK(op.alu != nullptr, fmt::format("PTX line {}: the machine has no '{}'", i.line, isa::disassemble(i)));
  }
}

std::vector<std::uint32_t> Code::make_pool(std::span<const std::uint8_t> bank) const {
  std::vector<std::uint32_t> pool = pool_;
  for (const BankRow& row : bank_rows_) {
    const std::size_t bytes = row.wide ? 8 : 4;
    HEDDLE_CHECK(row.offset + bytes <= bank.size(), "an instruction reads past the constant bank");
    std::uint64_t value = 0;
    std::memcpy(&value, bank.data() + row.offset, bytes);
    for (unsigned lane = 0; lane < kWarpSize; ++lane) std::memcpy(&pool[row.word + lane * bytes / 4], &value, bytes);
  }
  return pool;
}

}  // namespace heddle::exec
