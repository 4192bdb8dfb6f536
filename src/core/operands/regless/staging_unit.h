// The operand staging unit of a shard (RegLess, section 4.5.2): lines of one register of one warp each, in banks.
//
// A line is owned by a region that runs or waits to run, or it is on one of three lists of its bank: free, clean (what
// memory has), dirty (newer). A line that is needed comes from the first of these that has one. What a line holds is
// the value itself.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "base/types.h"
#include "isa/regions.h"

namespace heddle::core {

using RegisterValue = std::array<std::uint32_t, kWarpSize>;

/// A register of a warp of the shard.
struct StagedName {
  std::uint8_t warp = 0;  ///< its number in the shard
  std::uint8_t reg = 0;
  friend bool operator==(const StagedName&, const StagedName&) = default;
};

class StagingUnit {
 public:
  using Line = std::uint32_t;
  static constexpr Line kNone = ~Line{0};

  StagingUnit(unsigned lines_per_bank, unsigned warps);

  /// The line of a register, owned or on a list; kNone if it has none.
  [[nodiscard]] Line find(StagedName name) const { return tags_[tag(name)]; }
  [[nodiscard]] bool is_owned(Line line) const { return lines_[line].owned; }
  [[nodiscard]] bool is_dirty(Line line) const { return lines_[line].dirty; }
  [[nodiscard]] RegisterValue& value(Line line) { return lines_[line].value; }
  [[nodiscard]] StagedName name(Line line) const { return lines_[line].name; }

  /// Whether a line of the bank can only be had by writing back what another holds.
  [[nodiscard]] bool must_write_back(unsigned bank) const {
    return banks_[bank].free.empty() && banks_[bank].clean.empty();
  }
  /// What a line held that had to make room, if it must be written back.
  struct Victim {
    bool dirty = false;
    StagedName name;
    RegisterValue value{};
  };
  /// Takes a line of the bank for a register that has none. The new line is owned, clean, and holds zeros.
  Line allocate(unsigned bank, StagedName name, Victim& victim);
  /// Takes a line from its list.
  void own(Line line);
  void set_dirty(Line line) { lines_[line].dirty = true; }
  /// Gives an owned line up: empty, or to the clean or dirty list.
  void release(Line line, bool erase);
  /// A line on a list becomes free.
  void drop(Line line);
  /// All lines of a warp become free.
  void drop_warp(std::uint8_t warp);

 private:
  struct Entry {
    StagedName name;
    std::uint8_t bank = 0;
    bool owned = false;
    bool dirty = false;
    bool used = false;  ///< holds a register
    RegisterValue value{};
  };
  struct Bank {
    std::deque<Line> free;
    std::deque<Line> clean;
    std::deque<Line> dirty;
  };
  [[nodiscard]] static std::size_t tag(StagedName name) { return std::size_t{name.warp} * 256 + name.reg; }
  void forget(Line line);

  std::vector<Entry> lines_;
  std::array<Bank, isa::kRegionBanks> banks_;
  std::vector<Line> tags_;  ///< by warp and register
};

}  // namespace heddle::core
