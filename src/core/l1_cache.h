// The L1 data cache of an SM: tags, misses in flight, banks, what stores do.
//
// The load/store unit hands it one line at a time and is told what became of it; what the cache sends to the L2 goes
// into the SM's network port. An access that cannot go says why, and changes nothing. The cache is not coherent: its
// owner empties it of an application's lines when a kernel of it begins, and flushes dirty data (of a write-back cache)
// at fences and when a kernel ends. A flush walks the lines once and writes back at most one per cycle, beside the
// accesses of that cycle.
//
// Not modelled: the data array's own bandwidth (a hit delivers its sectors at once).
#pragma once

#include <array>
#include <optional>
#include <set>

#include "core/l1_port.h"
#include "core/l1_versions.h"
#include "core/memory_observer.h"
#include "core/parameters.h"
#include "core/sm_statistics.h"
#include "core/write_policy.h"
#include "memory/cache.h"
#include "memory/network_port.h"

namespace heddle::core {

/// What an instruction wants of one line.
struct L1Access {
  memory::LineTag line;
  memory::VirtLine name;      ///< what the program calls the line, for checks
  std::uint32_t sectors = 0;  ///< units of memory::kSectorUnit
  std::uint32_t waiter = 0;   ///< loads: comes back with the fill; stores: the warp, named in the L2's answer
  std::uint16_t application = 0;
  std::uint16_t bytes = 0;  ///< data of a store
  std::uint8_t warp = 0;    ///< whose it is
  bool around = false;      ///< goes past the L1
  bool local = false;
  bool registers = false;  ///< registers kept in memory: stores stay, no flush takes them
  bool walked = false;     ///< its translation had missed the TLB
  bool renamed = false;    ///< `line` is not its own name, but the leading one of its frame
  sim::Cycle now = 0;
};

enum class L1Result : std::uint8_t {
  hit,      ///< loads: data after the hit latency; stores: done, nothing was sent
  sent,     ///< loads: waits for a fill; stores: on its way to the L2, which will answer
  stalled,  ///< cannot go before an answer comes or a packet leaves: stalled_by() says what it waits for
  retry,    ///< cannot go in this cycle, because the cache wrote back a line for it
};

class L1Cache {
 public:
  L1Cache(const L1Parameters& parameters, SmStatistics& statistics, const L1Port& port,
          MemoryObserver* observer = nullptr, std::unique_ptr<L1Versions> versions = nullptr);

  [[nodiscard]] L1Result load(const L1Access& access);
  [[nodiscard]] L1Result store(const L1Access& access);
  /// Makes sure that the line is not here and that the port has room for a packet that changes it in the L2: hit if so.
  [[nodiscard]] L1Result give_up(const L1Access& access);
  /// Sends a request of the load/store unit's own, after give_up() has said that there is room.
  void send(const memory::Request& request) { port_.push(request); }
  /// The counter of what the last access that was stalled waits for.
  [[nodiscard]] sim::ApplicationCounter* stalled_by() const { return stalled_by_; }

  /// Whether an answer can be taken: a fill may first have to write back the line it replaces.
  [[nodiscard]] bool can_fill(std::uint32_t miss, sim::Cycle now);
  /// Takes an answer. Calls done(waiter) for everyone who has waited for the line if this was the last of it.
  template <typename Done>
  void fill(std::uint32_t miss, const memory::Response& response, sim::Cycle now, Done&& done) {
    if (!fill_line(miss, response, now)) return;
    if (misses_.at(miss).renamed != 0) renamed_.erase(misses_.at(miss).renamed);
    for (const std::uint64_t waiter : misses_.at(miss).waiters) done(static_cast<std::uint32_t>(waiter));
    misses_.remove(miss);
  }

  /// Takes the line's bank for this cycle, of which `taken` says what was taken before; false if it was.
  [[nodiscard]] bool take_bank(memory::LineTag line, std::uint64_t& taken) const {
    if (banks_ == 1) return true;
    const std::uint64_t bank = std::uint64_t{1} << tags_.bank_of(line, banks_);
    const bool is_free = (taken & bank) == 0;
    taken |= bank;
    return is_free;
  }

  /// Whether these units of the line are here.
  [[nodiscard]] bool has(memory::LineTag line, std::uint32_t units) { return tags_.has(line, units); }

