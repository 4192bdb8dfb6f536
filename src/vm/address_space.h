// An application's address space: which pages it may use, the frames behind them, and the page table that says so.
//
// A page has its frame from the moment its range is added. In a lazy space the page table does not say so until the
// first access has faulted and the host has served the fault; a page on disk likewise, only later.
//
// Several pages may name one frame: one of them owns it, the others are its aliases. A page that is guarded may be
// written as far as the program is concerned, and the page table says that it may not: the host wants to hear of it.
#pragma once

#include <unordered_map>
#include <vector>

#include "memory/line_checker.h"
#include "vm/page_table.h"

namespace heddle::vm {

/// What the host must do before a page can be used.
enum class FaultClass : std::uint8_t {
  none,     ///< the page table has it
  minor,    ///< write the entry
  major,    ///< bring the page from disk, then write the entry
  illegal,  ///< there is no such page: the program is wrong
};

class AddressSpace {
 public:
  struct Options {
    SpaceId id = 0;
    PageSize page_size = PageSize::small;
    bool lazy = false;
    memory::LineChecker* checker = nullptr;  ///< of a checked run: is told where pages lie
  };
  AddressSpace(PhysicalMemory& memory, const Options& options);
  ~AddressSpace();
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

  [[nodiscard]] SpaceId id() const { return options_.id; }
  [[nodiscard]] PageSize page_size() const { return options_.page_size; }
  [[nodiscard]] const PageTable& table() const { return table_; }
  [[nodiscard]] const PhysicalMemory& memory() const { return memory_; }

  /// The range may be used. Ranges may share a page; it goes with the last of them.
  void add(std::uint64_t address, std::uint64_t bytes);
  /// The range, added as it is, may not be used any more. Translations of it may still be in TLBs: flush them.
  void remove(std::uint64_t address, std::uint64_t bytes);
  /// Makes the pages around the range writable or not. Flush TLBs.
  void protect(std::uint64_t address, std::uint64_t bytes, bool writable);
  /// The page's translation becomes that of another page (two names for one frame). Flush TLBs. Pages of this space's
  /// size; the old frame of `page` is given back. Throws UserError if `page` owns a frame that others name.
  void alias(VirtPage page, VirtPage target);
  /// Throws that, for who wants to know before.
  void check_alias(VirtPage page) const;
  /// The page goes to disk: the next access is a major fault. Flush TLBs.
  void evict(VirtPage page);
  /// Moves the page to another frame, with all its names. Flush TLBs. `settled`: nothing of the old frame is under way.
  void migrate(VirtPage page, bool settled = false);
  /// All pages that name the frame of this one; the first owns it.
  [[nodiscard]] std::vector<VirtPage> names(VirtPage page) const;
  /// While the host changes a page, the page table does not have it, and no fault brings it. Flush TLBs.
  void hold(VirtPage page, bool held);
  /// The page table says that the page must not be written, or as much as the program may. Flush TLBs.
  void guard(VirtPage page, bool guarded);
  [[nodiscard]] bool has(VirtPage page) const { return units_.contains(unit_of(page)); }
  /// Whether the program may write the page, guarded or not.
  [[nodiscard]] bool may_write(VirtPage page) const {
    const auto found = units_.find(unit_of(page));
    return found != units_.end() && found->second.writable;
  }
  [[nodiscard]] bool is_guarded(VirtPage page) const {
    const auto found = units_.find(unit_of(page));
    return found != units_.end() && found->second.guarded;
  }

  /// `write`: somebody wanted to write.
  [[nodiscard]] FaultClass classify(VirtPage page, bool write = false) const;
  /// What the host does about a minor or major fault: the entry is written.
  void serve(VirtPage page);
  /// Sets the accessed bit, and the dirty bit for a write.
  void touch(VirtPage page, bool write) { table_.touch(page, write); }
  /// What the page table says now.
  [[nodiscard]] std::optional<Mapping> find(VirtPage page) const { return table_.find(page); }
  /// The frame of a page that may be used, whether or not the page table has it yet.
  [[nodiscard]] std::optional<PhysFrame> frame(VirtPage page) const;
  /// Pages (of this space's size) that may be used.
  [[nodiscard]] std::size_t pages() const { return units_.size(); }

 private:
  /// A page of this space's size.
  struct Unit {
    PhysFrame frame;
    std::uint32_t ranges = 0;  ///< that need it
    bool writable = true;
    bool present = false;
    bool on_disk = false;
    bool owns_frame = true;  ///< not an alias
    bool held = false;
    bool guarded = false;
    std::uint64_t owner = 0;             ///< of an alias
    std::vector<std::uint64_t> aliases;  ///< of an owner
  };
  [[nodiscard]] std::uint64_t unit_of(VirtPage page) const { return page.number >> order_of(options_.page_size); }
  [[nodiscard]] VirtPage page_of_unit(std::uint64_t unit) const { return {unit << order_of(options_.page_size)}; }
  [[nodiscard]] Unit& unit_at(VirtPage page);
  void set_present(std::uint64_t number, Unit& unit, bool present);
  void write_entry(std::uint64_t number, const Unit& unit);
  /// Calls f(frame, page) for each 4 KiB of the unit, if somebody wants to know.
  template <typename F>
  void tell_checker(std::uint64_t number, const Unit& unit, F&& f);
  template <typename F>
  void for_each_unit(std::uint64_t address, std::uint64_t bytes, F&& f);

  PhysicalMemory& memory_;
  Options options_;
  PageTable table_;
  std::unordered_map<std::uint64_t, Unit> units_;
};

}  // namespace heddle::vm
