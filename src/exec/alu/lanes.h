// Rows of 32 lanes: how elements live in register cells, and the loops that every lane-wise instruction shares.
//
// A cell is what one lane of a register holds: 32 bits, or 64 for a register pair. An element is what the instruction
// reads in it. The loops are written so that the compiler turns them into straight vector code: no calls, no branches
// on modifiers, and one of two shapes, all lanes active (write to the destination) or some (compute aside, then blend).
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "exec/alu.h"
#include "exec/alu/half.h"

// The destination may be the same row as a source, which is harmless because lane i depends on lane i alone, but which
// a compiler must assume to be a partial overlap, and then it emits a scalar loop for the case.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"  // rare operations have loops that do not vectorise
#define HEDDLE_INDEPENDENT_LANES _Pragma("clang loop vectorize(assume_safety)")
#else
#define HEDDLE_INDEPENDENT_LANES _Pragma("GCC ivdep")
#endif

namespace heddle::exec {

/// The register cell that holds an element of type T.
template <class T>
using Cell = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

/// The unsigned type in which sums and products of T wrap without promotion to int.
template <class T>
using Modular = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

/// An element from the low bits of a cell.
template <class T, class C>
[[nodiscard]] constexpr T from_cell(C cell) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::bit_cast<T>(static_cast<Cell<T>>(cell));
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(cell);
  } else {
    return T{static_cast<decltype(T::bits)>(cell)};
  }
}

/// A cell that holds an element: signed integers sign-extend, everything else zero-extends.
template <class C, class T>
[[nodiscard]] constexpr C to_cell(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<C>(std::bit_cast<Cell<T>>(value));
  } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    return static_cast<C>(static_cast<std::int64_t>(value));
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<C>(value);
  } else {
    return static_cast<C>(value.bits);
  }
}

[[nodiscard]] constexpr bool lane_in(LaneMask mask, unsigned lane) { return ((mask >> lane) & 1u) != 0; }

/// For each lane its bit, in words of one width: tests against it vectorise where shifts by the lane number do not.
template <class C>
inline constexpr auto kLaneBit = [] {
  std::array<C, kWarpSize> bits{};
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    bits[lane] = C{1} << lane;
  }
  return bits;
}();

/// Copies the lanes in `active` of a finished row to the destination.
template <class C>
inline void blend_row(C* destination, const C* row, LaneMask active) {
  const C mask = active;
  HEDDLE_INDEPENDENT_LANES
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    destination[lane] = (mask & kLaneBit<C>[lane]) != 0 ? row[lane] : destination[lane];
  }
}

/// Writes `compute(lane)`, a cell, to the active lanes of a destination row. `Overlap` says that a source may be a
/// register of the other width, whose lanes lie elsewhere in the same bytes: then everything is read before the first
/// write.
template <class C, bool Overlap, class Compute>
inline void write_row(void* destination, LaneMask active, Compute compute) {
  if (destination == nullptr) {
    return;
  }
  C* const out = static_cast<C*>(destination);
  if constexpr (!Overlap) {
    if (active == kAllLanes) {
      HEDDLE_INDEPENDENT_LANES
      for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        out[lane] = compute(lane);
      }
      return;
    }
  }
  alignas(64) C row[kWarpSize];
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    row[lane] = compute(lane);
  }
  if (active == kAllLanes) {
    std::memcpy(out, row, sizeof row);
  } else {
    blend_row(out, row, active);
  }
}

/// The mask of lanes for which `test(lane)` holds. `Element` is the type compared: the mask is gathered in words of its
/// width, so that compare and gather stay in vectors of one shape.
template <class Element, class Test>
[[nodiscard]] inline LaneMask gather_mask(Test test) {
  using Word = Modular<Element>;
  Word mask = 0;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    mask |= test(lane) ? kLaneBit<Word>[lane] : Word{0};
  }
  return static_cast<LaneMask>(mask);
}

inline void write_mask(LaneMask* destination, LaneMask active, LaneMask value) {
  if (destination != nullptr) {
    *destination = (value & active) | (*destination & ~active);
  }
}

template <class T>
[[nodiscard]] inline const Cell<T>* source_row(const AluArguments& arguments, unsigned position) {
  return static_cast<const Cell<T>*>(arguments.src[position]);
}

// Handlers for operations that are a stateless function object on elements.

template <class Op, class D, class A>
void unary(const AluArguments& arguments, const isa::Instruction&) {
  const auto* a = source_row<A>(arguments, 0);
  constexpr bool overlap = sizeof(Cell<D>) != sizeof(Cell<A>);
  write_row<Cell<D>, overlap>(arguments.dst[0], arguments.active, [a](unsigned lane) {
    return to_cell<Cell<D>>(static_cast<D>(Op{}(from_cell<A>(a[lane]))));
  });
}

template <class Op, class D, class A, class B>
void binary(const AluArguments& arguments, const isa::Instruction&) {
  const auto* a = source_row<A>(arguments, 0);
  const auto* b = source_row<B>(arguments, 1);
  constexpr bool overlap = sizeof(Cell<D>) != sizeof(Cell<A>) || sizeof(Cell<D>) != sizeof(Cell<B>);
  write_row<Cell<D>, overlap>(arguments.dst[0], arguments.active, [a, b](unsigned lane) {
    return to_cell<Cell<D>>(static_cast<D>(Op{}(from_cell<A>(a[lane]), from_cell<B>(b[lane]))));
  });
}

template <class Op, class D, class A, class B, class E>
void ternary(const AluArguments& arguments, const isa::Instruction&) {
  const auto* a = source_row<A>(arguments, 0);
  const auto* b = source_row<B>(arguments, 1);
  const auto* c = source_row<E>(arguments, 2);
  constexpr bool overlap =
      sizeof(Cell<D>) != sizeof(Cell<A>) || sizeof(Cell<D>) != sizeof(Cell<B>) || sizeof(Cell<D>) != sizeof(Cell<E>);
  write_row<Cell<D>, overlap>(arguments.dst[0], arguments.active, [a, b, c](unsigned lane) {
    return to_cell<Cell<D>>(static_cast<D>(Op{}(from_cell<A>(a[lane]), from_cell<B>(b[lane]), from_cell<E>(c[lane]))));
  });
}

}  // namespace heddle::exec
