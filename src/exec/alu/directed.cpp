// Sums, products, quotients and roots rounded toward zero, down or up (rz, rm, rp), in single and double precision.
//
// The host's own units do the rounding, in the mode set for one row. Compilers assume round-to-nearest and may move
// arithmetic across a change of mode; here every operand is read from and every result written to volatile storage
// between the two changes, which pins the arithmetic in between.
#include <cfenv>
#include <cmath>

#include "exec/alu/families.h"
#include "exec/alu/float_bits.h"
#include "exec/alu/flushing.h"
#include "exec/alu/select_type.h"

namespace heddle::exec {
namespace {

using isa::Opcode;
using isa::Rounding;

// Sums and products choose among NaN operands as float_bits.h says; absent operands are 1, which is no NaN.

struct Add {
  static constexpr bool kChoosesNan = true;
  template <class F>
  static F apply(F a, F b, F) {
    return a + b;
  }
};
struct Subtract {
  static constexpr bool kChoosesNan = true;
  template <class F>
  static F apply(F a, F b, F) {
    return a - b;
  }
};
struct Multiply {
  static constexpr bool kChoosesNan = true;
  template <class F>
  static F apply(F a, F b, F) {
    return a * b;
  }
  static double exact(float a, float b, float) { return exact_product(a, b); }
};
struct FusedMultiplyAdd {
  static constexpr bool kChoosesNan = true;
  template <class F>
  static F apply(F a, F b, F c) {
    return std::fma(a, b, c);
  }
  static double exact(float a, float b, float c) { return exact_fused(a, b, c); }
};
struct Divide {
  static constexpr bool kChoosesNan = false;
  template <class F>
  static F apply(F a, F b, F) {
    return a / b;
  }
  static double exact(float a, float b, float) { return near_quotient(a, b); }
};
struct Reciprocal {
  static constexpr bool kChoosesNan = false;
  template <class F>
  static F apply(F a, F, F) {
    return F{1} / a;
  }
};
struct SquareRoot {
  static constexpr bool kChoosesNan = false;
  template <class F>
  static F apply(F a, F, F) {
    return std::sqrt(a);
  }
};

[[nodiscard]] int host_mode(Rounding rounding) {
  switch (rounding) {
    case Rounding::rz:
      return FE_TOWARDZERO;
    case Rounding::rm:
      return FE_DOWNWARD;
    case Rounding::rp:
      return FE_UPWARD;
    default:
      return FE_TONEAREST;
  }
}

template <class Op, class F>
[[gnu::noinline]] void compute(int mode, const volatile F* a, const volatile F* b, const volatile F* c,
                               volatile F* out) {
  const int previous = std::fegetround();
  std::fesetround(mode);
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    const F x = a[lane];
    const F y = b[lane];
    const F z = c[lane];
    out[lane] = Op::apply(x, y, z);
  }
  std::fesetround(previous);
}

template <class F>
void load(const AluArguments& arguments, const isa::Instruction& instruction, unsigned position, volatile F* row) {
  const auto* source = instruction.src[position].exists() ? source_row<F>(arguments, position) : nullptr;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    const F value = source == nullptr ? F{1} : from_cell<F>(source[lane]);
    row[lane] = instruction.ftz ? flush(value) : value;
  }
}

template <class Op, class F>
void directed(const AluArguments& arguments, const isa::Instruction& instruction) {
  volatile F a[kWarpSize];
  volatile F b[kWarpSize];
  volatile F c[kWarpSize];
  volatile F out[kWarpSize];
  load(arguments, instruction, 0, a);
  load(arguments, instruction, 1, b);
  load(arguments, instruction, 2, c);
  compute<Op, F>(host_mode(instruction.rounding), a, b, c, out);
  const bool sat = instruction.saturate;
  const bool ftz = instruction.ftz;
  write_row<Cell<F>, true>(arguments.dst[0], arguments.active, [&](unsigned lane) {
    const F raw = out[lane];
    if constexpr (std::is_same_v<F, double>) {
      return bits_of(Op::kChoosesNan ? with_nan_of(raw, a[lane], b[lane], c[lane]) : raw);
    } else {
      F value = ftz ? flush(raw) : raw;
      if constexpr (requires { Op::exact(raw, raw, raw); }) {
        const bool suspect = ftz && (bits_of(raw) & 0x7fffffffu) == kLeastNormalBits;
        if (suspect && flushed_to_zero(Op::exact(a[lane], b[lane], c[lane]), instruction.rounding)) {
          value = std::copysign(0.0f, raw);
        }
      }
      return bits_of(sat ? saturate(value) : canonical(value));
    }
  });
}

template <class F>
AluFunction find_of(const isa::Instruction& i) {
  switch (i.op) {
    case Opcode::fadd:
      return operands_fit<F, F, F>(i) ? &directed<Add, F> : nullptr;
    case Opcode::fsub:
      return operands_fit<F, F, F>(i) ? &directed<Subtract, F> : nullptr;
    case Opcode::fmul:
      return operands_fit<F, F, F>(i) ? &directed<Multiply, F> : nullptr;
    case Opcode::ffma:
      return operands_fit<F, F, F, F>(i) ? &directed<FusedMultiplyAdd, F> : nullptr;
    case Opcode::fdiv:
      return operands_fit<F, F, F>(i) ? &directed<Divide, F> : nullptr;
    case Opcode::frcp:
      return operands_fit<F, F>(i) ? &directed<Reciprocal, F> : nullptr;
    case Opcode::fsqrt:
      return operands_fit<F, F>(i) ? &directed<SquareRoot, F> : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace

AluFunction find_directed(const isa::Instruction& instruction) {
  return instruction.type == isa::Type::f64 ? find_of<double>(instruction) : find_of<float>(instruction);
}

}  // namespace heddle::exec
