// setp and set: comparisons to predicates and to registers, optionally combined with a predicate.
//
// Ordered comparisons (eq, lt...) are false when an operand is NaN, unordered ones (equ, ltu...) true.
#include "exec/alu/families.h"
#include "exec/alu/float_bits.h"
#include "exec/alu/select_type.h"

namespace heddle::exec {
namespace {

using isa::Compare;
using isa::Instruction;
using isa::Logic;
using isa::Opcode;
using isa::Type;

template <Compare C, class T>
[[nodiscard]] inline bool holds(T a, T b) {
  // Each as one comparison or its complement, which vectorises; |, & and ! on results do too.
  switch (C) {
    case Compare::eq:
      return a == b;
    case Compare::ne:
      if constexpr (std::is_floating_point_v<T>) {
        return (a < b) | (a > b);
      }
      return a != b;
    case Compare::lt:
    case Compare::lo:
      return a < b;
    case Compare::le:
    case Compare::ls:
      return a <= b;
    case Compare::gt:
    case Compare::hi:
      return a > b;
    case Compare::ge:
    case Compare::hs:
      return a >= b;
    case Compare::equ:
      return !((a < b) | (a > b));
    case Compare::neu:
      return !(a == b);
    case Compare::ltu:
      return !(a >= b);
    case Compare::leu:
      return !(a > b);
    case Compare::gtu:
      return !(a <= b);
    case Compare::geu:
      return !(a < b);
    case Compare::num:
      return (a == a) & (b == b);
    default:
      return (a != a) | (b != b);
  }
}

[[nodiscard]] LaneMask combine(LaneMask compared, LaneMask other, Logic logic) {
  switch (logic) {
    case Logic::and_:
      return compared & other;
    case Logic::or_:
      return compared | other;
    case Logic::xor_:
      return compared ^ other;
    default:
      return compared;
  }
}

/// What `set` writes for true: 1.0 in floating-point types, all bits of integer types. Packed types have two lanes
/// each.
[[nodiscard]] std::uint32_t truth(Type type) {
  switch (type) {
    case Type::f32:
      return 0x3f800000u;
    case Type::f16:
    case Type::f16x2:
      return 0x3c00u;
    case Type::bf16:
    case Type::bf16x2:
      return 0x3f80u;
    case Type::u16:
    case Type::b16:
      return 0xffffu;
    default:
      return 0xffffffffu;
  }
}

[[gnu::noinline]] void finish_with_logic(const AluArguments& arguments, const Instruction& instruction, LaneMask mask) {
  const LaneMask other = instruction.src[2].exists() ? arguments.src_predicate[2] : 0;
  const LaneMask result = combine(mask, other, instruction.logic);
  if (instruction.op == Opcode::setp) {
    write_mask(arguments.dst_predicate[0], arguments.active, result);
    write_mask(arguments.dst_predicate[1], arguments.active, combine(~mask, other, instruction.logic));
    return;
  }
  const std::uint32_t yes = truth(instruction.type);
  write_row<std::uint32_t, false>(arguments.dst[0], arguments.active,
                                  [result, yes](unsigned lane) { return lane_in(result, lane) ? yes : 0; });
}

inline void finish(const AluArguments& arguments, const Instruction& instruction, LaneMask mask) {
  if (instruction.op == Opcode::setp && instruction.logic == Logic::none && arguments.dst_predicate[1] == nullptr) {
    write_mask(arguments.dst_predicate[0], arguments.active, mask);
  } else {
    finish_with_logic(arguments, instruction, mask);
  }
}

template <class T, Compare C, bool Ftz>
void compare_rows(const AluArguments& arguments, const Instruction& instruction) {
  const auto* a = source_row<T>(arguments, 0);
  const auto* b = source_row<T>(arguments, 1);
  finish(arguments, instruction, gather_mask<T>([a, b](unsigned lane) {
           const T x = from_cell<T>(a[lane]);
           const T y = from_cell<T>(b[lane]);
           if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat>) {
             return holds<C>(widen(flush_half<Ftz>(x)), widen(flush_half<Ftz>(y)));
           } else if constexpr (Ftz) {
             return holds<C>(flush(x), flush(y));
           } else {
             return holds<C>(x, y);
           }
         }));
}

/// Packed halves: setp has a predicate for each, set a half register for each.
template <class P, Compare C, bool Ftz>
void compare_packed(const AluArguments& arguments, const Instruction& instruction) {
  using H = typename P::Element;
  const auto* a = source_row<P>(arguments, 0);
  const auto* b = source_row<P>(arguments, 1);
  LaneMask masks[2];
  for (unsigned half = 0; half < 2; ++half) {
    masks[half] = gather_mask<std::uint32_t>([a, b, half](unsigned lane) {
      const H x{static_cast<std::uint16_t>(a[lane] >> (16 * half))};
      const H y{static_cast<std::uint16_t>(b[lane] >> (16 * half))};
      return holds<C>(widen(flush_half<Ftz>(x)), widen(flush_half<Ftz>(y)));
    });
    const LaneMask other = instruction.src[2].exists() ? arguments.src_predicate[2] : 0;
    masks[half] = combine(masks[half], other, instruction.logic);
  }
  if (instruction.op == Opcode::setp) {
    write_mask(arguments.dst_predicate[0], arguments.active, masks[0]);
    write_mask(arguments.dst_predicate[1], arguments.active, masks[1]);
    return;
  }
  const std::uint32_t yes = isa::is_float(instruction.type) ? truth(instruction.type) : 0xffffu;
  write_row<std::uint32_t, false>(arguments.dst[0], arguments.active, [&masks, yes](unsigned lane) {
    return (lane_in(masks[0], lane) ? yes : 0) | (lane_in(masks[1], lane) ? yes << 16 : 0);
  });
}

template <class T, Compare C, bool Ftz>
AluFunction handler() {
  if constexpr (std::is_same_v<T, Half2> || std::is_same_v<T, BFloat2>) {
    return &compare_packed<T, C, Ftz>;
  } else {
    return &compare_rows<T, C, Ftz>;
  }
}

template <class T, bool Ftz>
AluFunction find_ordered(Compare compare) {
  switch (compare) {
    case Compare::eq:
      return handler<T, Compare::eq, Ftz>();
    case Compare::ne:
      return handler<T, Compare::ne, Ftz>();
    case Compare::lt:
    case Compare::lo:
      return handler<T, Compare::lt, Ftz>();
    case Compare::le:
    case Compare::ls:
      return handler<T, Compare::le, Ftz>();
    case Compare::gt:
    case Compare::hi:
      return handler<T, Compare::gt, Ftz>();
    case Compare::ge:
    case Compare::hs:
      return handler<T, Compare::ge, Ftz>();
    default:
      return nullptr;
  }
}

template <class T, bool Ftz>
AluFunction find_float(Compare compare) {
  switch (compare) {
    case Compare::equ:
      return handler<T, Compare::equ, Ftz>();
    case Compare::neu:
      return handler<T, Compare::neu, Ftz>();
    case Compare::ltu:
      return handler<T, Compare::ltu, Ftz>();
    case Compare::leu:
      return handler<T, Compare::leu, Ftz>();
    case Compare::gtu:
      return handler<T, Compare::gtu, Ftz>();
    case Compare::geu:
      return handler<T, Compare::geu, Ftz>();
    case Compare::num:
      return handler<T, Compare::num, Ftz>();
    case Compare::nan:
      return handler<T, Compare::nan, Ftz>();
    default:
      return find_ordered<T, Ftz>(compare);
  }
}

}  // namespace

