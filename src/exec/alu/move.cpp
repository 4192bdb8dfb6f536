// mov, and the moves that pack narrow registers into a wide one or take a wide one apart.
#include "exec/alu/families.h"
#include "exec/alu/number.h"
#include "exec/alu/select_type.h"

namespace heddle::exec {
namespace {

using isa::Opcode;

struct Same {
  template <class T>
  T operator()(T a) const {
    return a;
  }
};

/// A mov between registers of different width: the type says how many bits count and how they extend.
void move_across_widths(const AluArguments& arguments, const isa::Instruction& instruction) {
  convert_row(arguments, instruction,
              [&instruction](std::uint64_t bits) { return extend_register(bits, instruction.type); });
}

AluFunction find_mov(const isa::Instruction& instruction) {
  if (!instruction.src[0].exists() || isa::size_of(instruction.type) == 0) {
    return nullptr;
  }
  const auto bind = [&]<class T>() -> AluFunction {
    const AluFunction same_width = bind_unary<Same, T, T>(instruction);
    return same_width != nullptr ? same_width : &move_across_widths;
  };
  const AluFunction integer = with_any_integer(instruction.type, bind);
  return integer != nullptr ? integer : with_bits(instruction.type, bind);
}

void pack(const AluArguments& arguments, const isa::Instruction& instruction) {
  const unsigned parts = instruction.vector;
  const unsigned bits = 8 * isa::size_of(instruction.type) / parts;
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  alignas(64) std::uint64_t row[kWarpSize] = {};
  for (unsigned part = 0; part < parts; ++part) {
    const auto* source = source_row<std::uint32_t>(arguments, part);
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      row[lane] |= (source[lane] & mask) << (part * bits);
    }
  }
  if (instruction.dst[0].wide()) {
    write_row<std::uint64_t, false>(arguments.dst[0], arguments.active, [&row](unsigned lane) { return row[lane]; });
  } else {
    write_row<std::uint32_t, false>(arguments.dst[0], arguments.active,
                                    [&row](unsigned lane) { return static_cast<std::uint32_t>(row[lane]); });
  }
}

void unpack(const AluArguments& arguments, const isa::Instruction& instruction) {
  const unsigned parts = instruction.vector;
  const unsigned bits = 8 * isa::size_of(instruction.type) / parts;
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  alignas(64) std::uint64_t row[kWarpSize];  // a destination may be the source
  load_row(arguments, instruction, 0, row);
  for (unsigned part = 0; part < parts; ++part) {
    write_row<std::uint32_t, false>(arguments.dst[part], arguments.active, [&](unsigned lane) {
      return static_cast<std::uint32_t>((row[lane] >> (part * bits)) & mask);
    });
  }
}

/// Parts are registers of 32 bits, so a part may have no more.
bool parts_fit(const isa::Instruction& instruction, bool packing) {
  const unsigned size = isa::size_of(instruction.type);
  const unsigned parts = instruction.vector;
  if ((parts != 2 && parts != 4) || size < parts || size / parts > 4) {
    return false;
  }
  for (unsigned part = 0; part < parts; ++part) {
    const isa::Operand& operand = packing ? instruction.src[part] : instruction.dst[part];
    if (!operand_fits(operand, false) || (packing && !operand.exists())) {
      return false;
    }
  }
  return operand_fits(packing ? instruction.dst[0] : instruction.src[0], size == 8);
}

}  // namespace

AluFunction find_move(const isa::Instruction& instruction) {
  switch (instruction.op) {
    case Opcode::mov:
      return find_mov(instruction);
    case Opcode::pack:
      return parts_fit(instruction, true) ? &pack : nullptr;
    case Opcode::unpack:
      return parts_fit(instruction, false) ? &unpack : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace heddle::exec
