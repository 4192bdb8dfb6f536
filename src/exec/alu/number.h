// Values apart from their representation, for conversions between any two types. Exact and general, not fast: the
// conversions that programs use all the time have loops of their own in convert.cpp.
#pragma once

#include <cstdint>

#include "exec/alu/lanes.h"

namespace heddle::exec {

struct Number {
  enum class Kind : std::uint8_t { finite, infinite, nan };
  Kind kind = Kind::finite;
  bool negative = false;
  int exponent = 0;               ///< finite: the value is +-significand * 2^exponent
  std::uint64_t significand = 0;  ///< nan: the mantissa, left-aligned in 64 bits
};

/// The value that the low bits of a register have in a type.
[[nodiscard]] Number number_of(std::uint64_t bits, isa::Type type);
/// The nearest representable value, as bits of a floating-point type. NaNs keep sign and leading payload, and are
/// quieted.
[[nodiscard]] std::uint64_t float_bits(const Number& number, isa::Type type, isa::Rounding mode);
/// The integral value by `mode`, saturated to an integer type. What a NaN becomes is the caller's affair.
[[nodiscard]] std::uint64_t integer_bits(const Number& number, isa::Type type, isa::Rounding mode);
/// A finite number rounded to an integral value; the sign of zero stays.
[[nodiscard]] Number round_to_integral(const Number& number, isa::Rounding mode);

/// The low bits that a type has, extended to 64 by the register convention: signed types with their sign.
[[nodiscard]] std::uint64_t extend_register(std::uint64_t bits, isa::Type type);

/// A source row of either width, zero-extended.
inline void load_row(const AluArguments& arguments, const isa::Instruction& instruction, unsigned position,
                     std::uint64_t* row) {
  const bool wide = instruction.src[position].wide();
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    row[lane] = wide ? static_cast<const std::uint64_t*>(arguments.src[position])[lane]
                     : static_cast<const std::uint32_t*>(arguments.src[position])[lane];
  }
}

/// Writes a row of 64-bit values to destination 0, of either width.
inline void store_row(const AluArguments& arguments, const isa::Instruction& instruction, const std::uint64_t* row) {
  if (instruction.dst[0].wide()) {
    write_row<std::uint64_t, false>(arguments.dst[0], arguments.active, [row](unsigned lane) { return row[lane]; });
  } else {
    write_row<std::uint32_t, false>(arguments.dst[0], arguments.active,
                                    [row](unsigned lane) { return static_cast<std::uint32_t>(row[lane]); });
  }
}

/// Applies `convert` (64 bits to 64 bits) to source 0, for registers of any width on either side.
template <class Convert>
void convert_row(const AluArguments& arguments, const isa::Instruction& instruction, Convert convert) {
  alignas(64) std::uint64_t row[kWarpSize];
  load_row(arguments, instruction, 0, row);
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    row[lane] = convert(row[lane]);
  }
  store_row(arguments, instruction, row);
}

}  // namespace heddle::exec
