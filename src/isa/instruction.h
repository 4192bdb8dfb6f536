// The machine instruction: what the compiler emits and the SM executes.
//
// The machine is a load/store SIMT machine with 32-bit general registers, 64-bit values in even-aligned register
// pairs, and one-bit predicate registers. It is not any vendor's encoding: an instruction is this struct. Before
// register allocation the same struct holds virtual register numbers.
//
// Values narrower than 32 bits live in a 32-bit register: consumers read only the low bits their type says; producers
// of signed narrow types sign-extend to the register, all others zero-extend.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/types.h"

namespace heddle::isa {

enum class Opcode : std::uint8_t {
#define HEDDLE_OPCODE(name, mnemonic, unit) name,
#include "isa/opcodes.def"
#undef HEDDLE_OPCODE
  count_,
};

/// The pipeline that executes an opcode. `floating` splits by type: f16/f32 and f64 have pipelines of their own.
enum class Unit : std::uint8_t { integer, floating, special, loadstore, control };

[[nodiscard]] std::string_view mnemonic(Opcode op);
[[nodiscard]] Unit unit(Opcode op);

// clang-format off
enum class Type : std::uint8_t {
  none, b8, b16, b32, b64, u8, u16, u32, u64, s8, s16, s32, s64,
  f16, f16x2, bf16, bf16x2, f32, f64, u16x2, s16x2, pred,
};
// clang-format on

[[nodiscard]] constexpr unsigned size_of(Type type) {
  switch (type) {
    case Type::none:
      return 0;
    case Type::pred:
    case Type::b8:
    case Type::u8:
    case Type::s8:
      return 1;
    case Type::b16:
    case Type::u16:
    case Type::s16:
    case Type::f16:
    case Type::bf16:
      return 2;
    case Type::b64:
    case Type::u64:
    case Type::s64:
    case Type::f64:
      return 8;
    default:
      return 4;
  }
}
[[nodiscard]] constexpr bool is_signed(Type type) {
  return type == Type::s8 || type == Type::s16 || type == Type::s32 || type == Type::s64 || type == Type::s16x2;
}
[[nodiscard]] constexpr bool is_float(Type type) {
  return type == Type::f16 || type == Type::f16x2 || type == Type::bf16 || type == Type::bf16x2 || type == Type::f32 ||
         type == Type::f64;
}
[[nodiscard]] std::string_view name_of(Type type);

/// Rounding: the first four to a float result, the `i` forms to an integral value; approx and full are SFU results.
enum class Rounding : std::uint8_t { none, rn, rz, rm, rp, rna, rni, rzi, rmi, rpi, approx, full };

// clang-format off
enum class Compare : std::uint8_t {
  none, eq, ne, lt, le, gt, ge, lo, ls, hi, hs, equ, neu, ltu, leu, gtu, geu, num, nan,
};
// clang-format on

/// How a predicate result is combined with a source predicate, or two predicates with each other.
enum class Logic : std::uint8_t { none, and_, or_, xor_, not_, mov };

enum class Space : std::uint8_t { generic, global, shared, local, constant, param };
enum class CacheOp : std::uint8_t { none, ca, cg, cs, lu, cv, wb, wt };
enum class Scope : std::uint8_t { none, cta, cluster, gpu, system };
enum class Atomic : std::uint8_t { none, add, min, max, inc, dec, exch, cas, and_, or_, xor_ };

/// A variant of the opcode; what each means stands with the opcode it belongs to.
// clang-format off
enum class Part : std::uint8_t {
  none,
  lo, hi, wide,                                     // products; dp2a: lo, hi
  wrap, clamp,                                      // shf, bmsk, szext
  shiftamt,                                         // bfind
  f4e, b4e, rc8, ecl, ecr, rc16,                    // prmt
  finite, infinite, number, notanumber, normal, subnormal,  // testp
  up, down, bfly, idx,                              // shfl
  all, any, uni, ballot,                            // vote; match: all, any
  sync, arrive, red_popc, red_and, red_or,          // bar
};
enum class SpecialRegister : std::uint8_t {
  tid_x, tid_y, tid_z, ntid_x, ntid_y, ntid_z, ctaid_x, ctaid_y, ctaid_z, nctaid_x, nctaid_y, nctaid_z,
  laneid, warpid, nwarpid, smid, nsmid, gridid,
  lanemask_eq, lanemask_le, lanemask_lt, lanemask_ge, lanemask_gt,
  clock, clock_hi, clock64, globaltimer, globaltimer_lo, globaltimer_hi,
  dynamic_smem_size, total_smem_size, workspace_high, workspace_low, zero,
};
enum class SystemCall : std::uint8_t { vprintf, malloc, free, assertfail };
// clang-format on
[[nodiscard]] std::string_view name_of(SpecialRegister reg);

using Register = std::uint16_t;
inline constexpr std::uint32_t kNoRegister = 0xffffffffu;

struct Operand {
  enum class Kind : std::uint8_t {
    none,            ///< absent; as a destination: the result is dropped
    gpr,             ///< 32-bit register
    gpr_pair,        ///< 64-bit register pair; index is the even one, which holds the low word
    predicate,       ///< index
    immediate,       ///< value, broadcast as 32-bit
    immediate_wide,  ///< value, broadcast as 64-bit
    constant,        ///< 32-bit at byte offset `index` of constant bank 0 (kernel parameters)
    constant_wide,   ///< 64-bit, likewise
  };
  Kind kind = Kind::none;
  bool negated = false;  ///< predicates only
  std::uint32_t index = 0;
  std::uint64_t value = 0;

