// Managed memory that migrates. Where each page is; faults of the device's accesses, which the host serves in batches;
// prefetches; advice; what goes back.
//
// SMs ask reach() before an access goes to the L1, with or without address translation: a line in a cache belongs to a
// page that is on the device. Everything else happens between quanta. A batch: the first fault wakes the host, which
// after a while looks at what has faulted, brings the pages of each block with those that the tree of the prefetcher
// adds (vm/page_growth.h), over the link one after the other, and then lets all accesses that wait try again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/ring.h"
#include "sim/time.h"
#include "vm/host_link.h"
#include "vm/managed_parameters.h"
#include "vm/page_block.h"

namespace heddle::vm {

enum class Reach : std::uint8_t { here, remote, away };
enum class Side : std::uint8_t { device, host };
enum class Advice : std::uint8_t { read_mostly, preferred, accessed_by };

/// An access of the device that cannot go on.
struct ManagedFault {
  SpaceId space = 0;
  std::uint64_t address = 0;
  bool write = false;
};

class ManagedMemory {
 public:
  struct Setup {
    const ManagedParameters& parameters;
    sim::StatisticGroup& statistics;
    double core_mhz = 1000;
    std::function<double(std::uint64_t bytes)> copy_ns;  ///< what the link takes for a transfer
    HostLink& link;
    /// Pages have come over the link, or have left: caches and TLBs are told.
    std::function<void(SpaceId, std::uint64_t address, std::uint64_t bytes)> came;
    std::function<void(SpaceId, std::uint64_t address, std::uint64_t bytes)> left;
  };
  explicit ManagedMemory(const Setup& setup);

  // The host's calls, between runs or in a serial step.
  void add(SpaceId space, std::uint64_t address, std::uint64_t bytes);
  void remove(SpaceId space, std::uint64_t address, std::uint64_t bytes);
  /// What the device has for managed memory.
  void set_room(std::uint64_t bytes) { room_ = bytes / kPageBytes; }
  /// nullptr: there is no managed memory.
  [[nodiscard]] const PageBlock* block(SpaceId space, std::uint64_t address) const;
  [[nodiscard]] std::uint64_t resident_pages() const { return resident_; }
  /// Sets or takes back advice. `side` is of a preferred location, and of who accesses.
  void advise(SpaceId space, std::uint64_t address, std::uint64_t bytes, Advice advice, Side side, bool set);
  /// The host has touched these pages of a block, and of those written some. Returns the chunks that go back.
  std::uint64_t touch(SpaceId space, std::uint64_t address, const PageSet& touched, const PageSet& written);
  /// Of all that touch() sent back between two calls of the host: what it took. No time of the device passes, and the
  /// link is free again when the host calls.
  void count_back(std::uint64_t chunks);

  struct Prefetch {
    Side to = Side::device;
    sim::Cycle ends_at = 0;
    std::vector<std::pair<std::uint64_t, PageSet>> pages;  ///< by block
  };
  [[nodiscard]] Prefetch begin_prefetch(SpaceId space, std::uint64_t address, std::uint64_t bytes, Side to,
                                        sim::Cycle now);
  void end_prefetch(const Prefetch& prefetch);

  // The device's.
  /// Whether there is any managed memory.
  [[nodiscard]] bool in_use() const { return !blocks_.empty(); }
  /// False: every page is on the device alone, and nothing has to be asked.
  [[nodiscard]] bool any_away() const { return away_ != 0; }
  [[nodiscard]] Reach reach(SpaceId space, std::uint64_t address, bool write) const;
  void fault(const ManagedFault& fault, sim::Cycle now);
  /// When an access to memory of the host that begins now has been answered.
  [[nodiscard]] sim::Cycle access_remotely(std::uint64_t bytes, bool write, sim::Cycle now);
  /// An access has waited.
  void waited(sim::Cycle cycles) {
    ++statistics_.waits;
    statistics_.waited += cycles;
  }
  void advance(sim::Cycle now);
  /// Whether a batch or a prefetch is under way.
  [[nodiscard]] bool brings_pages() const { return wakes_at() != sim::kNever || prefetches_ != 0; }
  /// The program has had its turn: the host has nothing to do with faults, and sleeps.
  void sleep() { awake_ = false; }
  [[nodiscard]] sim::Cycle wakes_at() const { return std::min(look_at_, ends_at_); }
  /// Grows when accesses that wait may find their pages.
  [[nodiscard]] std::uint64_t generation() const { return generation_; }
  [[nodiscard]] unsigned waiting() const { return p_.waiting; }
  [[nodiscard]] const ManagedStatistics& statistics() const { return statistics_; }

