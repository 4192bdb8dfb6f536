// x86-64 page tables of four levels, as the hardware reads them (AMD64 Architecture Programmer's Manual, volume 2,
// section 5.3). Level 4 is the root, level 1 has the entries of 4 KiB pages; a leaf at level 2 or 3 maps 2 MiB or 1
// GiB.
//
// Not modelled: no-execute, global, caching attributes, protection keys, and the sign extension of addresses.
#pragma once

#include <optional>

#include "vm/physical_memory.h"

namespace heddle::vm {

/// One 8-byte entry.
struct Entry {
  static constexpr std::uint64_t kPresent = 1u << 0;
  static constexpr std::uint64_t kWrite = 1u << 1;
  static constexpr std::uint64_t kUser = 1u << 2;
  static constexpr std::uint64_t kAccessed = 1u << 5;
  static constexpr std::uint64_t kDirty = 1u << 6;
  static constexpr std::uint64_t kPageSize = 1u << 7;
  static constexpr std::uint64_t kFrameMask = 0x000f'ffff'ffff'f000;

  std::uint64_t bits = 0;

  [[nodiscard]] bool present() const { return (bits & kPresent) != 0; }
  [[nodiscard]] bool writable() const { return (bits & kWrite) != 0; }
  [[nodiscard]] std::uint64_t address() const { return bits & kFrameMask; }
  /// Whether an entry of this level maps a page instead of naming the next table.
  [[nodiscard]] bool leaf(unsigned level) const { return level == 1 || (bits & kPageSize) != 0; }
};

inline constexpr unsigned kLevels = 4;

/// What a leaf entry of that level says about the pages around `page`.
[[nodiscard]] inline Mapping mapping_of(Entry entry, VirtPage page, unsigned level) {
  const auto size = static_cast<PageSize>(level - 1);
  return {first_page(page, size), {entry.address() >> kPageBits}, size, entry.writable()};
}

class PageTable {
 public:
  explicit PageTable(PhysicalMemory& memory) : memory_(memory), root_(memory.allocate_table()) {}

  /// What the root register holds.
  [[nodiscard]] std::uint64_t root() const { return root_.address(); }
  /// Writes the leaf entry, and tables above it as needed. Nothing else may be mapped there.
  void map(const Mapping& mapping);
  /// Clears the leaf entry.
  void unmap(VirtPage page);
  /// Changes the write bit of the leaf entry.
  void protect(VirtPage page, bool writable);
  /// What the table says now; nothing if the page is not mapped.
  [[nodiscard]] std::optional<Mapping> find(VirtPage page) const;
  /// Sets the accessed bit of the leaf entry, and the dirty bit for a write.
  void touch(VirtPage page, bool write);

 private:
  /// Address of the leaf entry, present or not; 0 if there is no table for it.
  [[nodiscard]] std::uint64_t leaf(VirtPage page, unsigned& level) const;

  PhysicalMemory& memory_;
  PhysFrame root_;
};

}  // namespace heddle::vm
