// testp: the class of a floating-point value. Zeros count as normal.
#include "exec/alu/families.h"
#include "exec/alu/select_type.h"

namespace heddle::exec {
namespace {

using isa::Part;

template <class Bits, Part Class>
[[nodiscard]] bool belongs(Bits bits) {
  constexpr Bits infinity = sizeof(Bits) == 8 ? static_cast<Bits>(0x7ff0000000000000u) : static_cast<Bits>(0x7f800000u);
  constexpr Bits least_normal = infinity & (~infinity + 1);
  const Bits magnitude = bits & static_cast<Bits>(static_cast<Bits>(~Bits{0}) >> 1);
  switch (Class) {
    case Part::finite:
      return magnitude < infinity;
    case Part::infinite:
      return magnitude == infinity;
    case Part::number:
      return magnitude <= infinity;
    case Part::notanumber:
      return magnitude > infinity;
    case Part::normal:
      return magnitude == 0 || (magnitude >= least_normal && magnitude < infinity);
    default:
      return magnitude != 0 && magnitude < least_normal;
  }
}

template <class Bits, Part Class>
void test(const AluArguments& arguments, const isa::Instruction&) {
  const auto* a = source_row<Bits>(arguments, 0);
  write_mask(arguments.dst_predicate[0], arguments.active,
             gather_mask<Bits>([a](unsigned lane) { return belongs<Bits, Class>(a[lane]); }));
}

template <class Bits>
AluFunction find_of(const isa::Instruction& instruction) {
  if (!operand_fits(instruction.src[0], sizeof(Bits) == 8)) {
    return nullptr;
  }
  switch (instruction.part) {
    case Part::finite:
      return &test<Bits, Part::finite>;
    case Part::infinite:
      return &test<Bits, Part::infinite>;
    case Part::number:
      return &test<Bits, Part::number>;
    case Part::notanumber:
      return &test<Bits, Part::notanumber>;
    case Part::normal:
      return &test<Bits, Part::normal>;
    case Part::subnormal:
      return &test<Bits, Part::subnormal>;
    default:
      return nullptr;
  }
}

}  // namespace

AluFunction find_testp(const isa::Instruction& instruction) {
  switch (instruction.type) {
    case isa::Type::f32:
      return find_of<std::uint32_t>(instruction);
    case isa::Type::f64:
      return find_of<std::uint64_t>(instruction);
    default:
      return nullptr;
  }
}

}  // namespace heddle::exec
