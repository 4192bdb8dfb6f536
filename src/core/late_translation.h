// Address translation between a virtual L1 and a physical L2 (Yoon et al., section 5.4): what misses the L1, and every
// store and atomic, looks its page up here, so many per cycle, in order. What hits goes to the L2 after the TLB's
// latency; what misses waits for the shared translation unit, behind others of its page, so that the accesses of a page
// stay in order.
//
// A table from frames to the page under whose name the L1 has lines of it keeps synonyms apart: an access under another
// name goes past the L1, and a store under another name is a fault or makes the L1 give its copy up. Its lookups are
// counted and cost no time (catalogue of the paper: l1only_synonyms).
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "base/ring.h"
#include "core/mmu_parameters.h"
#include "core/touch.h"
#include "memory/network_port.h"
#include "memory/sharing_board.h"
#include "vm/translation_network.h"
#include "vm/virtual_memory.h"

namespace heddle::core {

class L1Cache;

struct SynonymStatistics : sim::StatisticGroup {
  explicit SynonymStatistics(sim::StatisticGroup& parent) : StatisticGroup(parent, "synonyms") {}
  sim::ApplicationCounter lookups{*this, "lookups", "lookups", "Lookups in the table from frames to pages."};
  sim::ApplicationCounter loads{*this, "loads", "lines", "Loads under another name than that of the L1's lines."};
  sim::ApplicationCounter stores{*this, "stores", "lines", "Stores and atomics under another name."};
};

class LateTranslation {
 public:
  struct Setup {
    const MmuParameters& parameters;
    const vm::VirtualMemory& memory;
    vm::TranslationNetwork& shared;
    sim::Cycle to_shared = 0;  ///< cycles one way
    unsigned per_sm = 0;       ///< requests that may be there at once
    memory::NetworkPort& port;
    sim::StatisticGroup& statistics;
    std::uint16_t sm = 0;
    unsigned applications = 1;              ///< with more than one, each is counted apart
    memory::SharingBoard* board = nullptr;  ///< is told of warps that use memory and of those that wait
  };
  explicit LateTranslation(const Setup& setup);
  /// Whose misses come here.
  void serve(L1Cache& l1) { l1_ = &l1; }

  [[nodiscard]] bool full() const { return queue_.size() >= kQueue || waiting_ >= p_.waiting; }
  void push(const memory::Request& request) { queue_.push_back(request); }

  /// Takes the answers of the shared unit that are on their way; returns when the first comes.
  [[nodiscard]] sim::Cycle collect();
  /// One cycle. Returns whether there is room that was not there before.
  bool tick(sim::Cycle now);
  /// The next cycle after `now` in which tick() has something to do.
  [[nodiscard]] sim::Cycle next(sim::Cycle now) const;
  [[nodiscard]] std::string describe() const;

  // Between quanta.
  /// All translations go.
  void flush(std::uint32_t epoch);
  [[nodiscard]] bool reports() const { return !touches_.empty(); }
  [[nodiscard]] std::vector<Touch>& touches() { return touches_; }

 private:
  static constexpr std::size_t kQueue = 8;  ///< requests in front of the TLB, as before a network port
  struct Ready {
    memory::Request request;
    sim::Cycle at = 0;
  };
  struct Miss {
    vm::VirtPage page;
    vm::SpaceId space = 0;
    sim::Cycle missed_at = 0;
    bool write = false;
    std::uint8_t warp = memory::kNoWarp;  ///< that missed first
  };
  [[nodiscard]] vm::VirtPage page_of(const memory::Request& request) const {
    return first_page(vm::page_of(request.line.virtual_line().address), page_size_);
  }
  [[nodiscard]] static std::uint64_t key(vm::SpaceId space, vm::VirtPage page) {
    return page.number | std::uint64_t{space} << 48;
  }
  /// Whether the request has left the queue.
  [[nodiscard]] bool look_up(const memory::Request& request, sim::Cycle now);
  void ask(std::uint32_t token, sim::Cycle now);
  void translated(const vm::TranslationAnswer& answer, sim::Cycle now);
  /// A walk has ended that these waited for.
  void count_stalled(vm::SpaceId space, const std::vector<memory::Request>& waiters);
  /// Gives the request its physical line.
  void pass(memory::Request request, const vm::Mapping& mapping, sim::Cycle at);
  void check_synonym(memory::Request& request, vm::PhysFrame frame, sim::Cycle now);

  Setup setup_;
  const MmuParameters& p_;
  MmuStatistics statistics_;
  SynonymStatistics synonyms_;
  vm::PageSize page_size_;
  vm::Tlb tlb_;
  vm::Tlb second_;             ///< empty: there is none
  sim::Cycle second_latency_;  ///< 0: there is none
  sim::Cycle hit_until_ = 0;   ///< when the last hit leaves: hits stay in order
  L1Cache* l1_ = nullptr;
  Ring<memory::Request> queue_;
  Ring<Ready> ready_;                                                      ///< ordered by time
  std::unordered_map<std::uint64_t, std::vector<memory::Request>> pages_;  ///< those who wait, by page
  std::size_t waiting_ = 0;
  std::vector<Miss> misses_;  ///< asked of the shared unit, by token
  std::vector<std::uint32_t> free_tokens_;
  std::unordered_map<std::uint64_t, std::uint64_t> leading_;  ///< by frame, the key of the page the L1 has it under
  std::vector<vm::TranslationAnswer> answers_;
  std::size_t head_ = 0;
  std::vector<Touch> touches_;
  std::uint32_t epoch_ = 0;
};

}  // namespace heddle::core
