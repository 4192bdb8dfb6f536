// Lines on their way from the coalescer through translation to the L1.
//
// The lines of a group are translated together and go to the L1 in order. Within a warp, a group is what one
// instruction touches; a coalescer that merges across warps makes groups of its own, whose lines serve several
// instructions. A group ends when its last line has been to the L1; the instructions then wait for data.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/small_vector.h"
#include "base/types.h"
#include "core/memory_instruction.h"
#include "exec/warp.h"
#include "memory/line.h"
#include "sim/time.h"
#include "vm/types.h"

namespace heddle::core {

inline constexpr std::uint32_t kNone = ~std::uint32_t{0};

/// The lanes of an instruction that a line serves.
struct Served {
  std::uint32_t instruction = kNone;
  LaneMask lanes = 0;
  bool mapped = false;  ///< which lane gets which word is in a table of the coalescer's
};

/// How the lanes of a load use the words of a line (Kloosterman et al., MICRO 2015, section 3.3.6 of the thesis).
enum class Pattern : std::uint8_t {
  unknown,
  single,       ///< one lane
  consecutive,  ///< each active lane the word of its number
  broadcast,    ///< all active lanes one word
  range,        ///< a run of lanes a run of words
  irregular,
};

struct LineRequest {
  memory::VirtLine line;
  std::uint32_t sectors = 0;  ///< units of memory::kSectorUnit
  Served first = {};
  std::uint32_t others = kNone;  ///< further instructions that it serves: a list of the load/store unit's
  std::uint16_t bytes = 0;       ///< data, for stores and atomics
  static constexpr std::uint8_t kNoPage = 255;
  std::uint8_t page = 0;  ///< of the group's pages, or kNoPage if the line needs no translation
  bool accessed = false;  ///< has been to the L1
  Pattern pattern = Pattern::unknown;
};
using Lines = SmallVector<LineRequest, 4>;

enum class PageState : std::uint8_t {
  unseen,   ///< not looked up
  walking,  ///< missed
  hit,      ///< known, but the lines must wait for other pages
  ready,    ///< lines may go from ready_at on
};

/// A page that a group needs translated.
struct PageAccess {
  vm::VirtPage page;
  vm::Mapping mapping;
  sim::Cycle ready_at = 0;
  PageState state = PageState::unseen;
  bool walked = false;  ///< it was not in the TLB
  LaneMask lanes = 0;   ///< that need it
};

/// In which queue a group is; it is in exactly one.
enum class Stage : std::uint8_t {
  queued,      ///< of the load/store unit, in the order of issue
  head,        ///< of the coalescer: looks its pages up, or goes to the L1
  translated,  ///< behind the TLB: its lines go to the L1 when their translations are there
  held,        ///< sent away by the translation unit until no walk is under way
  walking,     ///< away until walks have ended
  starved,     ///< away until an entry for a miss is free
  ordered,     ///< away until an earlier group that it must not pass has been to the L1
  resumed,     ///< comes back to look further pages up, before those of the coalescer
};

struct LineGroup {
  Lines lines;
  SmallVector<PageAccess, 2> pages;           ///< empty before translation
  sim::Cycle operands_at = 0;                 ///< from when on it can be taken from the queue
  std::uint64_t sequence = 0;                 ///< in the order of issue
  std::uint32_t instruction = kNone;          ///< whose it is; of several, the first
  std::uint32_t next = 0;                     ///< first line not yet sent
  std::uint32_t next_page = 0;                ///< first not yet looked up
  std::uint32_t missing = 0;                  ///< pages that are being walked
  std::uint32_t epoch = 0;                    ///< flushes before its lookups
  std::uint32_t shared_cycles = 0;            ///< for which shared memory is busy with it
  std::uint32_t lines_per_cycle = kWarpSize;  ///< that banks of the L1's data allow
  std::uint32_t shared_later = 0;             ///< see SharedMemory::Use
  std::uint32_t constant_later = 0;           ///< of a constant load: later than that of one word
  sim::Cycle shared_until = 0;                ///< likewise: not_before
  std::uint16_t application = 0;
  std::uint8_t warp = 0;                       ///< context of the slot that issued it
  std::uint8_t lowest_home = 0;                ///< of the warps that its lanes are from, where they are from several
  std::array<std::uint8_t, kWarpSize> home{};  ///< by lane, the warp that it is from, where they are from several
  std::uint64_t homes = 0;                     ///< of a line that a coalescer sends by itself: all warps that it serves
  MemoryKind kind = MemoryKind::load;
  Stage stage = Stage::queued;
  bool cached = true;         ///< looks in the L1
  bool local = false;         ///< touches local memory
  bool counted = false;       ///< in the statistics of pages
  bool page_by_page = false;  ///< its pages go on one by one, whatever the policy
  bool compacted = false;     ///< lanes are from several warps
  bool overtaken = false;     ///< was sent away: later ones may go first (core/away_lines.h)

  /// Forgets what it was; the memory of its lists stays.
  void clear() {
    lines.clear();
    pages.clear();
    next = next_page = missing = shared_cycles = 0;
    lines_per_cycle = kWarpSize;
    homes = 0;
    stage = Stage::queued;
    cached = true;
    local = counted = page_by_page = compacted = overtaken = false;
  }
  void set_homes(const std::vector<exec::SlotPart>& parts);
  /// The warp that brings what it fetches into the L1 and the TLB.
  [[nodiscard]] std::uint8_t owner() const { return compacted ? lowest_home : warp; }
  [[nodiscard]] std::uint8_t home_of(unsigned lane) const { return compacted ? home[lane] : warp; }
  /// Warps whose lanes need a line, or a page, a bit each.
  [[nodiscard]] std::uint64_t homes_of(const LineRequest& line) const;
  [[nodiscard]] std::uint64_t homes_on(const PageAccess& page) const;
  [[nodiscard]] bool away() const { return stage == Stage::held || stage == Stage::walking; }
  [[nodiscard]] bool looked_up() const { return next_page == pages.size(); }
};
using GroupPool = Pool<LineGroup>;

}  // namespace heddle::core