  [[nodiscard]] bool is_register() const {
    return kind == Kind::gpr || kind == Kind::gpr_pair || kind == Kind::predicate;
  }
  /// 64-bit rather than 32-bit wide.
  [[nodiscard]] bool wide() const {
    return kind == Kind::gpr_pair || kind == Kind::immediate_wide || kind == Kind::constant_wide;
  }
  [[nodiscard]] bool exists() const { return kind != Kind::none; }
};

/// An instruction's condition: lanes where the predicate (or its negation) holds execute it.
struct Guard {
  std::uint32_t predicate = kNoRegister;
  bool negated = false;
  [[nodiscard]] bool exists() const { return predicate != kNoRegister; }
};

inline constexpr std::uint32_t kNoPc = 0xffffffffu;
inline constexpr std::uint32_t kInstructionBytes = 16;

/// Operand positions by opcode:
///   arithmetic: dst[0] = op(src[0], src[1], ...). setp: dst[0] (| dst[1]) = predicates; src[2] = combined predicate.
///   iaddc, isubc, imadc: dst[1] = carry out (predicate, maybe absent); last source = carry in (predicate, maybe
///   absent). selp: src[2] = predicate. plogic: predicates only. shfl: dst[1] = in-range predicate;
///     src = value, lane operand, clamp/mask operand, member mask. vote: src = predicate, member mask.
///   match: dst[1] = predicate of match.all. redux: src = value, member mask; `atomic` says the operation.
///   ld: dst[0..vector-1]; src[0] = address. st: src[0] = address, src[1..vector] = values.
///   atom, red: src[0] = address, src[1] = value (cas: comparand), src[2] = cas: new value.
///   bra: target. brx: src[0] = index; targets in the program's table `target`.
///   bar: src[0] = barrier, src[1] = thread count or absent, src[2] = predicate for reductions; dst[0] = result.
///   call: target. callx: src[0] = code address. syscall: dst[0] = result; src = arguments.
///   tex: dst[0..3]; src[0] = texture object, src[1..] = coordinates.
struct Instruction {
  Opcode op = Opcode::nop;
  Type type = Type::none;         ///< of the operation and its result
  Type source_type = Type::none;  ///< of sources where it differs: cvt, set, setp, dp4a's b, slct's c, tex coordinates
  Rounding rounding = Rounding::none;
  Compare compare = Compare::none;
  Logic logic = Logic::none;
  Part part = Part::none;
  Space space = Space::generic;
  CacheOp cache = CacheOp::none;
  Scope scope = Scope::none;
  Atomic atomic = Atomic::none;
  SpecialRegister special = SpecialRegister::zero;
  SystemCall system_call = SystemCall::vprintf;
  std::uint8_t vector = 1;
  bool ftz = false;
  bool saturate = false;         ///< .sat: to 0 .. 1, or to the limits of the integer type
  bool saturate_finite = false;  ///< cvt .satfinite: no further than the largest finite value
  bool nan = false;              ///< min/max.NaN
  bool relu = false;             ///< fma/cvt .relu
  bool is_volatile = false;
  bool non_coherent = false;     ///< ld.global.nc
  bool uniform = false;          ///< bra.uni, call.uni; bar: all lanes of a warp come together (.aligned)
  bool soft_definition = false;  ///< dst[0] keeps a live value in inactive lanes: see compile/liveness.h
  std::uint8_t immediate = 0;    ///< lop3 table; dims of tex
  Guard guard;
  std::array<Operand, 5> dst;
  std::array<Operand, 6> src;
  std::int64_t offset = 0;              ///< added to the address of ld, st, atom, red, prefetch
  std::uint32_t target = kNoPc;         ///< instruction index of a branch or call
  std::uint32_t reconvergence = kNoPc;  ///< where the lanes of a divergent branch meet again; kNoPc: at the exit
  std::uint32_t line = 0;               ///< PTX line
  std::uint32_t source_line = 0;        ///< CUDA source line from .loc, 0 if unknown
  std::uint32_t source_file = 0;        ///< of that line: in the list of the program that this is part of
};

/// Whether names of instructions have such a part behind a dot: "RN", "F16x2".
[[nodiscard]] bool is_part_of_names(std::string_view part);

/// The instruction as text, e.g. "@!P0 IADD.S32 R4, R2, 0x10".
[[nodiscard]] std::string disassemble(const Instruction& instruction);

}  // namespace heddle::isa
