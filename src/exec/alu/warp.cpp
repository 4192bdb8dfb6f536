// Instructions in which lanes see each other: shuffles, votes, matches, reductions, elections.
//
// What happens in cases that PTX leaves undefined is as recorded on an H200 (tests/conformance/warp_lanes.*): lanes
// that execute the instruction together with the same member mask are a group, whoever the mask names, and tiles of a
// warp vote that way; a shuffle takes from any lane that executes it, and from others 0.
#include <bit>
#include <cstring>

#include "exec/alu/families.h"
#include "exec/alu/select_type.h"

namespace heddle::exec {
namespace {

using isa::Atomic;
using isa::Instruction;
using isa::Opcode;
using isa::Part;
using isa::Type;
using U = std::uint32_t;

void write_uniform(const AluArguments& arguments, U value) {
  write_row<U, false>(arguments.dst[0], arguments.active, [value](unsigned) { return value; });
}

// `c` holds the clamp value in bits 0-4 and, in bits 8-12, the mask of lane bits that stay within a segment.
template <Part Mode>
void shuffle(const AluArguments& arguments, const Instruction&) {
  alignas(64) U values[kWarpSize];
  std::memcpy(values, arguments.src[0], sizeof values);
  const auto* b = source_row<U>(arguments, 1);
  const auto* c = source_row<U>(arguments, 2);
  alignas(64) U row[kWarpSize];
  LaneMask in_range = 0;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    const auto self = static_cast<int>(lane);
    const int operand = static_cast<int>(b[lane] & 31u);
    const int clamp = static_cast<int>(c[lane] & 31u);
    const int segment = static_cast<int>((c[lane] >> 8) & 31u);
    const int last = (self & segment) | (clamp & ~segment);
    int from = self;
    if constexpr (Mode == Part::up) {
      from = self - operand;
    } else if constexpr (Mode == Part::down) {
      from = self + operand;
    } else if constexpr (Mode == Part::bfly) {
      from = self ^ operand;
    } else {
      from = (self & segment) | (operand & ~segment);
    }
    const bool valid = Mode == Part::up ? from >= last : from <= last;
    const int source = valid ? from & 31 : self;
    row[lane] = (arguments.active >> source & 1) != 0 ? values[source] : 0;
    in_range |= LaneMask{valid} << lane;
  }
  write_row<U, false>(arguments.dst[0], arguments.active, [&row](unsigned lane) { return row[lane]; });
  write_mask(arguments.dst_predicate[1], arguments.active, in_range);
}

template <Part Kind>
void vote(const AluArguments& arguments, const Instruction&) {
  const LaneMask taking_part = arguments.active;
  const LaneMask yes = arguments.src_predicate[0] & taking_part;
  if constexpr (Kind == Part::ballot) {
    write_uniform(arguments, yes);
  } else {
    const bool all = yes == taking_part;
    const bool any = yes != 0;
    const bool result = Kind == Part::all ? all : Kind == Part::any ? any : all || !any;
    write_mask(arguments.dst_predicate[0], arguments.active, result ? kAllLanes : 0);
  }
}

template <class T, bool All>
void match(const AluArguments& arguments, const Instruction&) {
  const LaneMask taking_part = arguments.active;
  T values[kWarpSize];
  std::memcpy(values, arguments.src[0], sizeof values);
  U row[kWarpSize] = {};
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    const T mine = values[lane];
    row[lane] = taking_part & gather_mask<T>([&values, mine](unsigned other) { return values[other] == mine; });
  }
  if constexpr (All) {
    const unsigned first = taking_part == 0 ? 0 : static_cast<unsigned>(std::countr_zero(taking_part));
    const bool same = row[first] == taking_part;
    write_uniform(arguments, same ? taking_part : 0);
    write_mask(arguments.dst_predicate[1], arguments.active, same ? kAllLanes : 0);
  } else {
    write_row<U, false>(arguments.dst[0], arguments.active, [&row](unsigned lane) { return row[lane]; });
  }
}

template <class T>
[[nodiscard]] T reduce(T a, T b, Atomic operation) {
  switch (operation) {
    case Atomic::add:
      return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    case Atomic::min:
      return a < b ? a : b;
    case Atomic::max:
      return a < b ? b : a;
    case Atomic::and_:
      return a & b;
    case Atomic::or_:
      return a | b;
    default:
      return a ^ b;
  }
}

