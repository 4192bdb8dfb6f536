// Tags of a cache, and its misses in flight. Timing is the owner's; what is where is decided here.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "memory/replacement.h"
#include "memory/request.h"
#include "sim/parameter.h"

namespace heddle::memory {

struct CacheParameters : sim::ParameterGroup {
  CacheParameters(sim::ParameterGroup& parent, std::string key, std::string description)
      : ParameterGroup(parent, std::move(key), std::move(description)) {}
  sim::Parameter<unsigned> kib{*this, "kib", 16, {1, 65536}, "KiB", "Capacity (of one slice, for the L2)."};
  sim::Parameter<unsigned> ways{*this, "ways", 4, {1, 256}, "ways", "Associativity."};
  sim::Parameter<unsigned> line_bytes{*this, "line_bytes", 128, {32, 256}, "bytes", "Line size; a power of two."};
  sim::Parameter<unsigned> sector_bytes{*this,   "sector_bytes",
                                        128,     {32, 256},
                                        "bytes", "What a miss fetches; the line size for a cache without sectors."};
  sim::Parameter<unsigned> latency{*this, "latency", 30, {1, 1000}, "core cycles", "From access to data, on a hit."};
  sim::Parameter<unsigned> mshrs{*this, "mshrs", 32, {1, 4096}, "lines", "Lines that may be missing at once."};
  sim::Parameter<unsigned> mshr_merges{*this,     "mshr_merges", 8,
                                       {1, 4096}, "requests",    "Requests that may wait for one missing line."};
  sim::Choice index{
      *this,
      "index",
      "folded",
      {"folded", "fermi"},
      "Which set a line belongs to: the line's number folded by exclusive or, or the L1 hash that Nugteren "
      "et al. (HPCA 2014) found in Fermi (32 or 64 sets of 128-byte lines)."};
  sim::Plug<ReplacementRegistry> replacement{*this, "replacement", "lru", "Which line of a set goes first."};

  [[nodiscard]] unsigned sets() const { return std::max(1u, kib * 1024u / (ways * line_bytes)); }
  /// The units that a fetch of these units brings: whole sectors of this cache.
  [[nodiscard]] std::uint32_t widen(std::uint32_t units) const {
    const unsigned group = std::max(1u, sector_bytes / kSectorUnit);
    const unsigned count = std::max(1u, line_bytes / kSectorUnit);
    if (group == 1) return units;
    std::uint32_t wide = 0;
    for (unsigned first = 0; first < count; first += group) {
      const std::uint32_t sector = ((group >= 32 ? 0u : 1u << group) - 1) << first;
      if ((units & sector) != 0) wide |= sector;
    }
    return wide;
  }
};

/// Which set of a cache a line belongs to.
class SetIndex {
 public:
  explicit SetIndex(const CacheParameters& parameters) : SetIndex(parameters, parameters.sets()) {}
  /// `rotates`: of a cache that has other than all its sets.
  SetIndex(const CacheParameters& parameters, std::size_t sets, bool rotates = false);
  [[nodiscard]] std::size_t operator()(LineTag tag) const {
    const std::uint64_t line = tag.bits() >> line_shift_;
    if (rotates_) {
      // Lines that follow each other fill all sets alike, however many there are.
      const std::uint64_t round = line / sets_;
      const std::uint64_t set = line - round * sets_ + (round & kMostRotated);
      return set < sets_ ? set : set % sets_;
    }
    if (is_fermi_) return fermi(line) & (sets_ - 1);
    // Partition selection has used up the low bits of what an L2 slice sees, and a plain modulo would leave sets
    // unused.
    const std::uint64_t hashed = line ^ line >> set_shift_ ^ line >> 2 * set_shift_;
    return sets_are_power_of_two_ ? hashed & (sets_ - 1) : hashed % sets_;
  }
  /// Which of so many banks it is in: the low bits of the hash, or lines in turn.
  [[nodiscard]] std::size_t bank(LineTag tag, std::size_t banks) const {
    const std::uint64_t line = tag.bits() >> line_shift_;
    return (is_fermi_ ? fermi(line) : line) % banks;
  }

 private:
  /// Bits 7 to 12 of the address; of those, 7 to 11 each with one of bits 13, 14, 15, 17, 19.
  [[nodiscard]] static std::uint64_t fermi(std::uint64_t line) {
    const std::uint64_t upper = (line >> 6 & 7) | (line >> 10 & 1) << 3 | (line >> 12 & 1) << 4;
    return (line & 63) ^ upper;
  }

