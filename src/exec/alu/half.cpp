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

template <class Op, class H, class... Rows>
[[gnu::always_inline]] inline void compute_half(std::uint32_t* out, unsigned shift, const Rows*... rows) {
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    out[lane] = Op{}(H{static_cast<std::uint16_t>(rows[lane] >> shift)}...).bits;
  }
}

/// Op on both halves of registers, in a loop for each: one loop over pairs would not vectorise.
template <class Op, class H, unsigned Sources>
void packed(const AluArguments& arguments, const isa::Instruction&) {
  alignas(64) std::uint32_t halves[2][kWarpSize];
  const auto row = [&arguments](unsigned position) { return source_row<std::uint32_t>(arguments, position); };
  for (unsigned half = 0; half < 2; ++half) {
    if constexpr (Sources == 1) {
      compute_half<Op, H>(halves[half], 16 * half, row(0));
    } else if constexpr (Sources == 2) {
      compute_half<Op, H>(halves[half], 16 * half, row(0), row(1));
    } else {
      compute_half<Op, H>(halves[half], 16 * half, row(0), row(1), row(2));
    }
  }
  write_row<std::uint32_t, false>(arguments.dst[0], arguments.active,
                                  [&halves](unsigned lane) { return (halves[1][lane] << 16) | halves[0][lane]; });
}

/// The handler of Op, a function of one to three elements H, alone or on pairs of them.
template <class Op, class H>
AluFunction bind_element(const isa::Instruction& i, bool pairs) {
  using U = std::uint32_t;
  if constexpr (requires(H x) { Op{}(x); }) {
    return !pairs ? bind_unary<Op, H, H>(i) : operands_fit<U, U>(i) ? &packed<Op, H, 1> : nullptr;
  } else if constexpr (requires(H x) { Op{}(x, x); }) {
    return !pairs ? bind_binary<Op, H, H, H>(i) : operands_fit<U, U, U>(i) ? &packed<Op, H, 2> : nullptr;
  } else {
    return !pairs ? bind_ternary<Op, H, H, H, H>(i) : operands_fit<U, U, U, U>(i) ? &packed<Op, H, 3> : nullptr;
  }
}

template <class Op>
AluFunction bind_of_type(const isa::Instruction& i) {
  const bool pairs = isa::size_of(i.type) == 4;
  return i.type == isa::Type::f16 || i.type == isa::Type::f16x2 ? bind_element<Op, Half>(i, pairs)
                                                                : bind_element<Op, BFloat>(i, pairs);
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
