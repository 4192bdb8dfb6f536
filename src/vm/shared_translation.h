// Plug point: translation that all SMs share.
//
// A unit takes requests of SMs (space, page) from a TranslationNetwork and answers them with mappings; how it finds
// them is its own affair. It is one shard with a port of its own into the memory network, behind those of the SMs.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "memory/memory_network.h"
#include "memory/network_port.h"
#include "memory/table_network.h"
#include "sim/engine.h"
#include "vm/host_traffic.h"
#include "vm/tlb.h"
#include "vm/tlb_fill_policy.h"
#include "vm/translation_network.h"
#include "vm/virtual_memory.h"
#include "vm/walker.h"

namespace heddle::vm {

class SharedTranslation;
struct SharedTranslationSetup;
using SharedTranslations = sim::Registry<SharedTranslation, const SharedTranslationSetup&>;

struct SharedMmuParameters : sim::ParameterGroup {
  using ParameterGroup::ParameterGroup;
  sim::Plug<SharedTranslations> kind{*this, "kind", "tlb-and-walker", "How requests of SMs are translated."};
  sim::Parameter<unsigned> latency{
      *this,      "latency",     20,
      {8, 10000}, "core cycles", "From an SM (or a virtual L2) to the unit and back; half of it each way."};
  sim::Parameter<unsigned> intake{*this,     "intake",   0,
                                  {0, 1024}, "requests", "Requests taken per core cycle; 0: as many as come."};
  sim::Parameter<unsigned> per_sm{*this,      "per_sm",   65536,
                                  {1, 65536}, "requests", "Requests of one SM that may be under way at once."};
  TlbParameters tlb{*this, "tlb", "The second-level TLB; its latency is part of the unit's.", 0};
  sim::Plug<TlbFillPolicies> fill{*this, "fill", "all", "Which translations enter the second-level TLB."};
  sim::Parameter<unsigned> prefetch{*this,     "prefetch", 0,
                                    {0, 4096}, "entries",  "Buffer of the one-ahead prefetcher; 0: no prefetching."};
  WalkerParameters walker{*this, "walker", "The shared page-table walker."};
};

struct SharedTranslationSetup {
  const SharedMmuParameters& parameters;
  const VirtualMemory& memory;
  TranslationNetwork& messages;
  memory::Network& network;
  const memory::AddressMap& map;
  sim::StatisticGroup& statistics;
  std::uint16_t index = 0;  ///< of its port in the network
  unsigned line_bytes = 128;
  unsigned applications = 1;  ///< with more than one, each is counted apart
  /// With l2.slices: the way to the DRAM channels beside the L2, and the unit's number among those who ask them.
  const memory::ChannelPort* channels = nullptr;
  std::uint16_t asker = 0;
  // Of a virtual L2.
  memory::TableNetwork* slices = nullptr;
  memory::LineChecker* checker = nullptr;  ///< of a checked run
  /// Between quanta: lines of a virtual page leave the L2; what was dirty of them is in the frame. Returns those that
  /// were there.
  std::function<std::uint32_t(memory::LineTag page, std::uint32_t bits, memory::PhysLine frame)> drop_page = {};
  bool rw_faults = true;  ///< a page that is written and used under two names ends the run
  memory::SharingBoard* board = nullptr;
  bool tells_synonyms = false;  ///< SMs go by leading names that they have been told (sm.mmu.synonyms)
};

class SharedTranslation : public sim::Shard {
 public:
  using Setup = SharedTranslationSetup;
  explicit SharedTranslation(const Setup& setup) : Shard(setup.network.sm_bell(setup.index)) {}

  // Between quanta.
  /// All translations go; walks under way are done again.
  virtual void flush() = 0;
  /// Those of an address space, or that of a page of it; other spaces keep theirs. A unit that does not tell them apart
  /// gives up all.
  virtual void flush_space(SpaceId /*space*/) { flush(); }
  virtual void flush_page(SpaceId space, VirtPage /*page*/) { flush_space(space); }
  /// The host has written a page-table entry.
  virtual void entry_written(std::uint64_t address) = 0;
  /// Walks that found no translation, for the host.
  [[nodiscard]] std::vector<WalkJob>& faults() { return faults_; }
  /// The host has served the fault of this walk.
  virtual void retry(WalkJob job, sim::Cycle now) = 0;
  /// Throws what went wrong in the last quantum, if anything.
  virtual void rethrow() {}
  // Of a unit behind a virtual L2, whose host changes pages: who changes page tables (vm/page_changes.h) takes what the
  // host wants, and has nothing begin for a page, then has it shot down, then lets it go on.
  [[nodiscard]] std::vector<PageChange>& changes() { return changes_; }
  virtual void hold(SpaceId /*space*/, VirtPage /*page*/, sim::Cycle /*now*/) {}
  virtual void shoot(SpaceId /*space*/, VirtPage /*page*/, std::uint64_t /*id*/, sim::Cycle /*now*/) {}
  virtual void release(SpaceId /*space*/, VirtPage /*page*/, sim::Cycle /*now*/) {}
  /// The ids of shootdowns that have been acknowledged.
  [[nodiscard]] std::vector<std::uint64_t>& acknowledged() { return acknowledged_; }
  /// In checked runs, between quanta: what the unit knows of virtual caches must be what they have.
  virtual void check_caches(const std::vector<memory::LineTag>& /*l2*/,
                            const std::vector<memory::LineTag>& /*l1*/) const {}
  /// What waits, for a stall report.
  [[nodiscard]] virtual std::string describe() const = 0;

 protected:
  std::vector<WalkJob> faults_;
  std::vector<PageChange> changes_;
  std::vector<std::uint64_t> acknowledged_;
};

}  // namespace heddle::vm
