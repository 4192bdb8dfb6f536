// A function on its way from PTX to machine code: basic blocks of machine instructions over virtual registers.
//
// Passes (one file each) transform it in place, in the order written in compile.cpp. Until finalize(), a branch's
// `target` is a block number and a brx's `target` a branch table number.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/instruction.h"

namespace heddle::compile {

enum class RegisterClass : std::uint8_t { gpr, pair, predicate };

inline constexpr std::uint32_t kNoBlock = 0xffffffffu;

struct Block {
  std::vector<isa::Instruction> code;
  std::vector<std::uint32_t> successors;  ///< in order: branch target(s) first, then fall-through
  std::vector<std::uint32_t> predecessors;
};

/// Marks (in Instruction::immediate) a local-memory offset or stack adjustment that counts from the end of the frame,
/// whose size is known only after register allocation.
inline constexpr std::uint8_t kFromFrameEnd = 1;
[[nodiscard]] inline bool counts_from_frame_end(const isa::Instruction& i) {
  const bool can = i.op == isa::Opcode::ld || i.op == isa::Opcode::st || i.op == isa::Opcode::mov ||
                   i.op == isa::Opcode::iadd || i.op == isa::Opcode::isub;
  return can && i.immediate == kFromFrameEnd;
}

struct MachineFunction {
  std::string name;
  bool is_entry = false;
  std::vector<RegisterClass> registers;                   ///< of the virtual registers
  std::vector<Block> blocks;                              ///< blocks[0] is the entry; the order is the program's
  std::vector<std::vector<std::uint32_t>> branch_tables;  ///< block numbers
  std::uint32_t stack_pointer = isa::kNoRegister;         ///< virtual register pinned to kStackRegister; functions only
  std::uint64_t frame_bytes = 0;                          ///< returns, parameters and locals; spills are added behind
  std::uint64_t spill_bytes = 0;
  std::uint64_t outgoing_bytes = 0;  ///< most bytes any call needs behind the frame
  bool makes_calls = false;
  unsigned register_limit = 255;
  unsigned free_registers = 18;  ///< see CompileOptions, likewise the next four
  unsigned latency_warps = 0;
  unsigned lane_registers = 2048;
  bool branching_divisions = false;
  unsigned banks = 0;
  bool apart_by_offset = false;  ///< accesses at different offsets of one address may change places

  [[nodiscard]] std::uint32_t new_register(RegisterClass c) {
    registers.push_back(c);
    return static_cast<std::uint32_t>(registers.size() - 1);
  }
  /// Takes `bytes` of the frame for a spilled or saved value and returns its offset.
  [[nodiscard]] std::uint64_t new_slot(std::uint64_t bytes) {
    const std::uint64_t offset = (frame_bytes + spill_bytes + bytes - 1) / bytes * bytes;
    spill_bytes = offset + bytes - frame_bytes;
    return offset;
  }
};

/// The physical register that holds the stack pointer in functions (and is free in kernels until they call).
inline constexpr std::uint32_t kStackRegister = 1;
inline constexpr unsigned kPredicateRegisters = 7;

[[nodiscard]] inline RegisterClass class_of(const isa::Operand& operand) {
  switch (operand.kind) {
    case isa::Operand::Kind::gpr_pair:
      return RegisterClass::pair;
    case isa::Operand::Kind::predicate:
      return RegisterClass::predicate;
    default:
      return RegisterClass::gpr;
  }
}

[[nodiscard]] inline isa::Operand register_operand(RegisterClass c, std::uint32_t index) {
  isa::Operand operand;
  operand.kind = c == RegisterClass::gpr    ? isa::Operand::Kind::gpr
                 : c == RegisterClass::pair ? isa::Operand::Kind::gpr_pair
                                            : isa::Operand::Kind::predicate;
  operand.index = index;
  return operand;
}

[[nodiscard]] inline isa::Operand immediate_operand(std::uint64_t value, bool wide) {
  isa::Operand operand;
  operand.kind = wide ? isa::Operand::Kind::immediate_wide : isa::Operand::Kind::immediate;
  operand.value = wide ? value : value & 0xffffffffu;
  return operand;
}

/// Calls f(register) for each register an instruction reads: sources, guard.
template <typename Function>
void for_each_use(const isa::Instruction& instruction, Function&& f) {
  for (const isa::Operand& operand : instruction.src) {
    if (operand.is_register()) f(operand.index);
  }
  if (instruction.guard.exists()) f(instruction.guard.predicate);
}

/// Calls f(register) for each register an instruction writes.
template <typename Function>
void for_each_definition(const isa::Instruction& instruction, Function&& f) {
  for (const isa::Operand& operand : instruction.dst) {
    if (operand.is_register()) f(operand.index);
  }
}

/// Whether a definition replaces the whole value in every lane that executes the block: a guarded one does not.
[[nodiscard]] inline bool is_partial(const isa::Instruction& instruction) { return instruction.guard.exists(); }

[[nodiscard]] inline bool ends_block(isa::Opcode op) {
  return op == isa::Opcode::bra || op == isa::Opcode::brx || op == isa::Opcode::ret || op == isa::Opcode::exit ||
         op == isa::Opcode::trap;
}

/// A division, reciprocal or root which hardware has a longer way for, for operands that are very large or small: the
/// instructions that it stands for have a branch.
[[nodiscard]] inline bool may_branch(const isa::Instruction& i) {
  if (i.rounding == isa::Rounding::approx || i.rounding == isa::Rounding::full) return false;
  switch (i.op) {
    case isa::Opcode::fdiv:
    case isa::Opcode::frcp:
    case isa::Opcode::fsqrt:
      return i.type == isa::Type::f32 || i.type == isa::Type::f64;
    case isa::Opcode::idiv:
    case isa::Opcode::irem:
      return i.type == isa::Type::s64 || i.type == isa::Type::u64;
    default:
      return false;
  }
}

}  // namespace heddle::compile
