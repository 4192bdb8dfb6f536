// The special function unit: approximate reciprocals, roots, quotients, exponentials, logarithms and circular
// functions.
//
// Results lie within the error that the PTX manual states, not bit for bit on the hardware's: they are computed nearly
// exactly and rounded once. What is the hardware's own is how specials behave, and the range reduction of sin and cos:
// the operand is multiplied by 1/(2 pi) toward zero and cut to 2^-25 turns, so small angles give 0 and large ones,
// whose last bit is worth more than a turn, do too.
#include <cmath>

#include "exec/alu/elementary.h"
#include "exec/alu/families.h"
#include "exec/alu/float_bits.h"
#include "exec/alu/select_type.h"

namespace heddle::exec {
namespace {

using isa::Opcode;
using isa::Rounding;
using isa::Type;

[[nodiscard]] double nan_value() { return double_of(0x7ff8000000000000u); }

struct Reciprocal {
  static double apply(double a) { return 1.0 / a; }
};
struct SquareRoot {
  static double apply(double a) { return a < 0.0 ? nan_value() : std::sqrt(a); }
};
struct ReciprocalSquareRoot {
  static double apply(double a) { return a < 0.0 ? nan_value() : 1.0 / std::sqrt(a); }
};
struct Exponential {
  static double apply(double a) {
    const auto clamped = pick(std::fabs(a) < 900.0, bits_of(a), bits_of(std::copysign(900.0, a)));
    const double power = exp2_of(double_of(clamped));
    return double_of(pick(is_nan(a), bits_of(a), bits_of(power)));
  }
};
struct Logarithm {
  static double apply(double a) {
    if (is_nan(a) || a < 0.0) {
      return nan_value();
    }
    if (a == 0.0) {
      return -double_of(0x7ff0000000000000u);
    }
    return std::isinf(a) ? a : log2_of(a);
  }
};
struct HyperbolicTangent {
  static double apply(double a) {
    if (is_nan(a)) {
      return a;
    }
    return std::copysign(tanh_of(std::fabs(a)), a);
  }
};

[[nodiscard]] bool finite(double a) { return (bits_of(a) & 0x7fffffffffffffffu) < 0x7ff0000000000000u; }

constexpr int kTurnBits = 25;
constexpr std::uint32_t kQuadrant = 1u << (kTurnBits - 2);

/// |a| in units of 2^-25 turns, whole turns dropped.
[[nodiscard, gnu::always_inline]] inline std::uint32_t turns(double a) {
  const double exact = std::fabs(a) * 0x1.45f306p-3;  // 1/(2 pi) as the hardware has it, a float: 48 bits, exact
  const auto truncated = double_of(bits_of(exact) & ~((std::uint64_t{1} << 29) - 1));
  const double bounded = double_of(pick(truncated < 0x1p23, bits_of(truncated), std::uint64_t{0}));  // else an integer
  const double fraction = bounded - static_cast<std::int32_t>(bounded);
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(fraction * 0x1p25));
}

/// The sine of an angle in [0, 1/4] turn.
[[nodiscard, gnu::always_inline]] inline double sine_in_quadrant(std::uint32_t units) {
  constexpr double radians = 6.28318530717958647693 / (1u << kTurnBits);
  const auto angle = static_cast<std::int32_t>(pick(units <= kQuadrant / 2, units, kQuadrant - units));
  const double sine = sin_of(angle * radians);
  const double cosine = cos_of(angle * radians);
  return double_of(pick(units <= kQuadrant / 2, bits_of(sine), bits_of(cosine)));
}
/// The sine of any angle. Falling quadrants are mirrored by complement, so the last step before half a turn gives 0.
[[nodiscard, gnu::always_inline]] inline double sine_of_turns(std::uint32_t units) {
  const std::uint32_t half = units & (2 * kQuadrant - 1);
  const double value = sine_in_quadrant(pick(half < kQuadrant, half, 2 * kQuadrant - 1 - half));
  const std::uint64_t sign = std::uint64_t{units & (2 * kQuadrant)} << (63 - (kTurnBits - 1));
  return double_of(bits_of(value) ^ sign);
}
struct Sine {
  static double apply(double a) {
    const std::uint64_t value = bits_of(sine_of_turns(turns(a)));
    const std::uint64_t sign = bits_of(a) & 0x8000000000000000u;
    return double_of(pick(finite(a), value ^ sign, bits_of(nan_value())));
  }
};
struct Cosine {
  static double apply(double a) {
    const std::uint64_t value = bits_of(sine_of_turns((turns(a) + kQuadrant) & ((1u << kTurnBits) - 1)));
    return double_of(pick(finite(a), value, bits_of(nan_value())));
  }
};

template <class F, bool Ftz>
struct Single {
  float operator()(float a) const {
    return canonical(flush_if<Ftz>(static_cast<float>(F::apply(double{flush_if<Ftz>(a)}))));
  }
};
template <class F, bool Ftz>
struct OnHalf {
  template <class H>
  H operator()(H a) const {
    return flush_half<Ftz>(narrow<H>(F::apply(double{widen(flush_half<Ftz>(a))})));
  }
  Half2 operator()(Half2 a) const { return Half2{both<Half>(a.bits)}; }
  BFloat2 operator()(BFloat2 a) const { return BFloat2{both<BFloat>(a.bits)}; }
  template <class H>
  static std::uint32_t both(std::uint32_t bits) {
    const OnHalf self;
    const std::uint32_t high = self(H{static_cast<std::uint16_t>(bits >> 16)}).bits;
    return (high << 16) | self(H{static_cast<std::uint16_t>(bits)}).bits;
  }
};

/// a * (1/b): past 2^126 the reciprocal is subnormal and taken as zero. `Full` scales operands first and has no such
/// gap.
template <bool Ftz, bool Full>
struct Divide {
  float operator()(float a, float b) const {
    const float x = flush_if<Ftz>(a);
    const float y = flush_if<Ftz>(b);
    if (!Full && std::fabs(y) > 0x1p126f && std::isfinite(y)) {
      return canonical(x * std::copysign(0.0f, y));
    }
    return canonical(flush_if<Ftz>(x / y));
  }
};

/// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64: only the high words take part, 20 bits of mantissa in and out. A NaN
/// result has the high word of single precision's.
template <class F>
struct HighWord {
  double operator()(double a) const {
    const double operand = flush(double_of(bits_of(a) & 0xffffffff00000000u));
    const double result = flush(F::apply(operand));
    const std::uint64_t bits = bits_of(result);
    const std::uint64_t rounded = (bits + 0x80000000u) & 0xffffffff00000000u;
    return double_of(is_nan(result) ? 0x7fffffff00000000u : rounded);
  }
};

template <class F>
AluFunction find_single(const isa::Instruction& i) {
  return with_flag(i.ftz, [&]<bool Ftz>() { return bind_unary<Single<F, Ftz>, float, float>(i); });
}

/// Functions that exist in half precision too.
template <class F>
AluFunction find_any_width(const isa::Instruction& i) {
  return with_flag(i.ftz, [&]<bool Ftz>() -> AluFunction {
    switch (i.type) {
      case Type::f32:
        return bind_unary<Single<F, Ftz>, float, float>(i);
      case Type::f16:
        return bind_unary<OnHalf<F, Ftz>, Half, Half>(i);
      case Type::f16x2:
        return bind_unary<OnHalf<F, Ftz>, Half2, Half2>(i);
      case Type::bf16:
        return bind_unary<OnHalf<F, Ftz>, BFloat, BFloat>(i);
      case Type::bf16x2:
        return bind_unary<OnHalf<F, Ftz>, BFloat2, BFloat2>(i);
      default:
        return nullptr;
    }
  });
}

/// rsqrt.approx.f64 without .ftz refines that to full precision.
struct RefinedReciprocalSquareRoot {
  double operator()(double a) const {
    return is_nan(a) ? quieted(a) : a < 0.0 ? double_of(kDoubleNan) : ReciprocalSquareRoot::apply(a);
  }
};

AluFunction find_divide(const isa::Instruction& i) {
  return with_flag(i.ftz, [&]<bool Ftz>() {
    return with_flag(i.rounding == Rounding::full,
                     [&]<bool Full>() { return bind_binary<Divide<Ftz, Full>, float, float, float>(i); });
  });
}

}  // namespace

