// The translation pipeline of an IOMMU (Yoon et al., sections 2.1 and 3): a TLB that all share and that takes so many
// lookups per cycle, and behind it a walker that reads page tables from memory, not through the GPU's L2.
//
// Requests wait in order for their lookup, that is the serialization the paper is about; with banks, those of each bank
// do. A hit is ready after the TLB's latency. What misses then asks the second level, if there is one, and else waits
// for a walk of its page, which others may have begun. The owner hands in requests and takes results when they are
// ready.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/ring.h"
#include "memory/memory_network.h"
#include "vm/iommu_statistics.h"
#include "vm/shared_translation.h"

namespace heddle::vm {

struct IommuParameters : sim::ParameterGroup {
  using ParameterGroup::ParameterGroup;
  sim::Parameter<unsigned> banks{
      *this,   "banks",
      1,       {1, 64},
      "banks", "Banks of the TLB, chosen by the lowest bits of the page number; each takes mmu.intake lookups."};
  sim::Parameter<unsigned> window{
      *this,          "window",      700,
      {1, 100000000}, "core cycles", "Over so long lookups are counted together, for the rates of windows."};
};

class IommuPipeline final : public EntryReader {
 public:
  /// Tokens of DRAM requests with this bit are the owner's.
  static constexpr std::uint32_t kOwners = std::uint32_t{1} << 31;
  struct Job {
    VirtPage page;
    SpaceId space = 0;
    std::uint8_t warp = memory::kNoWarp;
    std::uint16_t sm = 0;
    std::uint32_t token = 0;  ///< the owner's
    sim::Cycle missed_at = 0;
  };
  struct Result {
    Job job;
    Mapping mapping;
    bool second_level = false;  ///< found there
    bool walked = false;
  };
  /// What is asked between TLB and walk.
  class SecondLevel {
   public:
    virtual ~SecondLevel() = default;
    [[nodiscard]] virtual std::optional<Mapping> find(SpaceId space, VirtPage page) = 0;
    [[nodiscard]] virtual sim::Cycle latency() const = 0;
  };
  struct Setup {
    const SharedTranslationSetup& shared;
    const IommuParameters& parameters;
    IommuStatistics& statistics;
    SecondLevel* second_level = nullptr;
  };
  explicit IommuPipeline(const Setup& setup);

  /// A request that has arrived.
  void add(const Job& job, sim::Cycle now);
  /// Takes the answers of memory that are on their way; returns when the first comes.
  [[nodiscard]] sim::Cycle collect();
  /// One cycle. Results that are ready are appended to `done`, walks without translation to `faults`.
  void step(sim::Cycle now, std::vector<Result>& done, std::vector<WalkJob>& faults);
  /// The next cycle from `from` on in which step() has something to do.
  [[nodiscard]] sim::Cycle next(sim::Cycle from) const;

  void flush();
  /// The TLB forgets the page; walks of it that are under way are done again.
  void forget(SpaceId space, VirtPage page);
  /// Those that wait for a walk of the page do not any more; they are appended to `out`.
  void take_back(SpaceId space, VirtPage page, std::vector<Job>& out);
  void entry_written(std::uint64_t address) { walker_->cache().invalidate(address); }
  void retry(WalkJob job, sim::Cycle now);
  /// Tokens of answers from memory that are not the walker's.
  [[nodiscard]] std::vector<std::uint32_t>& others() { return others_; }
  [[nodiscard]] std::string describe() const;

  // EntryReader
  [[nodiscard]] bool can_read() const override { return true; }
  void read(const EntryRead& entry) override;

 private:
  struct Waiting {
    Job job;
    sim::Cycle arrival = 0;
  };
  struct Timed {
    Result result;
    sim::Cycle ready = 0;
    bool missed = false;  ///< no result: goes on to the second level or to a walk
  };
  [[nodiscard]] Ring<Waiting>& queue_of(VirtPage page) { return queues_[page.number & (queues_.size() - 1)]; }
  [[nodiscard]] std::uint64_t key(SpaceId space, VirtPage page) const {
    return first_page(page, page_size_).number | std::uint64_t{space} << 48;
  }
  void look_up(const Waiting& waiting, sim::Cycle now);
  void miss(const Job& job, sim::Cycle now);
  void take_walks(sim::Cycle now, std::vector<Result>& done, std::vector<WalkJob>& faults);
  void push(const Timed& timed) {
    timed_.insert_ordered(timed, [&](const Timed& other) { return other.ready <= timed.ready; });
  }

  SharedTranslationSetup setup_;
  const IommuParameters& p_;
  IommuStatistics& statistics_;
  SecondLevel* second_level_;
  PageSize page_size_;
  memory::ChannelPort channels_;
  std::uint16_t asker_;
  Tlb tlb_;
  std::unique_ptr<Walker> walker_;
  std::vector<Ring<Waiting>> queues_;  ///< by bank
  std::size_t queued_ = 0;
  Ring<Timed> timed_;                                            ///< looked up, ordered by when they go on
  std::unordered_map<std::uint64_t, std::vector<Job>> walking_;  ///< by page, those who wait for its walk
  std::unordered_set<std::uint64_t> outdated_;                   ///< pages that were shot down while they were walked
  std::vector<memory::DramAnswer> answers_;
  std::size_t head_ = 0;
  std::vector<std::uint32_t> others_;
  std::vector<unsigned> bursts_;  ///< still to come, by the walker's name of the read
  sim::Cycle reads_at_ = 0;       ///< the cycle of the walker's tick
};

}  // namespace heddle::vm
