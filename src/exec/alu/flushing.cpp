// Single-precision products and quotients to nearest with .ftz: the row is computed as always, and lanes that land on
// the least normal number, which is rare, are looked at again (flushing.h).
#include "exec/alu/flushing.h"

#include "exec/alu/families.h"
#include "exec/alu/float_bits.h"
#include "exec/alu/select_type.h"

namespace heddle::exec {
namespace {

struct Multiply {
  static constexpr unsigned kSources = 2;
  static float round(float a, float b, float) { return a * b; }
  static double exact(float a, float b, float) { return exact_product(a, b); }
};
struct FusedMultiplyAdd {
  static constexpr unsigned kSources = 3;
  static float round(float a, float b, float c) { return std::fma(a, b, c); }
  static double exact(float a, float b, float c) { return exact_fused(a, b, c); }
};
struct Divide {
  static constexpr unsigned kSources = 2;
  static float round(float a, float b, float) { return a / b; }
  static double exact(float a, float b, float) { return near_quotient(a, b); }
};

template <class Op, bool Sat>
void flushing(const AluArguments& arguments, const isa::Instruction&) {
  const auto* a = source_row<float>(arguments, 0);
  const auto* b = source_row<float>(arguments, 1);
  const auto* c = source_row<float>(arguments, Op::kSources - 1);
  const auto operand = [](const std::uint32_t* row, unsigned lane) { return flush(float_of(row[lane])); };
  alignas(64) std::uint32_t row[kWarpSize];
  std::uint32_t suspects = 0;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    const std::uint32_t bits = bits_of(Op::round(operand(a, lane), operand(b, lane), operand(c, lane)));
    row[lane] = bits;
    suspects |= (bits & 0x7fffffffu) == kLeastNormalBits ? 1u : 0u;
  }
  if (suspects != 0) [[unlikely]] {
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      const bool suspect = (row[lane] & 0x7fffffffu) == kLeastNormalBits;
      const double exact = Op::exact(operand(a, lane), operand(b, lane), operand(c, lane));
      row[lane] = suspect && flushed_to_zero(exact, isa::Rounding::rn) ? row[lane] & 0x80000000u : row[lane];
    }
  }
  write_row<std::uint32_t, false>(arguments.dst[0], arguments.active, [&row](unsigned lane) {
    const float value = flush(float_of(row[lane]));
    return bits_of(Sat ? saturate(value) : canonical(value));
  });
}

template <class Op>
AluFunction bind(const isa::Instruction& i) {
  const bool fit =
      Op::kSources == 3 ? operands_fit<float, float, float, float>(i) : operands_fit<float, float, float>(i);
  return !fit ? nullptr : i.saturate ? &flushing<Op, true> : &flushing<Op, false>;
}

}  // namespace

AluFunction find_flushing(const isa::Instruction& instruction) {
  switch (instruction.op) {
    case isa::Opcode::fmul:
      return bind<Multiply>(instruction);
    case isa::Opcode::ffma:
      return bind<FusedMultiplyAdd>(instruction);
    case isa::Opcode::fdiv:
      return instruction.saturate ? nullptr : bind<Divide>(instruction);
    default:
      return nullptr;
  }
}

}  // namespace heddle::exec