AluFunction find_approx(const isa::Instruction& i) {
  if (i.type == Type::f64) {
    if (i.op == Opcode::frsqrt) {
      return i.ftz ? bind_unary<HighWord<ReciprocalSquareRoot>, double, double>(i)
                   : bind_unary<RefinedReciprocalSquareRoot, double, double>(i);
    }
    return i.op == Opcode::frcp && i.ftz ? bind_unary<HighWord<Reciprocal>, double, double>(i) : nullptr;
  }
  if (i.op == Opcode::fex2) {
    return find_any_width<Exponential>(i);
  }
  if (i.op == Opcode::ftanh) {
    return find_any_width<HyperbolicTangent>(i);
  }
  if (i.type != Type::f32) {
    return nullptr;
  }
  switch (i.op) {
    case Opcode::fdiv:
      return find_divide(i);
    case Opcode::frcp:
      return find_single<Reciprocal>(i);
    case Opcode::fsqrt:
      return find_single<SquareRoot>(i);
    case Opcode::frsqrt:
      return find_single<ReciprocalSquareRoot>(i);
    case Opcode::fsin:
      return find_single<Sine>(i);
    case Opcode::fcos:
      return find_single<Cosine>(i);
    case Opcode::flg2:
      return find_single<Logarithm>(i);
    default:
      return nullptr;
  }
}

}  // namespace heddle::exec
