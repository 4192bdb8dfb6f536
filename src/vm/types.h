// Pages and frames, and what maps one to the other.
#pragma once

#include <compare>
#include <cstdint>

namespace heddle::vm {

/// Address-space identifier; here the number of the application.
using SpaceId = std::uint16_t;

inline constexpr unsigned kPageBits = 12;
inline constexpr std::uint64_t kPageBytes = std::uint64_t{1} << kPageBits;

/// A virtual page by number: address / 4096, whatever the size of the page that maps it.
struct VirtPage {
  std::uint64_t number = 0;
  [[nodiscard]] std::uint64_t address() const { return number << kPageBits; }
  auto operator<=>(const VirtPage&) const = default;
};
[[nodiscard]] inline VirtPage page_of(std::uint64_t virtual_address) { return {virtual_address >> kPageBits}; }

/// A frame of physical memory by number: address / 4096.
struct PhysFrame {
  std::uint64_t number = 0;
  [[nodiscard]] std::uint64_t address() const { return number << kPageBits; }
  auto operator<=>(const PhysFrame&) const = default;
};

/// The sizes of x86-64.
enum class PageSize : std::uint8_t { small, large, huge };

/// 4 KiB pages in a page of this size, as a power of two: 0, 9 or 18.
[[nodiscard]] constexpr unsigned order_of(PageSize size) { return 9 * static_cast<unsigned>(size); }
[[nodiscard]] constexpr std::uint64_t pages_in(PageSize size) { return std::uint64_t{1} << order_of(size); }
/// The first 4 KiB page of the page of that size around this one.
[[nodiscard]] constexpr VirtPage first_page(VirtPage page, PageSize size) {
  return {page.number >> order_of(size) << order_of(size)};
}

/// A translation: the page of that size that starts at `page` lies in the frames from `frame` on.
struct Mapping {
  VirtPage page;
  PhysFrame frame;
  PageSize size = PageSize::small;
  bool writable = true;

  [[nodiscard]] PhysFrame frame_of(VirtPage other) const { return {frame.number + (other.number - page.number)}; }
};

}  // namespace heddle::vm
