// The simulated address space as a program sees it, and the memory behind global addresses.
//
// Generic addresses: small windows below 4 GiB name shared, local and parameter memory; everything from kGlobalBase up
// is global. Constant and global addresses are generic addresses already.
//
//   0x0000'1000   code (function pointers; not readable as data)
//   0x0100'0000   shared window, 16 MiB
//   0x0200'0000   local window, 16 MiB
//   0x0300'0000   kernel parameter window, 64 KiB
//   0x1'0000'0000 global
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace heddle::exec {

inline constexpr std::uint64_t kSharedWindow = 0x0100'0000;
inline constexpr std::uint64_t kLocalWindow = 0x0200'0000;
inline constexpr std::uint64_t kParameterWindow = 0x0300'0000;
inline constexpr std::uint64_t kWindowBytes = 0x0100'0000;
inline constexpr std::uint64_t kParameterWindowBytes = 0x1'0000;
inline constexpr std::uint64_t kGlobalBase = 0x1'0000'0000;

/// Global memory: allocations at page granularity, in one reserved range of host memory that is committed on touch.
/// Every allocation starts on a page of its own and an unmapped page follows it, so that running over its end faults.
class GlobalMemory {
 public:
  static constexpr unsigned kPageBits = 12;
  static constexpr std::uint64_t kPageBytes = std::uint64_t{1} << kPageBits;

  explicit GlobalMemory(std::uint64_t bytes);
  ~GlobalMemory();
  GlobalMemory(const GlobalMemory&) = delete;
  GlobalMemory& operator=(const GlobalMemory&) = delete;

  /// Address of new zeroed memory, or nullopt when the space is used up.
  [[nodiscard]] std::optional<std::uint64_t> allocate(std::uint64_t bytes);
  /// False if `address` is not the start of an allocation.
  bool release(std::uint64_t address);

  /// Host pointer to `bytes` bytes at `address`, or nullptr unless they are all in allocated pages.
  [[nodiscard]] std::uint8_t* find(std::uint64_t address, std::uint64_t bytes) const {
    const std::uint64_t offset = address - kGlobalBase;
    if (offset >= limit_ || bytes > limit_ - offset) return nullptr;
    for (std::uint64_t page = offset >> kPageBits; page <= (offset + bytes - 1) >> kPageBits; ++page) {
      if (mapped_[page] == 0) return nullptr;
    }
    return data_ + offset;
  }
  /// Like find() for an access that does not cross a page: the fast path of aligned accesses.
  [[nodiscard]] std::uint8_t* find_in_page(std::uint64_t address) const {
    const std::uint64_t offset = address - kGlobalBase;
    if (offset >= limit_ || mapped_[offset >> kPageBits] == 0) return nullptr;
    return data_ + offset;
  }

  struct Allocation {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
  };
  /// The allocation that contains the address or, failing that, the nearest one.
  [[nodiscard]] std::optional<Allocation> nearest(std::uint64_t address) const;
  [[nodiscard]] std::optional<Allocation> find_allocation(std::uint64_t address) const;
  [[nodiscard]] std::uint64_t allocated_bytes() const { return allocated_; }

 private:
  std::uint64_t limit_;
  std::uint8_t* data_ = nullptr;
  std::uint8_t* mapped_ = nullptr;                      ///< one byte per page
  std::map<std::uint64_t, std::uint64_t> allocations_;  ///< offset -> bytes as asked for
  std::multimap<std::uint64_t, std::uint64_t> holes_;   ///< pages -> first page, of freed ranges
  std::uint64_t next_page_ = 0;
  std::uint64_t allocated_ = 0;
};

}  // namespace heddle::exec
