// Integer products: low, high and double-width halves without overflow.
#pragma once

#include <cstdint>
#include <type_traits>

namespace heddle::exec {

__extension__ using UInt128 = unsigned __int128;
__extension__ using Int128 = __int128;

/// The type twice as wide, of the same signedness.
// clang-format off
template <class T> struct DoubleWidth;
template <> struct DoubleWidth<std::uint16_t> { using type = std::uint32_t; };
template <> struct DoubleWidth<std::int16_t>  { using type = std::int32_t; };
template <> struct DoubleWidth<std::uint32_t> { using type = std::uint64_t; };
template <> struct DoubleWidth<std::int32_t>  { using type = std::int64_t; };
template <> struct DoubleWidth<std::uint64_t> { using type = UInt128; };
template <> struct DoubleWidth<std::int64_t>  { using type = Int128; };
// clang-format on
template <class T>
using Wide = typename DoubleWidth<T>::type;

template <class T>
[[nodiscard]] constexpr Wide<T> multiply_wide(T a, T b) {
  return static_cast<Wide<T>>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b));
}
template <class T>
[[nodiscard]] constexpr T multiply_low(T a, T b) {
  using M = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  return static_cast<T>(static_cast<M>(a) * static_cast<M>(b));
}
template <class T>
[[nodiscard]] constexpr T multiply_high(T a, T b) {
  return static_cast<T>(multiply_wide(a, b) >> (8 * sizeof(T)));
}

}  // namespace heddle::exec
