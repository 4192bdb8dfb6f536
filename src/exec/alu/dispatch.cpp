// find_alu: from an instruction to its family.
#include "exec/alu/families.h"

namespace heddle::exec {
namespace {

using isa::Opcode;
using isa::Rounding;
using isa::Type;

AluFunction find_float(const isa::Instruction& instruction) {
  switch (instruction.rounding) {
    case Rounding::approx:
    case Rounding::full:
      return find_approx(instruction);
    case Rounding::rz:
    case Rounding::rm:
    case Rounding::rp:
      return instruction.type == Type::f32 || instruction.type == Type::f64 ? find_directed(instruction) : nullptr;
    case Rounding::none:
    case Rounding::rn:
      break;
    default:
      return nullptr;
  }
  switch (instruction.type) {
    case Type::f32:
      return find_float32(instruction);
    case Type::f64:
      return find_float64(instruction);
    case Type::f16:
    case Type::f16x2:
    case Type::bf16:
    case Type::bf16x2:
      return find_half(instruction);
    default:
      return nullptr;
  }
}

}  // namespace

AluFunction find_alu(const isa::Instruction& instruction) {
  switch (instruction.op) {
    case Opcode::iadd:
    case Opcode::isub:
    case Opcode::idiv:
    case Opcode::irem:
    case Opcode::imin:
    case Opcode::imax:
    case Opcode::iabs:
    case Opcode::ineg:
    case Opcode::isad:
      return find_integer(instruction);
    case Opcode::imul:
    case Opcode::imad:
    case Opcode::imul24:
    case Opcode::imad24:
    case Opcode::dp4a:
    case Opcode::dp2a:
      return find_product(instruction);
    case Opcode::iaddc:
    case Opcode::isubc:
    case Opcode::imadc:
      return find_carry(instruction);
    case Opcode::and_:
    case Opcode::or_:
    case Opcode::xor_:
    case Opcode::not_:
    case Opcode::cnot:
    case Opcode::lop3:
    case Opcode::shl:
    case Opcode::shr:
    case Opcode::shf_l:
    case Opcode::shf_r:
    case Opcode::clz:
    case Opcode::popc:
    case Opcode::brev:
      return find_bits(instruction);
    case Opcode::bfe:
    case Opcode::bfi:
    case Opcode::bfind:
    case Opcode::fns:
    case Opcode::prmt:
    case Opcode::bmsk:
    case Opcode::szext:
      return find_bit_field(instruction);
    case Opcode::fadd:
    case Opcode::fsub:
    case Opcode::fmul:
    case Opcode::ffma:
    case Opcode::fmin:
    case Opcode::fmax:
    case Opcode::fabs:
    case Opcode::fneg:
    case Opcode::copysign:
    case Opcode::fdiv:
    case Opcode::frcp:
    case Opcode::fsqrt:
      return find_float(instruction);
    case Opcode::frsqrt:
    case Opcode::fsin:
    case Opcode::fcos:
    case Opcode::fex2:
    case Opcode::flg2:
    case Opcode::ftanh:
      return find_approx(instruction);
    case Opcode::testp:
      return find_testp(instruction);
    case Opcode::mov:
    case Opcode::pack:
    case Opcode::unpack:
      return find_move(instruction);
    case Opcode::cvt:
    case Opcode::cvt_pack:
      return find_convert(instruction);
    case Opcode::selp:
    case Opcode::slct:
      return find_select(instruction);
    case Opcode::setp:
    case Opcode::set:
      return find_compare(instruction);
    case Opcode::plogic:
      return find_predicate(instruction);
    case Opcode::shfl:
    case Opcode::vote:
    case Opcode::match:
    case Opcode::redux:
    case Opcode::activemask:
    case Opcode::elect:
      return find_warp(instruction);
    default:
      return nullptr;
  }
}

}  // namespace heddle::exec