AluFunction find_compare(const Instruction& instruction) {
  const Type compared = instruction.source_type != Type::none ? instruction.source_type : instruction.type;
  const bool wide = isa::size_of(compared) == 8;
  const bool destination_fits = instruction.op == Opcode::setp || operand_fits(instruction.dst[0], false);
  if (!instruction.src[0].exists() || !instruction.src[1].exists() || !operand_fits(instruction.src[0], wide) ||
      !operand_fits(instruction.src[1], wide) || !destination_fits) {
    return nullptr;
  }
  const auto with_ftz = [&]<class T>() {
    return with_flag(instruction.ftz, [&]<bool Ftz>() { return find_float<T, Ftz>(instruction.compare); });
  };
  switch (compared) {
    case Type::f32:
      return with_ftz.template operator()<float>();
    case Type::f16:
      return with_ftz.template operator()<Half>();
    case Type::bf16:
      return with_ftz.template operator()<BFloat>();
    case Type::f16x2:
      return with_ftz.template operator()<Half2>();
    case Type::bf16x2:
      return with_ftz.template operator()<BFloat2>();
    case Type::f64:
      return find_float<double, false>(instruction.compare);
    default:
      return with_integer(compared, [&]<class T>() { return find_ordered<T, false>(instruction.compare); });
  }
}

}  // namespace heddle::exec