 private:
  static constexpr std::uint64_t kPageBytes = 4096;
  static constexpr std::uint64_t kBlockBytes = kBlockPages * kPageBytes;
  static constexpr std::uint64_t kNoBlock = ~std::uint64_t{0};
  struct Fault {
    std::uint64_t block;
    std::uint16_t page;
    bool write;
  };
  /// What the host does for the faults of a block.
  struct Service {
    std::uint64_t block = kNoBlock;
    PageSet faulted = {};
    PageSet written = {};
    PageSet coming = {};
    PageSet collapsed = {};  ///< on both sides, and written
    PageSet mapped = {};     ///< to be accessed where they are
  };

  [[nodiscard]] static std::uint64_t key(SpaceId space, std::uint64_t address) {
    return std::uint64_t{space} << 48 | address / kBlockBytes;
  }
  [[nodiscard]] static std::size_t page_in(std::uint64_t address) { return address / kPageBytes % kBlockPages; }
  [[nodiscard]] PageBlock* find(std::uint64_t block);
  [[nodiscard]] sim::Cycle cycles(double nanoseconds) const;
  [[nodiscard]] std::uint64_t chunks(const PageSet& pages) const;
  /// Calls f(key, pages) for the blocks of a range.
  static void for_each_part(SpaceId space, std::uint64_t address, std::uint64_t bytes,
                            const std::function<void(std::uint64_t, const PageSet&)>& f);
  /// Changes a block and keeps the sums that depend on it.
  template <typename Change>
  void change(PageBlock& block, Change&& how);
  /// The link carries pages in a direction, from `at` on; when it is through.
  [[nodiscard]] sim::Cycle carry(sim::Cycle& link, const PageSet& pages, sim::Cycle at);
  void tell_came(const PageBlock& block, const PageSet& pages) const;
  void tell_left(const PageBlock& block) const;

  // managed_batches.cpp
  void look(sim::Cycle now);
  [[nodiscard]] std::vector<Service> take_faults();
  [[nodiscard]] sim::Cycle serve(Service& service, sim::Cycle at);
  void end_batch();
  void arrive(PageBlock& block, const PageSet& pages, const PageSet& written);
  /// Makes room for so many pages; false: there is none to be made. `at` moves on by what that takes.
  [[nodiscard]] bool make_room(std::uint64_t pages, std::uint64_t for_block, sim::Cycle& at);
  [[nodiscard]] std::uint64_t oldest(std::uint64_t but) const;

  const ManagedParameters& p_;
  Setup setup_;
  ManagedStatistics statistics_;
  Growth growth_;
  std::unordered_map<std::uint64_t, PageBlock> blocks_;
  std::uint64_t room_ = ~std::uint64_t{0};
  std::uint64_t resident_ = 0;
  std::uint64_t away_ = 0;
  std::uint64_t arrivals_ = 0;
  std::uint64_t generation_ = 0;
  Ring<Fault> queue_;
  std::vector<Service> batch_;  ///< that the host serves
  sim::Cycle look_at_ = sim::kNever;
  sim::Cycle ends_at_ = sim::kNever;
  sim::Cycle began_at_ = 0;
  bool awake_ = false;
  unsigned prefetches_ = 0;  ///< under way
  double remote_rest_ = 0;   ///< cycles of the link that remote accesses have not been given yet
};

template <typename Change>
void ManagedMemory::change(PageBlock& block, Change&& how) {
  resident_ -= block.resident().count();
  away_ -= block.away().count();
  std::forward<Change>(how)();
  resident_ += block.resident().count();
  away_ += block.away().count();
}

}  // namespace heddle::vm