  /// Gives a line up, for a probe; the number is for flushed(). Nothing if there is no room to write it back.
  [[nodiscard]] std::optional<std::uint64_t> invalidate(memory::LineTag line, sim::Cycle now);
  /// Likewise everything; when that is flushed, drop_clean() ends it.
  [[nodiscard]] std::uint64_t give_up_all() {
    misses_.let_go_if([](const memory::MissTable::Miss&) { return true; });
    return flush();
  }
  // Of a virtual L1.
  /// Appends the virtual lines that are here.
  void add_virtual_lines(std::vector<memory::LineTag>& to) {
    for (std::size_t l = 0; l < tags_.size(); ++l) {
      const memory::CacheLine& line = tags_.line(l);
      if (line.valid != 0 && line.tag.is_virtual()) to.push_back(line.tag);
    }
  }
  /// The page around a virtual line, of 2 to the power of `bits` bytes, goes: if the cache has any of it, everything
  /// does (Yoon et al., section 4.2: an invalidation filter counts the lines of each page; here the tags say the same).
  /// What is on its way is not kept.
  void invalidate_page(memory::LineTag line, unsigned bits = 12);
  /// Whether the cache has a line of the 4 KiB at this address or waits for one.
  [[nodiscard]] bool knows_page(std::uint16_t space, std::uint64_t address);
  /// Loads by other names than their own so far, and whether what waited at a time for them has come.
  [[nodiscard]] std::uint64_t renamed() const { return last_renamed_; }
  [[nodiscard]] bool has_come(std::uint64_t renamed) const { return renamed_.empty() || *renamed_.begin() > renamed; }
  /// Everything virtual goes.
  void forget_virtual();

  /// A line of registers goes, written or not: what it holds is dead.
  void drop_registers(memory::LineTag line);

  /// Has so many KiB from now on, and nothing in them. False, and as it was, if something is dirty or on its way.
  [[nodiscard]] bool resize(unsigned kib);
  void drop_clean() {
    tags_.invalidate_clean([](const memory::CacheLine&) { return true; });
  }

  /// A kernel of this application begins: what is clean of the application's goes, and the rest is written back.
  void start_kernel(std::uint16_t application, sim::Cycle now);
  /// Starts to write back what is dirty now; flushed() with the number returned says when the L2 has all of it.
  std::uint64_t flush();
  [[nodiscard]] bool flushed(std::uint64_t flush) const { return walked_ >= flush && unacknowledged_ == 0; }
  [[nodiscard]] bool clean() const { return dirty_lines_ == 0 && unacknowledged_ == 0; }
  [[nodiscard]] bool flushing() const { return walked_ < flush_until_; }
  /// One cycle of a flush.
  void flush_step(sim::Cycle now);
  void written_back() { --unacknowledged_; }
  /// nullptr but in a checked run.
  [[nodiscard]] L1Versions* versions() { return versions_.get(); }
  [[nodiscard]] unsigned misses_in_flight() const { return misses_.used(); }

 private:
  [[nodiscard]] bool fill_line(std::uint32_t miss, const memory::Response& response, sim::Cycle now);
  [[nodiscard]] L1Result stall(sim::ApplicationCounter& reason) {
    stalled_by_ = &reason;
    return L1Result::stalled;
  }
  /// Finds a line to be replaced that is not dirty: nothing if there is one, else what the application's access must
  /// do.
  [[nodiscard]] std::optional<L1Result> make_room(memory::LineTag line, std::uint16_t application, sim::Cycle now);
  /// The line is written back and goes, to make room for another.
  void replace_dirty(memory::CacheLine& victim, sim::Cycle now);
  [[nodiscard]] L1Result keep(const L1Access& access);
  /// Whether the line is here, of a page that must not be written.
  [[nodiscard]] bool is_read_only(memory::LineTag tag) {
    const memory::CacheLine* line = tags_.find(tag);
    return line != nullptr && line->valid != 0 && line->read_only;
  }
  /// Takes a line for `owner`, the warp that brings it.
  [[nodiscard]] memory::CacheLine& allocate(memory::LineTag line, std::uint16_t application, std::uint8_t owner,
                                            sim::Cycle now);
  /// Sectors of the line are written: what is on its way here of them is not to be kept, and later loads ask anew.
  void outdate(const L1Access& access);
  /// Sends a line's dirty sectors; there is room in the port.
  void write_back(memory::CacheLine& line, sim::Cycle now);
  [[nodiscard]] static L1Versions::Access checked(const L1Access& access) {
    return {{access.name, access.application}, access.line, access.sectors, access.now};
  }

  const L1Parameters& p_;
  SmStatistics& statistics_;
  L1Port port_;
  MemoryObserver* observer_;
  std::unique_ptr<L1Versions> versions_;
  std::unique_ptr<memory::Lifetimes> lifetimes_;  ///< if somebody studies them
  memory::CacheTags tags_;
  memory::MissTable misses_;
  std::vector<sim::Cycle> missed_at_;      ///< by miss: when
  std::array<StoreAction, 4> on_store_{};  ///< by whether it goes around the L1, then whether it is local
  unsigned banks_;
  std::unique_ptr<WritePolicy> policy_;
  bool allocates_on_miss_;
  sim::ApplicationCounter* stalled_by_ = nullptr;
  std::size_t dirty_lines_ = 0;      ///< those of registers apart
  bool has_registers_ = false;       ///< lines of registers have been here
  std::set<std::uint64_t> renamed_;  ///< MissTable::Miss::renamed of those in flight
  std::uint64_t last_renamed_ = 0;
  std::uint64_t unacknowledged_ = 0;  ///< write-backs on their way
  std::uint64_t walked_ = 0;          ///< lines that flushes have looked at, ever
  std::uint64_t flush_until_ = 0;
};

}  // namespace heddle::core
