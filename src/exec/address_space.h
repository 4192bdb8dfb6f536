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
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace heddle::exec {

inline constexpr std::uint64_t kSharedWindow = 0x0100'0000;
inline constexpr std::uint64_t kLocalWindow = 0x0200'0000;
inline constexpr std::uint64_t kParameterWindow = 0x0300'0000;
inline constexpr std::uint64_t kWindowBytes = 0x0100'0000;
inline constexpr std::uint64_t kParameterWindowBytes = 0x1'0000;
inline constexpr std::uint64_t kGlobalBase = 0x1'0000'0000;

/// Global memory as one address space sees it: a table of pages, each with the host memory that holds its bytes.
///
/// Allocations start on a page of their own and an unmapped page follows them, so that running over an end faults.
/// Their bytes lie in one reserved range of host memory that is committed on touch; map() can point a page at any other
/// host memory, for instance at the bytes of another page that it is an alias of.
class GlobalMemory {
 public:
  static constexpr unsigned kPageBits = 12;
  static constexpr std::uint64_t kPageBytes = std::uint64_t{1} << kPageBits;

  /// Where the bytes lie on the host: anywhere, or at the very addresses that the program uses, so that a host program
  /// can follow them.
  enum class Placement : std::uint8_t { anywhere, same_addresses };
  explicit GlobalMemory(std::uint64_t bytes, Placement placement = Placement::anywhere);
  ~GlobalMemory();
  GlobalMemory(const GlobalMemory&) = delete;
  GlobalMemory& operator=(const GlobalMemory&) = delete;

  /// Address of new zeroed memory, a multiple of `alignment` (a power of two, at least a page), or nullopt when the
  /// space is used up.
  [[nodiscard]] std::optional<std::uint64_t> allocate(std::uint64_t bytes, std::uint64_t alignment = kPageBytes);
  /// The bytes of whole pages of an allocation are kept by the host apart from how they are mapped: forget_accesses()
  /// unmaps them, so that what this process touches then is what is mapped again. They must not have been written yet.
  void keep_apart(std::uint64_t address, std::uint64_t bytes);
  void forget_accesses(std::uint64_t address, std::uint64_t bytes) const;
  /// False if `address` is not the start of an allocation.
  bool release(std::uint64_t address);

  /// Told of every range that is allocated or released, by the host or by malloc() in a kernel: page tables follow.
  struct Watcher {
    std::function<void(std::uint64_t address, std::uint64_t bytes)> allocated;
    std::function<void(std::uint64_t address, std::uint64_t bytes)> released;
  };
  void watch(Watcher watcher) { watchers_.push_back(std::move(watcher)); }
  /// From here on, what is released is not given out again while there is something else: who still uses it is found.
  void keep_released() { keeps_released_ = true; }

  /// What a page's accesses reach: `host` is a whole page of host memory, or nullptr for none.
  void map(std::uint64_t page_address, std::uint8_t* host, bool writable);
  /// The page becomes another name of what `target` reaches.
  void alias(std::uint64_t page_address, std::uint64_t target);
  /// One address for all names of a byte: what a memory system without address translation goes by, so that accesses
  /// to one byte meet at one place.
  [[nodiscard]] std::uint64_t one_name(std::uint64_t address) const;
  [[nodiscard]] bool has_aliases() const { return !aliases_.empty(); }
  /// The host memory that allocate() gave the page, whatever it is mapped to now.
  [[nodiscard]] std::uint8_t* own_bytes(std::uint64_t page_address) const {
    return data_ + (page_address - kGlobalBase);
  }

  /// Host pointer to `bytes` bytes at `address`, or nullptr unless they are all mapped and side by side on the host.
  [[nodiscard]] std::uint8_t* find(std::uint64_t address, std::uint64_t bytes) const {
    return find_range(address, bytes, kReadable);
  }
  [[nodiscard]] std::uint8_t* find_writable(std::uint64_t address, std::uint64_t bytes) const {
    return find_range(address, bytes, kWritable);
  }
  /// Like find() for an access that does not cross a page: the fast path of aligned accesses.
  [[nodiscard]] std::uint8_t* find_in_page(std::uint64_t address) const { return entry(address, kReadable); }
  [[nodiscard]] std::uint8_t* find_writable_in_page(std::uint64_t address) const { return entry(address, kWritable); }

  /// Calls f(host pointer, bytes) for the pieces of a range, in order; false, and no call, unless all of it is mapped.
  [[nodiscard]] bool for_each_piece(std::uint64_t address, std::uint64_t bytes,
                                    const std::function<void(std::uint8_t*, std::uint64_t)>& f) const;

  struct Allocation {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
  };
  /// The allocation that contains the address or, failing that, the nearest one.
  [[nodiscard]] std::optional<Allocation> nearest(std::uint64_t address) const;
  [[nodiscard]] std::optional<Allocation> find_allocation(std::uint64_t address) const;
  [[nodiscard]] std::uint64_t allocated_bytes() const { return allocated_; }

 private:
  // A page's entry is the address of its host memory with rights in the low bits; 0: not mapped.
  static constexpr std::uint64_t kReadable = 1;
  static constexpr std::uint64_t kWritable = 2;
  static constexpr std::uint64_t kRights = kPageBytes - 1;

  [[nodiscard]] std::uint8_t* entry(std::uint64_t address, std::uint64_t right) const {
    const std::uint64_t offset = address - kGlobalBase;
    if (offset >= limit_) return nullptr;
    const std::uint64_t page = pages_[offset >> kPageBits];
    if ((page & right) == 0) return nullptr;
    return reinterpret_cast<std::uint8_t*>((page & ~kRights) + (offset & (kPageBytes - 1)));
  }
  [[nodiscard]] std::uint8_t* find_range(std::uint64_t address, std::uint64_t bytes, std::uint64_t right) const {
    std::uint8_t* first = entry(address, right);
    if (first == nullptr) return nullptr;
    const std::uint64_t in_page = kPageBytes - (address & (kPageBytes - 1));
    for (std::uint64_t done = in_page; done < bytes; done += kPageBytes) {
      if (entry(address + done, right) != first + done) return nullptr;
    }
    return first;
  }

  /// A free range of so many pages; nothing when there is none.
  [[nodiscard]] std::optional<std::uint64_t> take_pages(std::uint64_t pages, std::uint64_t alignment);
  void give_back(std::uint64_t offset, std::uint64_t bytes);
  void give_pages(std::uint64_t first, std::uint64_t pages);
  [[nodiscard]] bool give_kept();
  void add_hole(std::uint64_t first, std::uint64_t pages);
  void remove_hole(std::map<std::uint64_t, std::uint64_t>::iterator hole);

  std::uint64_t limit_;
  std::uint8_t* data_ = nullptr;
  std::uint64_t* pages_ = nullptr;
  std::map<std::uint64_t, std::uint64_t> allocations_;  ///< offset -> bytes as asked for
  std::map<std::uint64_t, std::uint64_t> holes_;        ///< first page -> pages, of freed ranges; no two touch
  std::set<std::pair<std::uint64_t, std::uint64_t>> holes_by_size_;  ///< pages, first page
  std::unordered_map<std::uint64_t, std::uint64_t> aliases_;         ///< page number -> the one it is a name of
  std::map<std::uint64_t, std::uint64_t> apart_;                     ///< offset -> bytes that are kept apart
  std::vector<Watcher> watchers_;
  bool keeps_released_ = false;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> kept_;  ///< first page, pages
  std::uint64_t next_page_ = 0;
  std::uint64_t allocated_ = 0;
};

}  // namespace heddle::exec
