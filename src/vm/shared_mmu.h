// The translation unit that all SMs share: an optional second-level TLB, an optional prefetch buffer, a walker with its
// page-walk cache (Power et al., figure 5 and sections 4.2 to 6.3).
//
// One shard. A miss of an SM's TLB takes half of `latency` to get here and half back; a hit in the second-level TLB
// falls inside that.
// Misses of a page that is being walked already wait for that walk.
#pragma once

#include <array>
#include <list>
#include <span>
#include <unordered_map>

#include "vm/shared_translation.h"

namespace heddle::vm {

struct SharedMmuStatistics : sim::StatisticGroup {
  explicit SharedMmuStatistics(sim::StatisticGroup& parent) : StatisticGroup(parent, "mmu") {}
  sim::ApplicationCounter requests{*this, "requests", "misses", "Misses of the SMs' TLBs that came here."};
  sim::ApplicationCounter tlb_hits{*this, "tlb_hits", "misses", "Found in the second-level TLB."};
  sim::ApplicationCounter tlb_misses{*this, "tlb_misses", "misses", "Not found there."};
  sim::ApplicationCounter prefetch_hits{*this, "prefetch_hits", "misses", "Found in the prefetch buffer."};
  sim::ApplicationCounter prefetches{*this, "prefetches", "walks", "Walks for the page after one that missed."};
  sim::ApplicationCounter merged{*this, "merged", "misses", "Joined a walk of the same page."};
  sim::ApplicationCounter walks{*this, "walks", "walks",
                                "Walks that ended with a translation that somebody waited for."};
  sim::ApplicationCounter latency{*this, "latency", "core cycles",
                                  "From a miss to its translation, summed over those."};
  sim::Counter flushes{*this, "flushes", "flushes", "Times that all TLBs were emptied."};
  sim::Counter entries_1{*this, "entries_1", "entries",
                         "Second-level entries used by one SM between fill and eviction."};
  sim::Counter entries_2_3{*this, "entries_2_3", "entries", "Used by two or three SMs."};
  sim::Counter entries_4_7{*this, "entries_4_7", "entries", "Used by four to seven SMs."};
  sim::Counter entries_8_15{*this, "entries_8_15", "entries", "Used by eight to fifteen SMs."};
  sim::Counter entries_16{*this, "entries_16", "entries", "Used by sixteen SMs or more."};
  sim::ApplicationCounter bytes_out{*this, "bytes_out", "bytes", "Data sent to memory; reads carry none."};
  WalkerStatistics walker{*this, "walker"};
};

class SharedMmu final : public SharedTranslation, public EntryReader {
 public:
  explicit SharedMmu(const Setup& setup);

  void run(sim::Cycle begin, sim::Cycle end) override;
  void receive() override;
  void flush() override;
  void flush_space(SpaceId space) override;
  void flush_page(SpaceId space, VirtPage page) override;
  void entry_written(std::uint64_t address) override { walker_->cache().invalidate(address); }
  void retry(WalkJob job, sim::Cycle now) override;
  [[nodiscard]] std::string describe() const override;

  [[nodiscard]] bool can_read() const override { return !port_.full(); }
  void read(const EntryRead& entry) override;

 private:
  /// A page of an address space as TLBs name it: its first 4 KiB page.
  using Key = std::uint64_t;
  struct Waiting {
    std::vector<TranslationRequest> requests;
    bool prefetch = false;
  };

  void step(sim::Cycle now);
  /// The next cycle in which something can happen, as far as this unit knows.
  [[nodiscard]] sim::Cycle next_work() const;
  void take(const TranslationRequest& request, sim::Cycle now);
  void answer(const TranslationRequest& request, const Mapping& mapping, bool walked, sim::Cycle now);
  void finish_walks(sim::Cycle now);
  void walk(const TranslationRequest& request, sim::Cycle now);
  void prefetch_after(SpaceId space, VirtPage page, sim::Cycle now);
  [[nodiscard]] bool take_from_buffer(const TranslationRequest& request, sim::Cycle now);
  void fill_tlb(std::span<const TranslationRequest> requests, const Mapping& mapping);
  void count_sharers(Key key);
  void add_sharer(Key key, std::uint16_t sm) { sharers_[key][sm / 64] |= std::uint64_t{1} << sm % 64; }
  static constexpr unsigned kSpaceShift = 48;
  [[nodiscard]] static SpaceId space_of(Key key) { return static_cast<SpaceId>(key >> kSpaceShift); }
  [[nodiscard]] static Key first_key(SpaceId space, VirtPage first) {
    return first.number | std::uint64_t{space} << kSpaceShift;
  }
  [[nodiscard]] Key key(SpaceId space, VirtPage page) const {
    return first_key(space, first_page(page, setup_.memory.parameters().page_size()));
  }

  Setup setup_;
  SharedMmuStatistics statistics_;
  memory::NetworkPort port_;
  Tlb tlb_;
  std::unique_ptr<TlbFillPolicy> fill_;
  std::unique_ptr<Walker> walker_;
  std::vector<TranslationRequest> input_;
  std::size_t head_ = 0;
  std::vector<memory::Response> responses_;
  std::size_t response_head_ = 0;
  std::unordered_map<Key, Waiting> waiting_;                       ///< by page being walked
  std::vector<std::vector<TranslationRequest>> spare_;             ///< lists that were used before, to be used again
  std::list<std::pair<SpaceId, Mapping>> buffer_;                  ///< prefetched, least recently used first
  std::unordered_map<Key, std::array<std::uint64_t, 4>> sharers_;  ///< of entries in the TLB, an SM a bit
  sim::Cycle clock_ = 0;
  std::uint32_t epoch_ = 0;  ///< flushes so far
};

}  // namespace heddle::vm
