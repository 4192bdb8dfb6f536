#include "core/timed_code.h"

#include <algorithm>

#include "base/check.h"
#include "core/opcode_timing.h"
#include "exec/long_way.h"

namespace heddle::core {

void RegisterList::assign(const RegisterSet& named, const RegisterSet& written) {
  const auto add = [&](std::size_t r) {
    HEDDLE_CHECK(size_ < kMost, "an instruction names more registers than any can");
    all_[size_++] = static_cast<std::uint16_t>(r);
  };
  written.for_each(add);
  written_ = size_;
  named.for_each([&](std::size_t r) {
    if (!written.has(r)) add(r);
  });
}

namespace {

using isa::Operand;

template <typename Function>
void for_each_register(const Operand& operand, Function&& f) {
  if (operand.kind == Operand::Kind::gpr || operand.kind == Operand::Kind::gpr_pair) f(std::size_t{operand.index});
  if (operand.kind == Operand::Kind::gpr_pair) f(std::size_t{operand.index} + 1);
  if (operand.kind == Operand::Kind::predicate) f(kFirstPredicate + operand.index);
}

UnitKind unit_of(const isa::Instruction& i) {
  switch (isa::unit(i.op)) {
    case isa::Unit::integer:
      // Conversions to and from double, and comparisons of doubles, run where doubles do.
      return i.type == isa::Type::f64 || i.source_type == isa::Type::f64 ? UnitKind::dual : UnitKind::integer;
    case isa::Unit::floating:
      return i.type == isa::Type::f64 ? UnitKind::dual : UnitKind::single;
    case isa::Unit::special:
      return UnitKind::special;
    case isa::Unit::loadstore:
      return UnitKind::memory;
    case isa::Unit::control:
      return UnitKind::control;
  }
  return UnitKind::control;
}

}  // namespace

TimedCode::TimedCode(const exec::Code& code, const SmParameters& parameters) : ops_(code.size()) {
  const OpcodeTimings opcodes(parameters.opcodes.get());
  const OpcodeTimings long_ways(parameters.long_ways.get());
  for (std::uint32_t pc = 0; pc < code.size(); ++pc) {
    const isa::Instruction& i = code.instruction(pc);
    TimedOp& op = ops_[pc];
    op.unit = unit_of(i);
    op.waits_for_atomics = code.at(pc).kind == exec::OpKind::barrier;
    const exec::OpKind kind = code.at(pc).kind;
    const bool goes_to_lines =
        i.space != isa::Space::shared && i.space != isa::Space::param && i.space != isa::Space::constant;
    op.loads = (kind == exec::OpKind::load || kind == exec::OpKind::texture) && goes_to_lines;
    op.orders = kind == exec::OpKind::barrier || i.op == isa::Opcode::fence ||
                ((kind == exec::OpKind::store || kind == exec::OpKind::atomic || i.is_volatile) && goes_to_lines);
    for (const Operand& s : i.src) {
      op.reads_parameters |= s.kind == Operand::Kind::constant || s.kind == Operand::Kind::constant_wide;
      for_each_register(s, [&](std::size_t r) {
        op.touches.insert(r);
        // A register that is named twice is read once.
        const auto end = op.read_registers.begin() + op.reads;
        if (std::find(op.read_registers.begin(), end, r) != end) return;
        if (r < kFirstPredicate && op.reads < op.read_registers.size())
          op.read_registers[op.reads++] = static_cast<std::uint8_t>(r);
      });
    }
    for (const Operand& d : i.dst) {
      for_each_register(d, [&](std::size_t r) {
        op.touches.insert(r);
        op.writes.insert(r);
        if (r < kFirstPredicate) op.write_registers[op.written++] = static_cast<std::uint8_t>(r);
      });
    }
    if (i.guard.exists()) op.touches.insert(kFirstPredicate + i.guard.predicate);
    op.registers.assign(op.touches, op.writes);
    op.plain =
        kind == exec::OpKind::alu && !code.at(pc).meets && op.unit != UnitKind::memory && op.unit != UnitKind::control;
    const auto unit = [&](const UnitParameters& u) {
      op.latency = static_cast<std::uint16_t>(u.latency.get());
      op.interval = static_cast<std::uint16_t>(u.interval.get());
    };
    switch (op.unit) {
      case UnitKind::integer:
        unit(parameters.integer);
        break;
      case UnitKind::single:
        unit(parameters.single);
        break;
      case UnitKind::dual:
        unit(parameters.dual);
        break;
      case UnitKind::special:
        unit(parameters.special);
        break;
      default:
        continue;
    }
    const auto takes = [](TimedOp& timed, const OpcodeTimings::Cost& cost) {
      timed.latency = cost.latency;
      timed.interval = cost.interval;
      timed.instructions = cost.instructions;
    };
    if (const OpcodeTimings::Cost* cost = opcodes.find(i)) takes(op, *cost);
    if (!exec::has_long_way(i)) continue;
    if (const OpcodeTimings::Cost* cost = long_ways.find(i)) {
      op.has_long_way = true;
      op.plain = false;  // its operands are looked at
      takes(long_ways_.emplace(pc, op).first->second, *cost);
    }
  }
}

}  // namespace heddle::core
