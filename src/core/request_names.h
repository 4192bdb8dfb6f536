// Names of the requests that an SM sends: what kind of thing waits for the answer, and which of its kind.
#pragma once

#include <cstdint>

namespace heddle::core {

enum class RequestName : std::uint32_t {
  miss,         ///< an entry of the L1's miss table
  store,        ///< a warp
  atomic,       ///< a memory instruction
  writeback,    ///< dirty data of the L1
  instruction,  ///< an entry of the instruction cache
  constant,     ///< an entry of the constant cache
  walk,         ///< a read of the page-table walker
  context,      ///< a block's context that moves between SM and memory
};

inline constexpr unsigned kNameShift = 28;

[[nodiscard]] constexpr std::uint32_t request_id(RequestName name, std::uint32_t index) {
  return static_cast<std::uint32_t>(name) << kNameShift | index;
}
[[nodiscard]] constexpr RequestName name_of(std::uint32_t id) { return static_cast<RequestName>(id >> kNameShift); }
[[nodiscard]] constexpr std::uint32_t index_of(std::uint32_t id) { return id & ((1u << kNameShift) - 1); }

}  // namespace heddle::core
