// Plug point: page-table walkers.
//
// A walker takes jobs, reads page-table entries through its owner's port to memory and reports what it found. The
// owner ticks it when it says so and hands it the answers. A walk that was under way when TLBs were flushed may have
// seen entries that have changed since: it ends without a result and is walked again.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "sim/registry.h"
#include "sim/statistic.h"
#include "sim/time.h"
#include "vm/address_space.h"
#include "vm/page_walk_cache.h"

namespace heddle::vm {

class Walker;
struct WalkerSetup;
using WalkerRegistry = sim::Registry<Walker, const WalkerSetup&>;

struct WalkerParameters : sim::ParameterGroup {
  WalkerParameters(sim::ParameterGroup& parent, const std::string& name, const std::string& text);
  sim::Plug<WalkerRegistry> kind;
  sim::Parameter<unsigned> walks{*this,     "walks", 1,
                                 {1, 4096}, "walks", "Walks in flight at once; the rest wait in order."};
  sim::Parameter<unsigned> queue{
      *this, "queue", 65536, {1, 65536}, "walks", "Walks that may wait; who has another waits until there is room."};
  sim::Parameter<unsigned> latency{
      *this, "latency", 0, {0, 10000}, "core cycles", "From a TLB miss to the walker, for a walker beside the TLB."};
  PageWalkCacheParameters cache{*this, "cache", "The page-walk cache."};
};

struct WalkerStatistics : sim::StatisticGroup {
  WalkerStatistics(sim::StatisticGroup& parent, const std::string& name) : StatisticGroup(parent, name) {}
  sim::ApplicationCounter walks{*this, "walks", "walks", "Walks that ended with a translation."};
  sim::ApplicationCounter restarted{*this, "restarted", "walks",
                                    "Walks done again because TLBs were flushed meanwhile."};
  sim::ApplicationCounter faults{*this, "faults", "walks", "Walks that found no translation."};
  sim::ApplicationCounter waited{*this, "waited", "core cycles", "From a miss to the start of its walk, summed."};
  sim::ApplicationCounter latency{*this, "latency", "core cycles", "From a miss to its translation, summed."};
  sim::ApplicationCounter latency_level4{*this, "latency_level4", "core cycles",
                                         "Spent reading entries of level 4, the root."};
  sim::ApplicationCounter latency_level3{*this, "latency_level3", "core cycles", "Spent reading entries of level 3."};
  sim::ApplicationCounter latency_level2{*this, "latency_level2", "core cycles", "Spent reading entries of level 2."};
  sim::ApplicationCounter latency_level1{*this, "latency_level1", "core cycles", "Spent reading entries of level 1."};
  sim::ApplicationCounter reads{*this, "reads", "reads", "Entries read from memory."};
  sim::ApplicationCounter reads_l2{*this, "reads_l2", "reads", "Of those, found in the L2 cache."};
  sim::ApplicationCounter reads_saved{
      *this, "reads_saved", "reads",
      "Reads that another walk of the same batch made as well, and that were not made again."};
  sim::ApplicationCounter cache_hits{*this, "cache_hits", "reads", "Entries or tables found in the page-walk cache."};
  sim::ApplicationCounter cache_misses{*this, "cache_misses", "reads", "Looked for in the page-walk cache in vain."};
  sim::Counter busy{*this, "busy", "core cycles", "Time with at least one walk under way."};
  sim::Counter active{*this, "active", "walk cycles", "Walks under way, summed over time."};
  sim::Counter most_active{*this, "most_active", "walks", "Most walks under way at once.", sim::Counter::Merge::most};
  sim::ApplicationCounter queued{*this, "queued", "walks",
                                 "Walks waiting or under way when another is asked for, summed."};
  sim::Counter most_queued{*this, "most_queued", "walks", "Most jobs waiting at once.", sim::Counter::Merge::most};
};

struct WalkJob {
  const AddressSpace* space = nullptr;
  VirtPage page;
  std::uint64_t token = 0;              ///< the owner's
  sim::Cycle missed_at = 0;             ///< when the TLB missed
  sim::Cycle starts_at = 0;             ///< not before
  std::uint8_t warp = memory::kNoWarp;  ///< of its SM, that missed first
  bool write = false;  ///< no walk: the page must not be written, and somebody wants to (vm/page_changes.h)
};

struct WalkResult {
  WalkJob job;
  bool fault = false;
  Mapping mapping;
};

/// A read of a page-table entry.
struct EntryRead {
  std::uint64_t address = 0;
  std::uint32_t id = 0;  ///< comes back in Walker::answer()
  SpaceId space = 0;
  std::uint8_t warp = memory::kNoWarp;
  unsigned level = 0;
};

/// How a walker reads memory: its owner's port.
class EntryReader {
 public:
  virtual ~EntryReader() = default;
  [[nodiscard]] virtual bool can_read() const = 0;
  /// Asks for the entry; the answer comes to Walker::answer() with the same id.
  virtual void read(const EntryRead& entry) = 0;
};

struct WalkerSetup {
  const WalkerParameters& parameters;
  WalkerStatistics& statistics;
  EntryReader& reader;
  unsigned applications = 1;  ///< with more than one, each is counted apart
};

class Walker {
 public:
  using Setup = WalkerSetup;
  explicit Walker(const Setup& setup);
  virtual ~Walker() = default;
  Walker(const Walker&) = delete;
  Walker& operator=(const Walker&) = delete;

