// Single precision: sums, products, fused multiply-add, extrema, signs, and correctly rounded division and roots to
// nearest. Directed rounding is in directed.cpp, products with .ftz are in flushing.cpp, approximations in approx.cpp.
#include <cmath>

#include "exec/alu/families.h"
#include "exec/alu/float_bits.h"
#include "exec/alu/select_type.h"

namespace heddle::exec {
namespace {

using isa::Opcode;

template <bool Ftz, bool Sat>
[[nodiscard]] float finish(float x) {
  const float flushed = flush_if<Ftz>(x);
  return Sat ? saturate(flushed) : canonical(flushed);
}

template <bool Ftz, bool Sat>
struct Add {
  float operator()(float a, float b) const { return finish<Ftz, Sat>(flush_if<Ftz>(a) + flush_if<Ftz>(b)); }
};
template <bool Ftz, bool Sat>
struct Subtract {
  float operator()(float a, float b) const { return finish<Ftz, Sat>(flush_if<Ftz>(a) - flush_if<Ftz>(b)); }
};
template <bool Sat>
struct Multiply {
  float operator()(float a, float b) const { return finish<false, Sat>(a * b); }
};
template <bool Sat>
struct FusedMultiplyAdd {
  float operator()(float a, float b, float c) const { return finish<false, Sat>(std::fma(a, b, c)); }
};
struct Divide {
  float operator()(float a, float b) const { return canonical(a / b); }
};
template <bool Ftz>
struct Reciprocal {
  float operator()(float a) const { return finish<Ftz, false>(1.0f / flush_if<Ftz>(a)); }
};
template <bool Ftz>
struct SquareRoot {
  float operator()(float a) const { return finish<Ftz, false>(std::sqrt(flush_if<Ftz>(a))); }
};
template <bool Ftz>
struct Absolute {
  float operator()(float a) const { return canonical(float_of(bits_of(flush_if<Ftz>(a)) & 0x7fffffffu)); }
};
template <bool Ftz>
struct Negate {
  float operator()(float a) const { return canonical(float_of(bits_of(flush_if<Ftz>(a)) ^ 0x80000000u)); }
};

/// `Max` picks the larger. One NaN gives the other operand, or NaN with `Nan`; two give NaN.
template <bool Max, bool Ftz, bool Nan>
struct Extremum {
  float operator()(float x, float y) const {
    const float a = flush_if<Ftz>(x);
    const float b = flush_if<Ftz>(y);
    const bool first = Max ? order(a) > order(b) : order(a) < order(b);
    const std::uint32_t picked = first ? bits_of(a) : bits_of(b);
    if constexpr (Nan) {
      return float_of(pick(is_nan(a), kFloatNan, pick(is_nan(b), kFloatNan, picked)));
    } else {
      const std::uint32_t other = pick(is_nan(b), kFloatNan, bits_of(b));  // what a NaN in a leaves
      return float_of(pick(is_nan(a), other, pick(is_nan(b), bits_of(a), picked)));
    }
  }
};

struct CopySign {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return (a & 0x80000000u) | (b & 0x7fffffffu); }
};

template <template <bool, bool> class Op>
AluFunction find_two(const isa::Instruction& i) {
  return with_flag(i.ftz, [&]<bool Ftz>() {
    return with_flag(i.saturate, [&]<bool Sat>() { return bind_binary<Op<Ftz, Sat>, float, float, float>(i); });
  });
}
template <template <bool> class Op>
AluFunction find_one(const isa::Instruction& i) {
  return with_flag(i.ftz, [&]<bool Ftz>() { return bind_unary<Op<Ftz>, float, float>(i); });
}
template <bool Max>
AluFunction find_extremum(const isa::Instruction& i) {
  return with_flag(i.ftz, [&]<bool Ftz>() {
    return with_flag(i.nan, [&]<bool Nan>() { return bind_binary<Extremum<Max, Ftz, Nan>, float, float, float>(i); });
  });
}

}  // namespace

AluFunction find_float32(const isa::Instruction& i) {
  using U = std::uint32_t;
  if (i.ftz && (i.op == Opcode::fmul || i.op == Opcode::ffma || i.op == Opcode::fdiv)) {
    return find_flushing(i);
  }
  switch (i.op) {
    case Opcode::fadd:
      return find_two<Add>(i);
    case Opcode::fsub:
      return find_two<Subtract>(i);
    case Opcode::fmul:
      return with_flag(i.saturate, [&]<bool Sat>() { return bind_binary<Multiply<Sat>, float, float, float>(i); });
    case Opcode::ffma:
      return with_flag(i.saturate,
                       [&]<bool Sat>() { return bind_ternary<FusedMultiplyAdd<Sat>, float, float, float, float>(i); });
    case Opcode::fdiv:
      return bind_binary<Divide, float, float, float>(i);
    case Opcode::frcp:
      return find_one<Reciprocal>(i);
    case Opcode::fsqrt:
      return find_one<SquareRoot>(i);
    case Opcode::fabs:
      return find_one<Absolute>(i);
    case Opcode::fneg:
      return find_one<Negate>(i);
    case Opcode::fmin:
      return find_extremum<false>(i);
    case Opcode::fmax:
      return find_extremum<true>(i);
    case Opcode::copysign:
      return bind_binary<CopySign, U, U, U>(i);
    default:
      return nullptr;
  }
}

}  // namespace heddle::exec
