// Follows writes to the reads that must see them, in checked runs.
//
// What programs compute does not depend on what caches do: data lies by virtual page, and a wrong translation changes
// no value. So in a checked run (`check_lines`) every write has a version, and versions go where the data would go:
// with a store to the L2, with a write-back to memory, with an answer into the L1. A read that gets another version
// than its bytes had at some time while it was under way has met a stale line, a wrong frame or a lost write-back.
//
// Which bytes a request means is said by their name in the program: address space and virtual line. A virtual L2 says
// besides whose bytes it has served, by the frame of the line: those must be what the page meant then, and a write must
// have been allowed then (memory/page_meanings.h). The order of writes is that in which the L2 serves them. Host copies
// have no versions: they are taken to be seen everywhere. Writes of a host beside a virtual L2 have.
//
// Shards call this side by side; what they say is judged between quanta, when all of it is there.
#pragma once

#include <array>
#include <bit>
#include <bitset>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "memory/page_meanings.h"
#include "memory/request.h"

namespace heddle::memory {

/// A write, or how the host left the bytes.
using Version = std::uint64_t;
/// Of each unit of a line.
using Versions = std::array<Version, 8>;

/// What a program calls a line.
struct LineName {
  VirtLine line;
  std::uint16_t space = 0;
  bool operator<(const LineName& other) const {
    return line.address != other.line.address ? line.address < other.line.address : space < other.space;
  }
};

/// What travels with a request and its answer. Whoever sends the request opens it and closes it with the answer.
struct LineRecord {
  LineName name;
  Versions versions{};       ///< of a write: its own; of a read: what it got
  sim::Cycle asked_at = 0;   ///< when the request was made
  sim::Cycle served_at = 0;  ///< of a write: when the L2 took it
  LineName meant{};          ///< what a virtual L2 served; else `name`
};

class LineChecker {
 public:
  [[nodiscard]] std::uint32_t open(const LineName& name, sim::Cycle now);
  [[nodiscard]] LineRecord& at(std::uint32_t record);
  void close(std::uint32_t record);
  /// The version of another write by this SM.
  [[nodiscard]] Version next(std::uint16_t sm);

  /// The L2 has taken a write of these units.
  void wrote(const LineRecord& record, std::uint32_t units, sim::Cycle now);
  /// A virtual L2 serves the request with the line of that tag.
  void serves(LineRecord& record, LineTag line, bool write, sim::Cycle now);
  /// An SM got these versions; they must have been the bytes' own at some time from `from` to `until`.
  struct Read {
    LineName name;
    std::uint32_t units = 0;
    Versions versions{};
    sim::Cycle from = 0;
    sim::Cycle until = 0;
    std::uint16_t sm = 0;
    std::optional<LineName> meant = {};  ///< whose bytes they are; else what the name says
    bool is_here = false;                ///< found in the L1: the page means them when they are read
  };
  void read(const Read& read);

  // What memory behind the L2 holds.
  void store(PhysLine line, std::uint32_t units, const Versions& versions);
  void load(PhysLine line, std::uint32_t units, Versions& versions);
  /// A host beside a virtual L2 writes the line, which no cache has.
  void host_writes(PhysLine line, std::uint32_t units, sim::Cycle now);

  // A virtual L2. Its table holds the frame's lines under the name of this page from now on, or no more; a slice has
  // sent a line away, or the table has heard of it.
  void leads(std::uint16_t space, std::uint64_t page, std::uint64_t frame);
  void leads_no_more(std::uint16_t space, std::uint64_t page);
  void leaves(LineTag line);
  void left(LineTag line);
  [[nodiscard]] bool is_leaving(LineTag line);
  /// Lines on their way out of the page around this one, which has 2 to the power of `bits` bytes.
  [[nodiscard]] std::uint32_t count_leaving(LineTag page, unsigned bits);
  /// No cache has anything of the page that is older.
  void forgets(std::uint16_t space, std::uint64_t page, sim::Cycle now);

  // The host's doings, between quanta. Pages and frames are of 4 KiB, by number.
  /// The frame is the page's from now on, with whatever is in it.
  void give(std::uint64_t frame, std::uint16_t space, std::uint64_t page);
  /// The page lies in that frame from now on, with its data: those of the old frame, if nothing of it is under way.
  void move(std::uint64_t frame, std::uint16_t space, std::uint64_t page, std::optional<std::uint64_t> old = {});
  /// The page is a name of that owner's bytes from now on.
  void renames(std::uint16_t space, std::uint64_t page, std::uint64_t owner);
  /// The page must not be written from now on, or may be.
  void guards(std::uint16_t space, std::uint64_t page, bool guarded);
  /// The time of what the host does.
  void set_time(sim::Cycle now) { now_ = now; }