  unsigned line_shift_;
  std::size_t sets_;
  unsigned set_shift_;
  bool sets_are_power_of_two_;
  bool is_fermi_;
  bool rotates_;
  static constexpr std::uint64_t kMostRotated = 255;
};

struct CacheLine {
  LineTag tag;
  std::uint32_t valid = 0;  ///< units of kSectorUnit bytes
  std::uint32_t dirty = 0;
  std::uint16_t application = 0;  ///< whose it is; who wrote what is dirty
  std::uint8_t owner = 0;         ///< in an L1, the warp that brought it
  bool read_only = false;         ///< of a virtual cache: the page must not be written
  std::uint16_t copied = 0;       ///< in an L2: whether a copy of the host left it there, see l2_slice.cpp
  bool registers : 1 = false;     ///< in an L1: a register file's, not a program's
  bool reserved : 1 = false;      ///< waits for its fill and may not be replaced
  bool copy : 1 = false;          ///< in an L2 of two halves: the home of the line is the other half
};

class CacheTags {
 public:
  /// `statistics`: of the cache, for what the replacement counts. `parts`: the cache is divided among so many of these.
  CacheTags(const CacheParameters& parameters, sim::StatisticGroup& statistics, unsigned parts = 1);

  /// The line's entry, valid sectors or reserved; nullptr if it is not here.
  [[nodiscard]] CacheLine* find(LineTag tag) {
    const std::size_t set = set_of(tag) * ways_;
    for (std::size_t i = set; i < set + ways_; ++i) {
      if (tags_[i] != tag) continue;
      CacheLine& line = lines_[i];
      if (line.tag == tag && (line.valid != 0 || line.reserved)) return &line;
    }
    return nullptr;
  }
  void touch(const CacheLine& line);
  /// Only so many sets are used from now on. Nothing is here, nor waited for.
  void use_sets(const CacheParameters& parameters, std::size_t sets) { set_index_ = SetIndex(parameters, sets, true); }
  /// Whether these units of the line are here.
  [[nodiscard]] bool has(LineTag tag, std::uint32_t units) {
    const CacheLine* line = find(tag);
    return line != nullptr && (line->valid & units) == units;
  }
  /// The entry that allocate() would replace; nullptr if every way is reserved.
  [[nodiscard]] CacheLine* victim(LineTag tag);
  /// Makes room for a line. Returns its entry, with what was there before in `evicted`; nullptr if every way is
  /// reserved.
  [[nodiscard]] CacheLine* allocate(LineTag tag, CacheLine& evicted);
  /// Drops every line that is neither dirty nor waited for and of which `which(line)` says so.
  template <typename Predicate>
  void invalidate_clean(Predicate&& which) {
    if (empty_) return;  // at the start of every kernel, on every SM: most of a small launch's cost otherwise
    empty_ = true;
    for (CacheLine& line : lines_) {
      if (!line.reserved && line.dirty == 0 && which(line)) line = {};
      empty_ = empty_ && line.tag == LineTag{};
    }
  }
  /// Like that, and of a line that is waited for what is there already goes, too.
  template <typename Predicate>
  void forget_clean(Predicate&& which) {
    for (CacheLine& line : lines_) {
      if (line.dirty == 0 && line.reserved && which(line)) line.valid = 0;
    }
    invalidate_clean(which);
  }
  [[nodiscard]] std::size_t size() const { return lines_.size(); }
  [[nodiscard]] CacheLine& line(std::size_t index) { return lines_[index]; }
  [[nodiscard]] std::size_t bank_of(LineTag tag, std::size_t banks) const { return set_index_.bank(tag, banks); }

 private:
  [[nodiscard]] std::size_t set_of(LineTag tag) const { return set_index_(tag); }

  unsigned ways_;
  SetIndex set_index_;
  std::vector<CacheLine> lines_;
  std::vector<LineTag> tags_;  ///< what each line was last allocated for, side by side, to be searched
  bool empty_ = true;          ///< nothing has come since everything went
  std::unique_ptr<Replacement> replacement_;
};

/// Misses in flight, found by a hash of the line. A miss holds a list of waiters, each a number that means something to
/// the owner.
class MissTable {
 public:
  MissTable(unsigned entries, unsigned merges)
      : merges_(merges), slots_(std::bit_ceil(std::size_t{2} * entries), kNone), entries_(entries) {
    for (unsigned i = entries; i != 0; --i) free_.push_back(i - 1);
  }

