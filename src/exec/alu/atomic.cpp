// What an atomic leaves in memory.
//
// f32 sums flush subnormal operands and results in global memory and keep them in shared memory, as the PTX manual
// states and the recorded results show; f16 and bf16 sums keep them.
#include "exec/alu/float_bits.h"
#include "exec/alu/half.h"
#include "exec/alu/lanes.h"

#include "base/check.h"

namespace heddle::exec {
namespace {

using isa::Atomic;
using isa::Type;

template <class H>
[[nodiscard]] std::uint64_t add_half(std::uint64_t a, std::uint64_t b) {
  const H x{static_cast<std::uint16_t>(a)};
  const H y{static_cast<std::uint16_t>(b)};
  return narrow<H>(fused_to_odd(double{widen(x)}, 1.0, double{widen(y)})).bits;
}
template <class H>
[[nodiscard]] std::uint64_t add_halves(std::uint64_t a, std::uint64_t b) {
  return (add_half<H>(a >> 16, b >> 16) << 16) | add_half<H>(a, b);
}

[[nodiscard]] std::uint64_t add(Type type, bool in_memory, std::uint64_t a, std::uint64_t b) {
  switch (type) {
    case Type::f32: {
      const float x = from_cell<float>(a);
      const float y = from_cell<float>(b);
      return bits_of(canonical(in_memory ? flush(flush(x) + flush(y)) : x + y));
    }
    case Type::f64: {
      const double x = double_of(a);
      const double y = double_of(b);
      if (in_memory && (is_nan(x) || is_nan(y))) {
        return is_nan(y) ? b : a;  // memory passes NaNs on as they are
      }
      return bits_of(with_nan_of(y + x, y, x));
    }
    case Type::f16:
      return add_half<Half>(a, b);
    case Type::bf16:
      return add_half<BFloat>(a, b);
    case Type::f16x2:
      return add_halves<Half>(a, b);
    case Type::bf16x2:
      return add_halves<BFloat>(a, b);
    default:
      return a + b;
  }
}

template <class H>
[[nodiscard]] std::uint64_t pick_half(bool maximum, std::uint64_t a, std::uint64_t b) {
  const H x{static_cast<std::uint16_t>(a)};
  const H y{static_cast<std::uint16_t>(b)};
  if (is_nan(x) || is_nan(y)) {
    return is_nan(x) && is_nan(y) ? kHalfNan : is_nan(x) ? y.bits : x.bits;
  }
  const bool first = maximum ? order(widen(x)) > order(widen(y)) : order(widen(x)) < order(widen(y));
  return first ? x.bits : y.bits;
}
template <class H>
[[nodiscard]] std::uint64_t pick_halves(bool maximum, std::uint64_t a, std::uint64_t b) {
  return (pick_half<H>(maximum, a >> 16, b >> 16) << 16) | pick_half<H>(maximum, a, b);
}

template <class T>
[[nodiscard]] std::uint64_t pick_integer(bool maximum, std::uint64_t a, std::uint64_t b) {
  return (static_cast<T>(a) < static_cast<T>(b)) == maximum ? b : a;
}

[[nodiscard]] std::uint64_t pick(Type type, bool maximum, std::uint64_t a, std::uint64_t b) {
  switch (type) {
    case Type::f16:
      return pick_half<Half>(maximum, a, b);
    case Type::bf16:
      return pick_half<BFloat>(maximum, a, b);
    case Type::f16x2:
      return pick_halves<Half>(maximum, a, b);
    case Type::bf16x2:
      return pick_halves<BFloat>(maximum, a, b);
    case Type::s32:
      return pick_integer<std::int32_t>(maximum, a, b);
    case Type::s64:
      return pick_integer<std::int64_t>(maximum, a, b);
    default:
      return pick_integer<std::uint64_t>(maximum, a, b);
  }
}

[[nodiscard]] std::uint64_t leave(const isa::Instruction& i, std::uint64_t old, std::uint64_t b, std::uint64_t c) {
  switch (i.atomic) {
    case Atomic::add:
      return add(i.type, i.space != isa::Space::shared, old, b);
    case Atomic::min:
      return pick(i.type, false, old, b);
    case Atomic::max:
      return pick(i.type, true, old, b);
    case Atomic::inc:
      return old >= b ? 0 : old + 1;
    case Atomic::dec:
      return old == 0 || old > b ? b : old - 1;
    case Atomic::exch:
      return b;
    case Atomic::cas:
      return old == b ? c : old;
    case Atomic::and_:
      return old & b;
    case Atomic::or_:
      return old | b;
    case Atomic::xor_:
      return old ^ b;
    case Atomic::none:
      break;
  }
  HEDDLE_CHECK(false, "an atomic without an operation");
}

}  // namespace

std::uint64_t apply_atomic(const isa::Instruction& instruction, std::uint64_t old, std::uint64_t b, std::uint64_t c) {
  const unsigned width = 8 * isa::size_of(instruction.type);
  const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  return leave(instruction, old & mask, b & mask, c & mask) & mask;
}

}  // namespace heddle::exec
