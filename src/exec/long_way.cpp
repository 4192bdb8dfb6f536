#include "exec/long_way.h"

#include <bit>
#include <cmath>

namespace heddle::exec {

namespace {

unsigned exponent(std::uint32_t bits) { return bits >> 23 & 0xff; }

/// The upper half of a double, without its sign, as the float that the code compares.
float upper_half(std::uint64_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits >> 32) & 0x7fffffffu);
}

bool lane_takes_it(const isa::Instruction& i, std::uint64_t a, std::uint64_t b) {
  switch (i.op) {
    case isa::Opcode::frcp:
      return inverts_long(static_cast<std::uint32_t>(a));
    case isa::Opcode::fsqrt:
      return takes_root_long(static_cast<std::uint32_t>(a));
    default:
      return i.type == isa::Type::f64 ? divides_long_double(a, b)
                                      : divides_long(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b));
  }
}

}  // namespace

bool has_long_way(const isa::Instruction& i) {
  if (i.rounding == isa::Rounding::approx || i.rounding == isa::Rounding::full) return false;
  if (i.op == isa::Opcode::fdiv) return i.type == isa::Type::f32 || i.type == isa::Type::f64;
  return (i.op == isa::Opcode::frcp || i.op == isa::Opcode::fsqrt) && i.type == isa::Type::f32;
}

bool takes_long_way(const Interpreter& interpreter, const Op& op, const Warp& slot) {
  const isa::Instruction& i = *op.instruction;
  const unsigned bytes = i.type == isa::Type::f64 ? 8 : 4;
  const auto takes_it = [&](const Warp& warp, LaneMask lanes) {
    for (LaneMask left = Interpreter::guarded(op, warp, lanes); left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      const std::uint64_t a = interpreter.source_value(op, warp, 0, lane, bytes);
      const std::uint64_t b = i.op == isa::Opcode::fdiv ? interpreter.source_value(op, warp, 1, lane, bytes) : 0;
      if (lane_takes_it(i, a, b)) return true;
    }
    return false;
  };
  if (slot.parts.empty()) return takes_it(slot, slot.path.mask);
  for (const SlotPart& part : slot.parts) {
    if (takes_it(*part.warp, part.lanes)) return true;
  }
  return false;
}

bool divides_long(std::uint32_t dividend, std::uint32_t divisor) {
  const int a = static_cast<int>(exponent(dividend));
  const int b = static_cast<int>(exponent(divisor));
  // The remainder has bits 47 places below the dividend's first, none of which may be lost below 2^-149; a zero with a
  // sign would lose it. The inverse of the divisor and the quotient must be normal.
  return a < 25 || a == 255 || b == 0 || b >= 253 || a - b >= 126 || a - b <= -125;
}

bool divides_long_double(std::uint64_t dividend, std::uint64_t divisor) {
  const double quotient = std::bit_cast<double>(dividend) / std::bit_cast<double>(divisor);
  const bool dividend_is_large = !(upper_half(dividend) < 6.5827683646048100446e-37f);
  const bool quotient_is_normal = upper_half(std::bit_cast<std::uint64_t>(quotient)) > 1.469367938527859385e-39f;
  return !(dividend_is_large && quotient_is_normal) || !std::isfinite(quotient);
}

bool inverts_long(std::uint32_t value) { return ((value + 0x1800000u) & 0x7f800000u) <= 0x1ffffffu; }

bool takes_root_long(std::uint32_t value) { return value - 0xd000000u > 0x727fffffu; }

}  // namespace heddle::exec
