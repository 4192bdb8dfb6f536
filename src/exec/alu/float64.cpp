// Double precision, rounded to nearest. Directed rounding is in directed.cpp, approximations are in approx.cpp.
//
// NaNs: an invalid operation gives 0xfff8000000000000 and a NaN operand comes back quieted, with its sign and payload,
// from absolute value and negation too. Quotients and roots have the same specials as the host's.
#include <cmath>

#include "exec/alu/families.h"
#include "exec/alu/float_bits.h"
#include "exec/alu/select_type.h"

namespace heddle::exec {
namespace {

using isa::Opcode;

struct Add {
  double operator()(double a, double b) const { return with_nan_of(a + b, a, b); }
};
struct Subtract {
  double operator()(double a, double b) const { return with_nan_of(a - b, a, b); }
};
struct Multiply {
  double operator()(double a, double b) const { return with_nan_of(a * b, a, b); }
};
struct FusedMultiplyAdd {
  double operator()(double a, double b, double c) const { return with_nan_of(std::fma(a, b, c), a, b, c); }
};
struct Divide {
  double operator()(double a, double b) const { return a / b; }
};
struct Reciprocal {
  double operator()(double a) const { return 1.0 / a; }
};
struct SquareRoot {
  double operator()(double a) const { return a < 0.0 ? double_of(kDoubleNan) : std::sqrt(a); }
};
// These two are sums on the machine: the sign of a NaN stays.
struct Absolute {
  double operator()(double a) const { return with_nan_of(double_of(bits_of(a) & 0x7fffffffffffffffu), a); }
};
struct Negate {
  double operator()(double a) const { return with_nan_of(double_of(bits_of(a) ^ 0x8000000000000000u), a); }
};
template <bool Max>
struct Extremum {
  double operator()(double a, double b) const {
    const bool first = Max ? order(a) > order(b) : order(a) < order(b);
    const double number = is_nan(a) ? b : is_nan(b) || first ? a : b;
    return with_nan_of(number, number);
  }
};
struct CopySign {
  std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const {
    return (a & 0x8000000000000000u) | (b & 0x7fffffffffffffffu);
  }
};

template <class Op>
AluFunction one(const isa::Instruction& i) {
  return bind_unary<Op, double, double>(i);
}
template <class Op>
AluFunction two(const isa::Instruction& i) {
  return bind_binary<Op, double, double, double>(i);
}

}  // namespace

AluFunction find_float64(const isa::Instruction& i) {
  using U = std::uint64_t;
  if (i.saturate || i.ftz || i.nan) {
    return nullptr;
  }
  switch (i.op) {
    case Opcode::fadd:
      return two<Add>(i);
    case Opcode::fsub:
      return two<Subtract>(i);
    case Opcode::fmul:
      return two<Multiply>(i);
    case Opcode::ffma:
      return bind_ternary<FusedMultiplyAdd, double, double, double, double>(i);
    case Opcode::fdiv:
      return two<Divide>(i);
    case Opcode::frcp:
      return one<Reciprocal>(i);
    case Opcode::fsqrt:
      return one<SquareRoot>(i);
    case Opcode::fabs:
      return one<Absolute>(i);
    case Opcode::fneg:
      return one<Negate>(i);
    case Opcode::fmin:
      return two<Extremum<false>>(i);
    case Opcode::fmax:
      return two<Extremum<true>>(i);
    case Opcode::copysign:
      return bind_binary<CopySign, U, U, U>(i);
    default:
      return nullptr;
  }
}

}  // namespace heddle::exec
