// Cache lines by name. Three names of a line are three types, so that one is never taken for another.
//
// A program's accesses are lines of its virtual address space. Translation makes lines of physical memory of them. A
// cache knows a line by its tag: that of a physical line or, in a cache that comes before translation, that of a
// virtual line with its address space.
#pragma once

#include <cstdint>

#include "base/check.h"

namespace heddle::memory {

/// A line before translation, by the address of its first byte.
struct VirtLine {
  std::uint64_t address = 0;
  bool operator==(const VirtLine&) const = default;
};

/// A line of physical memory, by the address of its first byte.
struct PhysLine {
  std::uint64_t address = 0;
  bool operator==(const PhysLine&) const = default;
};

/// The physical line of `line_bytes` bytes (a power of two) around an address.
[[nodiscard]] constexpr PhysLine line_around(std::uint64_t physical_address, unsigned line_bytes) {
  return {physical_address & ~std::uint64_t{line_bytes - 1}};
}

class LineTag {
 public:
  /// That of no line.
  constexpr LineTag() = default;
  explicit constexpr LineTag(PhysLine line) : bits_(line.address) {}
  constexpr LineTag(VirtLine line, std::uint16_t space)
      : bits_(kVirtual | std::uint64_t{space} << kSpaceShift | line.address) {}

  [[nodiscard]] constexpr bool is_virtual() const { return (bits_ & kVirtual) != 0 && bits_ != kNothing; }
  /// The tag that has these bits().
  [[nodiscard]] static constexpr LineTag from_bits(std::uint64_t bits) {
    LineTag tag;
    tag.bits_ = bits;
    return tag;
  }
  /// For what chooses a set, a bank or a slice.
  [[nodiscard]] constexpr std::uint64_t bits() const { return bits_; }
  [[nodiscard]] PhysLine physical() const {
    HEDDLE_CHECK(!is_virtual(), "a virtual line is taken for a physical one");
    return {bits_};
  }
  [[nodiscard]] VirtLine virtual_line() const {
    HEDDLE_CHECK(is_virtual(), "a physical line is taken for a virtual one");
    return {bits_ & ((std::uint64_t{1} << kSpaceShift) - 1)};
  }
  [[nodiscard]] std::uint16_t space() const {
    HEDDLE_CHECK(is_virtual(), "a physical line has no address space");
    return static_cast<std::uint16_t>(bits_ >> kSpaceShift & 0x7fff);
  }
  /// Whether it is a virtual line of the page around this one, which has 2 to the power of `bits` bytes.
  [[nodiscard]] constexpr bool in_page_of(LineTag other, unsigned bits = 12) const {
    return is_virtual() && bits_ >> bits == other.bits_ >> bits;
  }
  bool operator==(const LineTag&) const = default;

 private:
  static constexpr std::uint64_t kVirtual = std::uint64_t{1} << 63;
  static constexpr unsigned kSpaceShift = 48;
  static constexpr std::uint64_t kNothing = ~std::uint64_t{0};

  std::uint64_t bits_ = kNothing;
};

}  // namespace heddle::memory
