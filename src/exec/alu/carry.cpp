// Extended-precision arithmetic: sums, differences and multiply-adds that read and write a carry.
//
// PTX keeps the carry in a condition-code register; here it is a predicate like any other. A difference is a sum with
// the complement, so its carry is set when there was no borrow: programs read it with addc after sub.cc.
#include "exec/alu/families.h"
#include "exec/alu/product.h"
#include "exec/alu/select_type.h"

namespace heddle::exec {
namespace {

using isa::Opcode;
using isa::Part;

template <class T>
struct WithCarry {
  T value;
  bool carry;
};

template <class T>
WithCarry<T> add(T a, T b, bool carry) {
  const T partial = static_cast<T>(a + b);
  const T sum = static_cast<T>(partial + (carry ? 1 : 0));
  return {sum, partial < a || sum < partial};
}
template <class T>
WithCarry<T> subtract(T a, T b, bool carry) {
  return add(a, static_cast<T>(~b), carry);
}

/// Runs `step(lane, carry in)` for all lanes and stores values and carries.
template <class T, class Step>
void run(const AluArguments& arguments, LaneMask carry_in, Step step) {
  alignas(64) T row[kWarpSize];
  LaneMask carries = 0;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    const WithCarry<T> result = step(lane, lane_in(carry_in, lane));
    row[lane] = result.value;
    carries |= LaneMask{result.carry} << lane;
  }
  if (arguments.dst[0] != nullptr) {
    blend_row(static_cast<T*>(arguments.dst[0]), row, arguments.active);
  }
  write_mask(arguments.dst_predicate[1], arguments.active, carries);
}

LaneMask carry_in(const AluArguments& arguments, const isa::Instruction& instruction, unsigned position,
                  LaneMask otherwise) {
  return instruction.src[position].exists() ? arguments.src_predicate[position] : otherwise;
}

template <class T, bool Difference>
void sum_handler(const AluArguments& arguments, const isa::Instruction& instruction) {
  const auto* a = source_row<T>(arguments, 0);
  const auto* b = source_row<T>(arguments, 1);
  run<T>(arguments, carry_in(arguments, instruction, 2, Difference ? kAllLanes : 0), [a, b](unsigned lane, bool carry) {
    return Difference ? subtract(a[lane], b[lane], carry) : add(a[lane], b[lane], carry);
  });
}

template <class T, bool High>
void product_handler(const AluArguments& arguments, const isa::Instruction& instruction) {
  using U = std::make_unsigned_t<T>;
  const auto* a = source_row<T>(arguments, 0);
  const auto* b = source_row<T>(arguments, 1);
  const auto* c = source_row<T>(arguments, 2);
  run<U>(arguments, carry_in(arguments, instruction, 3, 0), [a, b, c](unsigned lane, bool carry) {
    const T x = static_cast<T>(a[lane]);
    const T y = static_cast<T>(b[lane]);
    return add(static_cast<U>(High ? multiply_high(x, y) : multiply_low(x, y)), c[lane], carry);
  });
}

}  // namespace

AluFunction find_carry(const isa::Instruction& instruction) {
  if (isa::size_of(instruction.type) < 4) {
    return nullptr;
  }
  return with_integer(instruction.type, [&]<class T>() -> AluFunction {
    if constexpr (sizeof(T) >= 4) {
      using U = std::make_unsigned_t<T>;
      if (!operands_fit<U, U, U>(instruction)) {
        return nullptr;
      }
      switch (instruction.op) {
        case Opcode::iaddc:
          return &sum_handler<U, false>;
        case Opcode::isubc:
          return &sum_handler<U, true>;
        case Opcode::imadc:
          if (!operands_fit<U, U, U, U>(instruction)) {
            return nullptr;
          }
          return instruction.part == Part::hi ? &product_handler<T, true> : &product_handler<T, false>;
        default:
          return nullptr;
      }
    }
    return nullptr;
  });
}

}  // namespace heddle::exec
