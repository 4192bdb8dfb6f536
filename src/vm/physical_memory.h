// Physical memory in frames of 4 KiB: which are free, and the contents of those that hold page tables.
//
// What programs store lives with the execution of their instructions (exec::GlobalMemory); here a frame of data is a
// number, which caches and DRAM see. Frames of page tables hold real 8-byte entries, because walkers read them.
#pragma once

#include <array>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/reserved_array.h"
#include "sim/parameter.h"
#include "vm/types.h"

namespace heddle::vm {

struct FrameParameters : sim::ParameterGroup {
  using ParameterGroup::ParameterGroup;
  sim::Parameter<unsigned> gib{*this, "gib", 64, {1, 1024}, "GiB", "Size of physical memory."};
  sim::Choice allocation{
      *this,
      "allocation",
      "contiguous",
      {"contiguous", "scattered", "fragmented"},
      "How frames are given out: one after the other, in random order, or in runs of random length."};
  sim::Parameter<unsigned> run{*this, "run", 64, {1, 262144}, "frames", "Longest run of a fragmented memory."};
  sim::Parameter<unsigned> seed{*this, "seed", 1, {0, 4294967295u}, "", "Of what is random in the above."};
  sim::Parameter<unsigned> entry_bytes{
      *this,
      "entry_bytes",
      8,
      {8, 4096},
      "bytes",
      "From one entry of a page table to the next, a power of two; x86-64 has 8. With more, fewer share a line."};
};

class PhysicalMemory {
 public:
  explicit PhysicalMemory(const FrameParameters& parameters);

  /// Free frames for a page of that size, side by side and aligned to it. Throws UserError when there are none.
  [[nodiscard]] PhysFrame allocate(PageSize size);
  void release(PhysFrame frame, PageSize size);
  /// Zeroed frames for a page table, side by side: the first of them. One, unless entries lie apart.
  [[nodiscard]] PhysFrame allocate_table();
  /// Physical address of a page's entry in a table of that level.
  [[nodiscard]] std::uint64_t entry_address(std::uint64_t table, VirtPage page, unsigned level) const {
    return table + ((page.number >> 9 * (level - 1) & 511) << entry_shift_);
  }
  [[nodiscard]] std::uint64_t used_frames() const { return used_; }
  [[nodiscard]] std::uint64_t frames() const { return tables_.size(); }

  /// An entry of a page table, by its physical address. The frame must be that of a table.
  [[nodiscard]] std::uint64_t read(std::uint64_t address) const {
    return (*tables_[address >> kPageBits])[address % kPageBytes / sizeof(std::uint64_t)];
  }
  void write(std::uint64_t address, std::uint64_t entry) {
    (*tables_[address >> kPageBits])[address % kPageBytes / sizeof(std::uint64_t)] = entry;
  }
  /// A write by the host, which page-walk caches must hear of.
  void write_entry(std::uint64_t address, std::uint64_t entry) {
    write(address, entry);
    written_.push_back(address);
  }
  /// Addresses of the entries that the host has written since the last call.
  [[nodiscard]] std::vector<std::uint64_t> take_written() { return std::exchange(written_, {}); }

 private:
  static constexpr unsigned kTableEntries = kPageBytes / sizeof(std::uint64_t);
  using Table = std::array<std::uint64_t, kTableEntries>;  ///< a frame; where entries lie apart, few words are used

  /// So many free frames, side by side and aligned to their number.
  [[nodiscard]] PhysFrame take(std::uint64_t count);
  [[nodiscard]] bool free(std::uint64_t first, std::uint64_t count) const;
  void mark(std::uint64_t first, std::uint64_t count, bool used);
  /// Where to look next for `count` free frames.
  [[nodiscard]] std::uint64_t propose(std::uint64_t count);

  const FrameParameters& parameters_;
  unsigned entry_shift_;
  ReservedArray<std::uint8_t> in_use_;
  ReservedArray<Table*> tables_;
  std::vector<std::unique_ptr<Table>> table_storage_;
  std::mt19937_64 random_;
  std::uint64_t next_ = 1;  ///< frame 0 is never given out
  std::uint64_t run_left_ = 0;
  std::uint64_t used_ = 0;
  std::vector<std::uint64_t> written_;
};

}  // namespace heddle::vm
