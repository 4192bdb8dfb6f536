// Address translation in an SM: between the coalescer and the L1.
//
// A group that comes to the head of the load/store unit looks its pages up, so many per cycle, and goes on behind the
// TLB, so that the next can look up. Lines whose page is known go to the L1 after the TLB's latency; the others wait
// for a walk, by a walker of this SM's own or by the shared unit: the group leaves and comes back when it can go on.
// One that needs an entry for a miss when there is none waits apart, unless it is the first of the queue. What else may
// happen meanwhile is up to the policy (core/translation_policy.h). The ideal unit forgets nothing and walks in no time
// to speak of.
//
// Only global memory is translated: local memory, instructions and kernel parameters have physical addresses.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>

#include "base/ring.h"
#include "core/line_group.h"
#include "core/memory_observer.h"
#include "core/mmu_parameters.h"
#include "core/sm_tlb.h"
#include "core/touch.h"
#include "memory/network_port.h"
#include "memory/sharing_board.h"
#include "vm/translation_network.h"
#include "vm/virtual_memory.h"

namespace heddle::core {

class TranslationUnit final : public vm::EntryReader {
 public:
  struct Setup {
    const MmuParameters& parameters;
    const vm::VirtualMemory& memory;
    vm::TranslationNetwork* shared = nullptr;  ///< with shared walks
    sim::Cycle to_shared = 0;                  ///< cycles one way
    unsigned per_sm = 0;                       ///< requests that may be there at once
    memory::NetworkPort& port;
    GroupPool& groups;
    sim::StatisticGroup& statistics;
    std::uint16_t sm = 0;
    unsigned line_bytes = 128;
    MemoryObserver* observer = nullptr;  ///< if somebody listens
    unsigned applications = 1;           ///< with more than one, each is counted apart
    /// Whether the SM's L1 has these units of a line, for the counts of where lines were.
    std::function<bool(memory::LineTag, std::uint32_t)> in_l1 = {};
    memory::SharingBoard* board = nullptr;
  };
  explicit TranslationUnit(const Setup& setup);

  enum class Lookup : std::uint8_t {
    done,     ///< what could be looked up in this cycle has been
    stalled,  ///< for want of an entry
    held,     ///< sent away; it comes back by itself
  };
  /// Looks up what it can of the group in this cycle. The caller moves the group from queue to queue.
  [[nodiscard]] Lookup advance(std::uint32_t index, sim::Cycle now);
  /// Whether the line may go to the L1 now.
  [[nodiscard]] static bool ready(const LineGroup& m, const LineRequest& line, sim::Cycle now) {
    if (line.page == LineRequest::kNoPage) return true;
    return m.pages[line.page].state == PageState::ready && m.pages[line.page].ready_at <= now;
  }
  [[nodiscard]] memory::PhysLine physical(const LineGroup& m, const LineRequest& line);
  /// Whether the line has not been to the L1 and has its translation, or will have it after the TLB's latency.
  [[nodiscard]] static bool has_translation(const LineGroup& m, const LineRequest& line) {
    return !line.accessed && (line.page == LineRequest::kNoPage || m.pages[line.page].state == PageState::ready);
  }
  /// Whether there is such a line.
  [[nodiscard]] static bool has_ready(const LineGroup& m);

  /// Whether TLBs were flushed since it looked its pages up.
  [[nodiscard]] bool outdated(const LineGroup& m) const { return m.epoch != epochs_[m.application]; }
  /// Groups behind the TLB: the first one goes to the L1.
  [[nodiscard]] Ring<std::uint32_t>& translated() { return translated_; }
  void pass_on(std::uint32_t index) {
    setup_.groups.at(index).stage = Stage::translated;
    translated_.push_back(index);
  }
  /// The first of those looks its pages up again.
  void look_up_again() {
    setup_.groups.at(translated_.front()).stage = Stage::resumed;
    resumed_.push_back(translated_.front());
    translated_.pop_front();
  }
  /// A group that came back waits until an entry is free.
  void starve(std::uint32_t index) {
    setup_.groups.at(index).stage = Stage::starved;
    starved_.push_back(index);
  }
  [[nodiscard]] bool has_work() const { return !resumed_.empty() || !translated_.empty(); }

  /// Groups that came back and look pages up, before those of the load/store unit's queue.
  [[nodiscard]] Ring<std::uint32_t>& resumed() { return resumed_; }

  /// Takes the answers of the shared unit that are on their way; returns when the first comes.
  [[nodiscard]] sim::Cycle collect() {
    answers_.erase(answers_.begin(), answers_.begin() + static_cast<std::ptrdiff_t>(head_));
    head_ = 0;
    return setup_.shared != nullptr ? setup_.shared->answers(setup_.sm).collect(answers_) : sim::kNever;
  }
  void tick(sim::Cycle now);
  [[nodiscard]] sim::Cycle wakes_at() const;
  /// The host has written a page-table entry.
  void entry_written(std::uint64_t address) {
    if (walker_) walker_->cache().invalidate(address);
  }
  /// An answer to a read of the walker.
  void answer(std::uint32_t id, bool missed, sim::Cycle now) {
    walker_->answer(id, !missed, now);
    take_walks(now);
  }
  [[nodiscard]] std::string describe() const;

