// Half precision, f16 and bf16, alone or two to a register: sums, products, fused multiply-add, extrema and signs.
//
// Every result is rounded once. A NaN result is 0x7fff in both formats.
#include "exec/alu/half.h"

#include "exec/alu/families.h"
#include "exec/alu/select_type.h"

namespace heddle::exec {
namespace {

using isa::Opcode;

enum class After : std::uint8_t { nothing, saturate, relu };

template <bool Ftz, After A, class H>
[[nodiscard, gnu::always_inline]] inline H finish(double value) {
  // Flushed is what is below the least normal number after rounding to 11 or 8 bits with exponents unlimited: less than
  // half a unit below it.
  constexpr double bound = std::is_same_v<H, Half> ? 0x1p-14 * (1.0 - 0x1p-12) : 0x1p-126 * (1.0 - 0x1p-9);
  const double kept = Ftz && std::fabs(value) < bound ? std::copysign(0.0, value) : value;
  const H x = narrow<H>(kept);
  if constexpr (A == After::saturate) {
    constexpr std::uint16_t one = std::is_same_v<H, Half> ? 0x3c00 : 0x3f80;
    const bool above = (x.bits & 0x8000u) == 0 && x.bits > one;
    const bool zero = is_nan(x) || (x.bits & 0x8000u) != 0;
    return H{zero ? std::uint16_t{0} : above ? one : x.bits};
  } else if constexpr (A == After::relu) {
    return H{is_nan(x) || (x.bits & 0x8000u) == 0 ? x.bits : std::uint16_t{0}};
  } else {
    return x;
  }
}

template <bool Ftz, After A>
struct Fused {
  template <class H>
  H operator()(H a, H b, H c) const {
    return finish<Ftz, A, H>(fused_to_odd(value(a), value(b), value(c)));
  }
  template <class H>
  static double value(H x) {
    return double{widen(flush_half<Ftz>(x))};
  }
};
template <bool Ftz, After A>
struct Add {
  template <class H>
  H operator()(H a, H b) const {
    using F = Fused<Ftz, A>;
    return finish<Ftz, A, H>(fused_to_odd(F::value(a), 1.0, F::value(b)));
  }
};
template <bool Ftz, After A>
struct Subtract {
  template <class H>
  H operator()(H a, H b) const {
    using F = Fused<Ftz, A>;
    return finish<Ftz, A, H>(fused_to_odd(F::value(a), 1.0, -F::value(b)));
  }
};
template <bool Ftz, After A>
struct Multiply {
  template <class H>
  H operator()(H a, H b) const {
    using F = Fused<Ftz, A>;
    return finish<Ftz, A, H>(F::value(a) * F::value(b));
  }
};

template <bool Ftz, After>
struct Absolute {
  template <class H>
  H operator()(H x) const {
    const H a = flush_half<Ftz>(x);
    return H{is_nan(a) ? kHalfNan : static_cast<std::uint16_t>(a.bits & 0x7fffu)};
  }
};
template <bool Ftz, After>
struct Negate {
  template <class H>
  H operator()(H x) const {
    const H a = flush_half<Ftz>(x);
    return H{is_nan(a) ? kHalfNan : static_cast<std::uint16_t>(a.bits ^ 0x8000u)};
  }
};
template <bool Max, bool Ftz, bool Nan>
struct Extremum {
  template <class H>
  H operator()(H x, H y) const {
    const H a = flush_half<Ftz>(x);
    const H b = flush_half<Ftz>(y);
    if (is_nan(a) || is_nan(b)) {
      return Nan || (is_nan(a) && is_nan(b)) ? H{kHalfNan} : is_nan(a) ? b : a;
    }
    return (Max ? order(a) > order(b) : order(a) < order(b)) ? a : b;
  }
  template <class H>
  static int order(H x) {
    return (x.bits & 0x8000u) != 0 ? -int{x.bits & 0x7fff} - 1 : int{x.bits};
  }
};

/// Op on both halves of a register.
template <class Op>
struct Both {
  template <class P>
  P operator()(P a) const {
    using H = typename P::Element;
    return join<P>(Op{}(low<H>(a.bits)), Op{}(high<H>(a.bits)));
  }
  template <class P>
  P operator()(P a, P b) const {
    using H = typename P::Element;
    return join<P>(Op{}(low<H>(a.bits), low<H>(b.bits)), Op{}(high<H>(a.bits), high<H>(b.bits)));
  }
  template <class P>
  P operator()(P a, P b, P c) const {
    using H = typename P::Element;
    return join<P>(Op{}(low<H>(a.bits), low<H>(b.bits), low<H>(c.bits)),
                   Op{}(high<H>(a.bits), high<H>(b.bits), high<H>(c.bits)));
  }
  template <class H>
  static H low(std::uint32_t bits) {
    return H{static_cast<std::uint16_t>(bits)};
  }
  template <class H>
  static H high(std::uint32_t bits) {
    return H{static_cast<std::uint16_t>(bits >> 16)};
  }
  template <class P, class H>
  static P join(H lower, H upper) {
    return P{(std::uint32_t{upper.bits} << 16) | lower.bits};
  }
};

/// The handler of Op, a function of one to three elements, for the instruction's type.
template <class Op>
AluFunction bind_of_type(const isa::Instruction& i) {
  const auto bind = [&]<class Element, class T, class F>() -> AluFunction {
    if constexpr (requires(Element x) { Op{}(x); }) {
      return bind_unary<F, T, T>(i);
    } else if constexpr (requires(Element x) { Op{}(x, x); }) {
      return bind_binary<F, T, T, T>(i);
    } else {
      return bind_ternary<F, T, T, T, T>(i);
    }
  };
  switch (i.type) {
    case isa::Type::f16:
      return bind.template operator()<Half, Half, Op>();
    case isa::Type::bf16:
      return bind.template operator()<BFloat, BFloat, Op>();
    case isa::Type::f16x2:
      return bind.template operator()<Half, Half2, Both<Op>>();
    case isa::Type::bf16x2:
      return bind.template operator()<BFloat, BFloat2, Both<Op>>();
    default:
      return nullptr;
  }
}

template <template <bool, After> class Op>
AluFunction find_arithmetic(const isa::Instruction& i) {
  return with_flag(i.ftz, [&]<bool Ftz>() -> AluFunction {
    if (i.saturate) {
      return i.relu ? nullptr : bind_of_type<Op<Ftz, After::saturate>>(i);
    }
    return i.relu ? bind_of_type<Op<Ftz, After::relu>>(i) : bind_of_type<Op<Ftz, After::nothing>>(i);
  });
}
template <template <bool, After> class Op>
AluFunction find_sign(const isa::Instruction& i) {
  return with_flag(i.ftz, [&]<bool Ftz>() { return bind_of_type<Op<Ftz, After::nothing>>(i); });
}
template <bool Max>
AluFunction find_extremum(const isa::Instruction& i) {
  return with_flag(i.ftz, [&]<bool Ftz>() {
    return with_flag(i.nan, [&]<bool Nan>() { return bind_of_type<Extremum<Max, Ftz, Nan>>(i); });
  });
}

}  // namespace

AluFunction find_half(const isa::Instruction& i) {
  switch (i.op) {
    case Opcode::fadd:
      return find_arithmetic<Add>(i);
    case Opcode::fsub:
      return find_arithmetic<Subtract>(i);
    case Opcode::fmul:
      return find_arithmetic<Multiply>(i);
    case Opcode::ffma:
      return find_arithmetic<Fused>(i);
    case Opcode::fabs:
      return find_sign<Absolute>(i);
    case Opcode::fneg:
      return find_sign<Negate>(i);
    case Opcode::fmin:
      return find_extremum<false>(i);
    case Opcode::fmax:
      return find_extremum<true>(i);
    default:
      return nullptr;
  }
}

}  // namespace heddle::exec