  struct Miss {
    LineTag line;
    std::uint32_t requested = 0;  ///< sectors on their way
    std::uint32_t changed = 0;  ///< in an L2: sectors that atomics among the waiters change; in an L1: by stores since
    bool fills = true;          ///< the cache keeps the line
    bool outdated = false;      ///< let_go() of
    std::uint64_t renamed = 0;  ///< in a virtual L1: a number, if somebody waits under another name
    std::uint8_t owner = 0;     ///< as in CacheLine, with the next
    std::uint16_t application = 0;
    std::vector<std::uint64_t> waiters;
  };

  [[nodiscard]] std::optional<std::uint32_t> find(LineTag line) const {
    if (empty()) return std::nullopt;
    for (std::size_t s = home(line); slots_[s] != kNone; s = next(s)) {
      if (entries_[slots_[s]].line == line) return slots_[s];
    }
    return std::nullopt;
  }
  [[nodiscard]] bool full() const { return free_.empty(); }
  [[nodiscard]] bool empty() const { return free_.size() == entries_.size(); }
  [[nodiscard]] unsigned used() const { return static_cast<unsigned>(entries_.size() - free_.size()); }
  [[nodiscard]] bool can_merge(std::uint32_t miss) const { return entries_[miss].waiters.size() < merges_; }
  [[nodiscard]] std::uint32_t add(LineTag line, bool fills) {
    const std::uint32_t i = free_.back();
    free_.pop_back();
    std::size_t s = home(line);
    while (slots_[s] != kNone) s = next(s);
    slots_[s] = i;
    entries_[i].line = line;
    entries_[i].requested = 0;
    entries_[i].changed = 0;
    entries_[i].outdated = false;
    entries_[i].renamed = 0;
    entries_[i].fills = fills;
    entries_[i].waiters.clear();
    return i;
  }
  [[nodiscard]] Miss& at(std::uint32_t miss) { return entries_[miss]; }
  /// The line is written elsewhere while it is on its way: those who wait for it get it, and nobody finds it any more.
  void let_go(std::uint32_t miss) {
    unlist(miss);
    entries_[miss].fills = false;
    entries_[miss].outdated = true;
  }
  /// Lets go of those for which `which(miss)` says so.
  template <typename Predicate>
  void let_go_if(Predicate&& which) {
    if (empty()) return;  // as mostly at the start of a kernel, on every SM
    std::vector<std::uint32_t> chosen;
    for (const std::uint32_t miss : slots_) {
      if (miss != kNone && which(entries_[miss])) chosen.push_back(miss);
    }
    for (const std::uint32_t miss : chosen) let_go(miss);
  }
  /// Whether `which(miss)` says so of any that may be found.
  template <typename Predicate>
  [[nodiscard]] bool any(Predicate&& which) const {
    return std::any_of(slots_.begin(), slots_.end(),
                       [&](std::uint32_t miss) { return miss != kNone && which(entries_[miss]); });
  }
  void remove(std::uint32_t miss) {
    if (!entries_[miss].outdated) unlist(miss);
    free_.push_back(miss);
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  void unlist(std::uint32_t miss) {
    std::size_t hole = home(entries_[miss].line);
    while (slots_[hole] != miss) hole = next(hole);
    // Those behind the hole that would no longer be found move into it.
    for (std::size_t s = next(hole); slots_[s] != kNone; s = next(s)) {
      const std::size_t distance = (s - home(entries_[slots_[s]].line)) & (slots_.size() - 1);
      if (distance < ((s - hole) & (slots_.size() - 1))) continue;
      slots_[hole] = slots_[s];
      hole = s;
    }
    slots_[hole] = kNone;
  }
  [[nodiscard]] std::size_t home(LineTag line) const {
    return (line.bits() * 0x9e3779b97f4a7c15u >> 32) & (slots_.size() - 1);
  }
  [[nodiscard]] std::size_t next(std::size_t slot) const { return (slot + 1) & (slots_.size() - 1); }

  unsigned merges_;
  std::vector<std::uint32_t> slots_;  ///< entries by hash, at most half of them taken
  std::vector<Miss> entries_;
  std::vector<std::uint32_t> free_;
};

}  // namespace heddle::memory
