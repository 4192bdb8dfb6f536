// The two halves of an L2: which is the home of a line, and which is near to an SM.
//
// On an H200 the halves are found by latency (docs/h200-validation.md): an SM reads half of all lines some 190 cycles
// later than the others, once; then its own half has a copy. Homes change with the 4 KiB of an address, by a hash that
// is not known: here the parity of the address' upper bits. Which SMs are near which half is not regular there; here it
// is the first and the second half of them.
#pragma once

#include <bit>
#include <cstdint>

namespace heddle::memory {

[[nodiscard]] inline unsigned home_half(std::uint64_t line_bits) {
  constexpr unsigned kShift = 12;
  return static_cast<unsigned>(std::popcount(line_bits >> kShift)) & 1;
}
[[nodiscard]] inline unsigned half_of_sm(std::size_t sm, std::size_t sms) { return sm * 2 >= sms ? 1 : 0; }

}  // namespace heddle::memory
