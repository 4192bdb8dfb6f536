// When .ftz flushes a result: if it is below the least normal number after rounding to 24 bits as though exponents had
// no lower limit. A result that lands on the least normal number is therefore flushed or kept by what it was before,
// and only products, quotients and conversions can come from below: sums of floats there are exact.
#pragma once

#include <cmath>
#include <cstdint>

#include "exec/alu/half.h"
#include "isa/instruction.h"

namespace heddle::exec {

inline constexpr std::uint32_t kLeastNormalBits = 0x00800000u;

/// Whether the exact value, or the exact value rounded to odd, is flushed.
[[nodiscard]] inline bool flushed_to_zero(double exact, isa::Rounding mode) {
  const double magnitude = std::fabs(exact);
  const bool upward = (mode == isa::Rounding::rp && exact > 0.0) || (mode == isa::Rounding::rm && exact < 0.0);
  if (upward) {
    return magnitude <= 0x1p-126 * (1.0 - 0x1p-24);
  }
  const bool nearest = mode == isa::Rounding::rn || mode == isa::Rounding::none;
  return magnitude < (nearest ? 0x1p-126 * (1.0 - 0x1p-25) : 0x1p-126);
}

[[nodiscard]] inline double exact_product(float a, float b) { return double{a} * double{b}; }
[[nodiscard]] inline double exact_fused(float a, float b, float c) { return fused_to_odd(a, b, c); }
/// Not exact, but near enough: no quotient of floats lies within 2^-48 of a bound without being equal to it.
[[nodiscard]] inline double near_quotient(float a, float b) { return double{a} / double{b}; }

}  // namespace heddle::exec