  /// Whether another job must wait. Walks whose fault was served come back all the same.
  [[nodiscard]] bool full() const { return queue_.size() >= parameters_.queue; }
  void add(const WalkJob& job) {
    statistics_.queued[job.space->id()] += outstanding();
    queue_.push_back(job);
  }
  /// Advances to this cycle. Results are in finished() afterwards.
  virtual void tick(sim::Cycle now) = 0;
  /// The answer to a read.
  virtual void answer(std::uint32_t id, bool from_l2, sim::Cycle now) = 0;
  /// When tick() has something to do; kNever if only an answer can help. Reads that the port refuses are tried again
  /// in every cycle.
  [[nodiscard]] virtual sim::Cycle wakes_at() const = 0;
  /// TLBs were flushed.
  virtual void flush() = 0;
  /// Of one address space. A walker that does not tell them apart does all again.
  virtual void flush_space(SpaceId /*space*/) { flush(); }
  [[nodiscard]] virtual std::size_t active() const = 0;

  [[nodiscard]] std::vector<WalkResult>& finished() { return finished_; }
  [[nodiscard]] std::size_t outstanding() const { return queue_.size() + active(); }
  [[nodiscard]] PageWalkCache& cache() { return cache_; }
  /// What to read of the line that an entry is on: its sector, or all of it for a cache of lines.
  [[nodiscard]] std::uint32_t sectors(std::uint64_t entry_address, unsigned line_bytes) const {
    if (cache_.physical()) return (1u << line_bytes / memory::kSectorUnit) - 1;
    return 1u << entry_address % line_bytes / memory::kSectorUnit;
  }
  [[nodiscard]] std::size_t free_walks() const {
    return parameters_.walks > outstanding() ? parameters_.walks - outstanding() : 0;
  }

 protected:
  /// Keeps the statistics of how many walks are under way; call before the number changes.
  void count_active(sim::Cycle now);
  void count_start(const WalkJob& job, sim::Cycle now);
  void count_level(const WalkJob& job, unsigned level, sim::Cycle cycles);
  void finish(const WalkJob& job, Entry entry, unsigned level, sim::Cycle now);
  void fault(const WalkJob& job);

  const WalkerParameters& parameters_;
  WalkerStatistics& statistics_;
  EntryReader& reader_;
  PageWalkCache cache_;
  std::deque<WalkJob> queue_;
  std::vector<WalkResult> finished_;

 private:
  sim::Cycle counted_until_ = 0;
};

}  // namespace heddle::vm