template <class T>
void reduction(const AluArguments& arguments, const Instruction& instruction) {
  LaneMask remaining = arguments.active;
  if (remaining == 0) {
    return;
  }
  const auto* values = source_row<T>(arguments, 0);
  T result = static_cast<T>(values[std::countr_zero(remaining)]);
  for (remaining &= remaining - 1; remaining != 0; remaining &= remaining - 1) {
    result = reduce(result, static_cast<T>(values[std::countr_zero(remaining)]), instruction.atomic);
  }
  write_uniform(arguments, static_cast<U>(result));
}

void active_mask(const AluArguments& arguments, const Instruction&) { write_uniform(arguments, arguments.active); }

/// The leader is the lowest lane that takes part.
void elect(const AluArguments& arguments, const Instruction&) {
  if (arguments.active == 0) {
    return;
  }
  const auto leader = static_cast<U>(std::countr_zero(arguments.active));
  write_uniform(arguments, leader);
  write_mask(arguments.dst_predicate[1], arguments.active, LaneMask{1} << leader);
}

/// Runs a handler for each group of active lanes with the same member mask, which is in source `Position`.
template <auto Handler, unsigned Position>
void by_groups(const AluArguments& arguments, const Instruction& instruction) {
  if (!instruction.src[Position].exists() || arguments.src[Position] == nullptr) return Handler(arguments, instruction);
  alignas(64) U masks[kWarpSize];
  std::memcpy(masks, arguments.src[Position], sizeof masks);
  AluArguments part = arguments;
  for (LaneMask remaining = arguments.active; remaining != 0; remaining &= ~part.active) {
    const U mask = masks[std::countr_zero(remaining)];
    part.active = remaining & gather_mask<U>([&masks, mask](unsigned lane) { return masks[lane] == mask; });
    Handler(part, instruction);
  }
}

AluFunction find_shuffle(const Instruction& instruction) {
  if (!operands_fit<U, U, U, U>(instruction)) {
    return nullptr;
  }
  switch (instruction.part) {
    case Part::up:
      return &shuffle<Part::up>;
    case Part::down:
      return &shuffle<Part::down>;
    case Part::bfly:
      return &shuffle<Part::bfly>;
    case Part::idx:
      return &shuffle<Part::idx>;
    default:
      return nullptr;
  }
}

AluFunction find_vote(const Instruction& instruction) {
  if (instruction.part == Part::ballot && instruction.dst[0].wide()) return nullptr;
  switch (instruction.part) {
    case Part::all:
      return &by_groups<&vote<Part::all>, 1>;
    case Part::any:
      return &by_groups<&vote<Part::any>, 1>;
    case Part::uni:
      return &by_groups<&vote<Part::uni>, 1>;
    case Part::ballot:
      return &by_groups<&vote<Part::ballot>, 1>;
    default:
      return nullptr;
  }
}

AluFunction find_match(const Instruction& instruction) {
  return with_word(instruction.type, [&]<class T>() -> AluFunction {
    if (!operands_fit<U, T>(instruction)) {
      return nullptr;
    }
    return instruction.part == Part::all ? &by_groups<&match<T, true>, 1> : &by_groups<&match<T, false>, 1>;
  });
}

AluFunction find_reduction(const Instruction& instruction) {
  switch (instruction.atomic) {
    case Atomic::add:
    case Atomic::min:
    case Atomic::max:
    case Atomic::and_:
    case Atomic::or_:
    case Atomic::xor_:
      break;
    default:
      return nullptr;
  }
  if (!operands_fit<U, U>(instruction)) {
    return nullptr;
  }
  switch (instruction.type) {
    case Type::s32:
      return &by_groups<&reduction<std::int32_t>, 1>;
    case Type::u32:
    case Type::b32:
      return &by_groups<&reduction<U>, 1>;
    default:
      return nullptr;
  }
}

}  // namespace

AluFunction find_warp(const Instruction& instruction) {
  switch (instruction.op) {
    case Opcode::shfl:
      return find_shuffle(instruction);
    case Opcode::vote:
      return find_vote(instruction);
    case Opcode::match:
      return find_match(instruction);
    case Opcode::redux:
      return find_reduction(instruction);
    case Opcode::activemask:
      return instruction.dst[0].wide() ? nullptr : &active_mask;
    case Opcode::elect:
      return instruction.dst[0].wide() ? nullptr : &by_groups<&elect, 0>;
    default:
      return nullptr;
  }
}

}  // namespace heddle::exec