  // Between quanta.
  /// All translations go; walks under way are done again.
  void flush(std::uint32_t epoch);
  /// Those of an address space.
  void flush_space(vm::SpaceId space, std::uint32_t epoch);
  /// That of a page. What is known of other pages of the space is looked up again, and mostly found.
  void flush_page(vm::SpaceId space, vm::VirtPage page, std::uint32_t epoch);
  [[nodiscard]] std::vector<vm::WalkJob>& faults() { return faults_; }
  void retry(vm::WalkJob job, sim::Cycle now);
  /// Whether there is anything for the host, below.
  [[nodiscard]] bool reports() const { return !touches_.empty() || !faults_.empty() || !sought_.empty(); }
  /// Counts where the lines of misses were that the L1 did not have; `in_l2` says whether the L2 has one.
  template <typename InL2>
  void count_located(InL2&& in_l2) {
    for (const Sought& each : sought_) {
      const bool found = in_l2(each.line, each.units);
      ++(found ? statistics_.in_l2 : statistics_.in_memory)[each.space];
      if (each.write) ++(found ? statistics_.in_l2_stores : statistics_.in_memory_stores)[each.space];
    }
    sought_.clear();
  }
  /// Accessed and dirty bits to be set in page tables.
  [[nodiscard]] std::vector<Touch>& touches() { return touches_; }

  [[nodiscard]] bool can_read() const override { return !setup_.port.full(); }
  void read(const vm::EntryRead& entry) override;

 private:
  struct Miss {
    vm::SpaceId space = 0;
    vm::VirtPage page;
    std::uint8_t warp = 0;
    sim::Cycle missed_at = 0;
    std::uint64_t key = 0;  ///< of misses_
    bool write = false;     ///< somebody waits to write
    LaneMask lanes = 0;     ///< that wait
    struct Waiter {
      std::uint32_t group = 0;
      sim::Cycle since = 0;
    };
    std::vector<Waiter> waiters;
  };
  struct Sought {
    memory::LineTag line;
    std::uint32_t units = 0;
    vm::SpaceId space = 0;
    bool write = false;
  };
  void locate(const LineGroup& m, const PageAccess& page);
  void find_pages(LineGroup& m) const;
  void count_pages(const LineGroup& m);
  [[nodiscard]] bool accepts(const LineGroup& m, vm::SpaceId space) const;
  [[nodiscard]] Lookup look_up(std::uint32_t index, LineGroup& m, PageAccess& page, vm::SpaceId space, sim::Cycle now);
  void look_up_ideal(PageAccess& page, vm::SpaceId space, sim::Cycle now);
  /// Found in the first level or in the second, which fills the first.
  [[nodiscard]] std::optional<vm::Tlb::Hit> find(const LineGroup& m, PageAccess& page, vm::SpaceId space,
                                                 sim::Cycle now);
  void fill_first(vm::SpaceId space, const vm::Mapping& mapping, unsigned owner, LaneMask lanes, sim::Cycle now);
  void start_walk(std::uint32_t token, sim::Cycle now);
  void take_walks(sim::Cycle now);
  void translated(std::uint32_t token, const vm::Mapping& mapping, sim::Cycle now);
  /// A walk has ended: so many warps of this SM waited for it.
  void count_stalled(const Miss& miss);
  void release(Miss& miss, const vm::Mapping& mapping, sim::Cycle now);
  void settle(LineGroup& m, sim::Cycle now);
  void resume(std::uint32_t index);
  static constexpr unsigned kSpaceShift = 48;
  [[nodiscard]] static std::uint64_t key(vm::SpaceId space, vm::VirtPage page) {
    return page.number | std::uint64_t{space} << kSpaceShift;
  }

  Setup setup_;
  const MmuParameters& p_;
  MmuStatistics statistics_;
  std::unique_ptr<TranslationPolicy> policy_;
  TranslationRules rules_;
  vm::PageSize page_size_;
  bool ideal_;
  bool checks_;
  std::vector<std::uint32_t> epochs_;  ///< by address space: the flush, counted over all, that last concerned it
  SmTlb tlb_;
  vm::Tlb second_;                                ///< empty: there is none
  sim::Cycle second_latency_;                     ///< 0: there is none
  std::unique_ptr<memory::Lifetimes> lifetimes_;  ///< of its entries, if somebody studies them
  std::unique_ptr<vm::Walker> walker_;
  std::unordered_map<std::uint64_t, std::uint32_t> misses_;  ///< page, or a number where misses do not merge -> token
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_page_;  ///< tokens of misses that did not merge
  std::uint64_t unmerged_ = 0;                                             ///< misses so far that did not merge
  std::vector<Miss> miss_entries_;                                         ///< by token
  std::vector<std::uint32_t> free_tokens_;
  std::unordered_map<std::uint64_t, vm::Mapping> seen_;  ///< by the ideal unit
  Ring<std::uint32_t> resumed_;
  Ring<std::uint32_t> translated_;
  Ring<std::uint32_t> starved_;
  Ring<std::uint32_t> held_;  ///< sent away until no walk is under way
  std::size_t waiting_ = 0;   ///< instructions away from the queue, not counting resumed ones
  std::optional<sim::Cycle> last_miss_;
  std::size_t outstanding_ = 0;  ///< misses without translation
  std::vector<vm::TranslationAnswer> answers_;
  std::size_t head_ = 0;
  std::vector<vm::WalkJob> faults_;
  std::vector<Touch> touches_;
  std::vector<Sought> sought_;  ///< lines of misses that were not in the L1
};

}  // namespace heddle::core
