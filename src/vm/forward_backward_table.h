// The forward-backward table (Yoon et al., section 4 and Figure 7): what pages a virtual L2 holds lines of.
//
// The backward side is found by frame: the one page under whose name the frame's lines are cached (the leading page),
// which lines of it are in the L2, what has happened to it. The forward side finds that entry by the leading page. Both
// sides are set associative, and an entry has a place in both: one that finds no place in either set needs another to
// go first. What is where is decided here; messages and time are the owner's (vm/forward_backward.h).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "vm/types.h"

namespace heddle::vm {

/// An entry on its way out. Each state waits for something of its own.
enum class FbtState : std::uint8_t {
  free,
  open,      ///< in use
  draining,  ///< for accesses of synonyms that are on their way to the leading name
  locked,    ///< for what is on its way from memory; nothing new begins
  leaving,   ///< for the L2 to give its lines up
  notified,  ///< for the L1s
};

struct FbtEntry {
  FbtState state = FbtState::free;
  bool writable = true;
  bool written = false;  ///< since it is here, under any name
  bool synonym = false;  ///< a name other than the leading one was used
  SpaceId space = 0;     ///< of the leading page
  VirtPage page;         ///< the leading page
  PhysFrame frame;
  SpaceId other_space = 0;    ///< of the other name that was used last
  VirtPage other;             ///< that name
  std::uint32_t lines = 0;    ///< in the L2: a bit each, or how many
  std::uint32_t fetches = 0;  ///< asked of memory or granted, and the slice has not said that it has them
  std::uint32_t holds = 0;    ///< synonyms sent back whose slice has not said how many they were
  std::int32_t replays = 0;   ///< accesses of synonyms under way
  std::uint32_t answers = 0;  ///< still to come
  std::uint32_t names = 0;    ///< SMs that have not answered whether they go by its name
  bool asks_names = false;    ///< they are asked when what is told to them has been told
  std::uint64_t used = 0;

  [[nodiscard]] bool quiet() const { return fetches == 0 && holds == 0 && replays == 0; }
};

class ForwardBackwardTable {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// `page_order`: an entry is for so many pages of 4 KiB, as a power of two.
  ForwardBackwardTable(unsigned entries, unsigned ways, unsigned page_order = 0);

  [[nodiscard]] FbtEntry& at(std::uint32_t index) { return entries_[index]; }
  [[nodiscard]] const FbtEntry& at(std::uint32_t index) const { return entries_[index]; }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] std::uint32_t find(PhysFrame frame) const;
  [[nodiscard]] std::uint32_t find(SpaceId space, VirtPage page) const;
  void touch(std::uint32_t index) { entries_[index].used = ++clock_; }

  /// What a new entry needs: its place if there is one in both sets, else an entry of each set that must go first or
  /// is going already. Neither: every way of a set is busy.
  struct Room {
    std::uint32_t place = kNone;
    std::uint32_t backward = kNone;  ///< of the frame's set
    std::uint32_t forward = kNone;   ///< of the page's set
  };
  /// Entries without lines go first, then those not used for longest.
  [[nodiscard]] Room room_for(PhysFrame frame, SpaceId space, VirtPage page) const;
  void add(std::uint32_t place, PhysFrame frame, SpaceId space, VirtPage page, bool writable);
  void remove(std::uint32_t index);

 private:
  [[nodiscard]] std::size_t backward_set(PhysFrame frame) const {
    return (frame.number >> order_ & (sets_ - 1)) * ways_;
  }
  [[nodiscard]] std::size_t forward_set(SpaceId space, VirtPage page) const {
    return ((page.number >> order_ ^ std::uint64_t{space} * 0x9e3779b9u) & (sets_ - 1)) * ways_;
  }
  /// Whether `a` is to go rather than `b`, which may be kNone.
  [[nodiscard]] bool goes_before(std::uint32_t a, std::uint32_t b) const;

  unsigned ways_;
  unsigned order_;
  std::size_t sets_;
  std::vector<FbtEntry> entries_;       ///< the backward side
  std::vector<std::uint32_t> forward_;  ///< entries, by set of the forward side
  std::uint64_t clock_ = 0;
};

}  // namespace heddle::vm