  /// Between quanta: throws InvariantError that names the line, the SM and the writes if a read got what it must not,
  /// or a write went where it must not.
  void judge();
  [[nodiscard]] std::uint64_t judged() const { return judged_; }

 private:
  struct Unit {
    std::uint64_t number = 0;  ///< virtual address / kSectorUnit
    std::uint16_t space = 0;
    bool operator<(const Unit& other) const {
      return number != other.number ? number < other.number : space < other.space;
    }
  };
  using Page = PageName;
  struct Write {
    Version version = 0;
    sim::Cycle at = 0;
  };

  /// What has been written to a frame; the rest is as the host left it.
  struct Frame {
    std::array<Version, (std::size_t{1} << 12) / kSectorUnit> versions{};
    std::bitset<(std::size_t{1} << 12) / kSectorUnit> written;
    void write(std::uint64_t unit, Version version) {
      versions[unit] = version;
      written.set(unit);
    }
  };

  static constexpr Version kHost = Version{1} << 63;
  static constexpr std::uint16_t kHostWriter = 0xfff;  ///< beside the SMs
  static constexpr unsigned kSmShift = 44;
  static constexpr unsigned kFrameBits = 12;
  static constexpr unsigned kUnitsOfPage = (1u << kFrameBits) / kSectorUnit;

  [[nodiscard]] static Unit unit_of(const LineName& name, unsigned unit) {
    return {name.line.address / kSectorUnit + unit, name.space};
  }
  [[nodiscard]] static Page page_of(const Unit& unit) { return {unit.space, unit.number / kUnitsOfPage}; }
  /// How the host left it.
  [[nodiscard]] Version initial(const Unit& unit) const;
  void judge(const Read& read, unsigned unit) const;
  void judge_meaning(const Read& read) const;
  /// Whose bytes lie in the frame now.
  [[nodiscard]] std::optional<PageName> owner_of(std::uint64_t frame) const;
  [[nodiscard]] Version next_version(std::uint16_t sm) { return ++next_[sm] | Version{sm} << kSmShift; }
  void write_memory(PhysLine line, std::uint32_t units, const Versions& versions);
  void note_write(const LineName& name, std::uint32_t units, const Versions& versions, sim::Cycle now);
  /// Whether the frame of the unit's page belonged to the version's page before.
  [[nodiscard]] bool is_left_over(Version version, const Unit& unit) const;
  [[nodiscard]] std::string describe(Version version) const;

  std::mutex mutex_;
  std::deque<LineRecord> records_{1};  ///< the first is nobody's
  std::vector<std::uint32_t> free_;
  std::unordered_map<std::uint16_t, Version> next_;  ///< by SM
  std::map<Unit, std::vector<Write>> history_;       ///< in the order in which the L2 took them
  std::unordered_map<Version, std::pair<Unit, sim::Cycle>> served_;
  std::unordered_map<std::uint64_t, Frame> memory_;              ///< by number
  std::unordered_map<std::uint64_t, std::vector<Page>> owners_;  ///< by frame, the last is the present one
  std::map<Page, std::uint64_t> frames_;
  PageMeanings meanings_;
  std::unordered_map<std::uint64_t, unsigned> leaving_;  ///< messages under way, by tag
  std::string wrong_;                                    ///< what a shard has found
  sim::Cycle now_ = 0;
  std::vector<Read> reads_;
  std::uint64_t judged_ = 0;
};

/// Calls f(unit) for each unit of the mask.
template <typename Function>
void for_each_unit(std::uint32_t units, Function&& f) {
  for (; units != 0; units &= units - 1) f(static_cast<unsigned>(std::countr_zero(units)));
}

/// The versions of the lines in one cache.
class CacheVersions {
 public:
  void put(LineTag line, std::uint32_t units, const Versions& versions) {
    Versions& mine = lines_[line.bits()];
    for_each_unit(units, [&](unsigned u) { mine[u] = versions[u]; });
  }
  void get(LineTag line, std::uint32_t units, Versions& versions) {
    const Versions& mine = lines_[line.bits()];
    for_each_unit(units, [&](unsigned u) { versions[u] = mine[u]; });
  }
  [[nodiscard]] const Versions& at(LineTag line) { return lines_[line.bits()]; }

 private:
  std::unordered_map<std::uint64_t, Versions> lines_;
};

}  // namespace heddle::memory
