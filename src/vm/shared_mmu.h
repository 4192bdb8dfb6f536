// The translation unit that all SMs share: an optional second-level TLB, an optional prefetch buffer, a walker with its
// page-walk cache (Power et al., figure 5 and sections 4.2 to 6.3).
//
// One shard. A miss of an SM's TLB takes half of `latency` to get here and half back; a hit in the second-level TLB
// falls inside that.
// Misses of a page that is being walked already wait for that walk.
#pragma once

#include <list>
#include <map>
#include <set>

#include "memory/network_port.h"
#include "sim/engine.h"
#include "vm/tlb.h"
#include "vm/translation_network.h"
#include "vm/virtual_memory.h"
#include "vm/walker.h"

namespace heddle::vm {

struct SharedMmuParameters : sim::ParameterGroup {
  using ParameterGroup::ParameterGroup;
  sim::Parameter<unsigned> latency{*this,      "latency",     20,
                                   {8, 10000}, "core cycles", "From an SM to the unit and back; half of it each way."};
  sim::Parameter<unsigned> intake{*this,     "intake",   0,
                                  {0, 1024}, "requests", "Requests taken per core cycle; 0: as many as come."};
  TlbParameters tlb{*this, "tlb", "The second-level TLB; its latency is part of the unit's.", 0};
  sim::Parameter<unsigned> prefetch{*this,     "prefetch", 0,
                                    {0, 4096}, "entries",  "Buffer of the one-ahead prefetcher; 0: no prefetching."};
  WalkerParameters walker{*this, "walker", "The shared page-table walker."};
};

struct SharedMmuStatistics : sim::StatisticGroup {
  explicit SharedMmuStatistics(sim::StatisticGroup& parent) : StatisticGroup(parent, "mmu") {}
  sim::Counter requests{*this, "requests", "misses", "Misses of the SMs' TLBs that came here."};
  sim::Counter tlb_hits{*this, "tlb_hits", "misses", "Found in the second-level TLB."};
  sim::Counter tlb_misses{*this, "tlb_misses", "misses", "Not found there."};
  sim::Counter prefetch_hits{*this, "prefetch_hits", "misses", "Found in the prefetch buffer."};
  sim::Counter prefetches{*this, "prefetches", "walks", "Walks for the page after one that missed."};
  sim::Counter merged{*this, "merged", "misses", "Joined a walk of the same page."};
  sim::Counter flushes{*this, "flushes", "flushes", "Times that all TLBs were emptied."};
  sim::Counter entries_1{*this, "entries_1", "entries",
                         "Second-level entries used by one SM between fill and eviction."};
  sim::Counter entries_2_3{*this, "entries_2_3", "entries", "Used by two or three SMs."};
  sim::Counter entries_4_7{*this, "entries_4_7", "entries", "Used by four to seven SMs."};
  sim::Counter entries_8_15{*this, "entries_8_15", "entries", "Used by eight to fifteen SMs."};
  sim::Counter entries_16{*this, "entries_16", "entries", "Used by sixteen SMs or more."};
  WalkerStatistics walker{*this, "walker"};
};

class SharedMmu final : public sim::Shard, public EntryReader {
 public:
  struct Setup {
    const SharedMmuParameters& parameters;
    const VirtualMemory& memory;
    TranslationNetwork& messages;
    memory::Network& network;
    const memory::AddressMap& map;
    sim::StatisticGroup& statistics;
    std::uint16_t index = 0;  ///< of its port in the network
    unsigned line_bytes = 128;
  };
  explicit SharedMmu(const Setup& setup);

  void run(sim::Cycle begin, sim::Cycle end) override;
  void receive() override;
  /// All translations go; walks under way are done again.
  void flush();
  /// The host has written a page-table entry.
  void entry_written(std::uint64_t address) { walker_->cache().invalidate(address); }
  /// Walks that found no translation, for the host.
  [[nodiscard]] std::vector<WalkJob>& faults() { return faults_; }
  /// The host has served the fault of this walk.
  void retry(WalkJob job, sim::Cycle now);
  [[nodiscard]] std::string describe() const;

  [[nodiscard]] bool can_read() const override { return !port_.full(); }
  void read(std::uint64_t entry_address, std::uint32_t id, SpaceId space) override;

 private:
  using Key = std::pair<SpaceId, std::uint64_t>;
  struct Waiting {
    std::vector<TranslationRequest> requests;
    bool prefetch = false;
  };

  void step(sim::Cycle now);
  /// The next cycle in which something can happen, as far as this unit knows.
  [[nodiscard]] sim::Cycle next_work() const;
  void take(const TranslationRequest& request, sim::Cycle now);
  void answer(const TranslationRequest& request, const Mapping& mapping, sim::Cycle now);
  void finish_walks(sim::Cycle now);
  void walk(SpaceId space, VirtPage page, sim::Cycle missed_at, sim::Cycle now);
  void prefetch_after(SpaceId space, VirtPage page, sim::Cycle now);
  [[nodiscard]] bool take_from_buffer(const TranslationRequest& request, sim::Cycle now);
  void fill_tlb(SpaceId space, const Mapping& mapping, std::uint16_t sm);
  void count_sharers(const Key& key);
  /// A page as TLBs name it: its first 4 KiB page.
  [[nodiscard]] Key key(SpaceId space, VirtPage page) const {
    return {space, first_page(page, setup_.memory.parameters().page_size()).number};
  }

  Setup setup_;
  SharedMmuStatistics statistics_;
  memory::NetworkPort port_;
  Tlb tlb_;
  std::unique_ptr<Walker> walker_;
  std::vector<TranslationRequest> input_;
  std::size_t head_ = 0;
  std::vector<memory::Response> responses_;
  std::size_t response_head_ = 0;
  std::map<Key, Waiting> waiting_;                  ///< by page being walked
  std::list<std::pair<SpaceId, Mapping>> buffer_;   ///< prefetched, least recently used first
  std::map<Key, std::set<std::uint16_t>> sharers_;  ///< of entries in the TLB
  std::vector<WalkJob> faults_;
  sim::Cycle clock_ = 0;
  std::uint32_t epoch_ = 0;  ///< flushes so far
  sim::Counter bytes_{statistics_, "bytes_out", "bytes", "Data sent to memory; reads carry none."};
};

}  // namespace heddle::vm
