// What schedulers that watch lost locality have in common: round robin, with the loads of warps held back that the
// scores do not admit. What raises scores is theirs.
#pragma once

#include <array>

#include "core/memory_observer.h"
#include "core/scheduler/lost_locality.h"
#include "core/scheduler/victim_tags.h"
#include "sim/context.h"
#include "sim/statistic.h"

namespace heddle::core {

struct LocalityStatistics : sim::StatisticGroup {
  using StatisticGroup::StatisticGroup;
  sim::Counter lost{*this, "lost", "victim tags", "Victim tags that a warp found: what it had lost and wanted again."};
  sim::Counter lost_walked{*this, "lost_walked", "victim tags", "Of those, with a translation that missed the TLB."};
  sim::Counter raised{*this, "raised", "times", "Times that something else than a victim tag was scored."};
  sim::Counter held_back{*this, "held_back", "issue slots", "Slots in which a ready warp was barred from its load."};
  sim::Counter looked{*this, "looked", "issue slots", "Slots in which a warp was about to load."};
  sim::Counter admitted{*this, "admitted", "warps", "Warps that might load, summed over those slots."};
  sim::Counter tag_bits{*this, "tag_bits", "bits", "Storage of an SM's victim tags.", sim::Counter::Merge::most};
  sim::Counter owner_bits{*this, "owner_bits", "bits", "Storage of an SM's warp names in the L1's lines or the TLB.",
                          sim::Counter::Merge::most};
};

class LocalityScheduler : public WarpScheduler, protected MemoryObserver {
 public:
  void started(int warp, std::uint64_t age) final;
  void finished(int warp) final;
  void at_barrier(int warp, bool begins) final { scores_.at_barrier(static_cast<unsigned>(warp), begins); }
  [[nodiscard]] int pick(const IssueChoice& choice) final;
  [[nodiscard]] MemoryObserver* observer() final { return this; }

 protected:
  /// Who has victims: so many of them, each with its owner's name, told apart by so many bits of an address.
  struct Watched {
    unsigned entries = 0;
    unsigned name_bits = 0;
  };
  LocalityScheduler(const sim::Context& context, const LostLocalityParameters& parameters, const SchedulerSetup& setup,
                    const Watched& watched);

  LocalityStatistics statistics_;  // NOLINT(cppcoreguidelines-non-private-member-variables-in-classes)
  LostLocality scores_;            // NOLINT(cppcoreguidelines-non-private-member-variables-in-classes)
  VictimTags tags_;                // NOLINT(cppcoreguidelines-non-private-member-variables-in-classes)

 private:
  unsigned contexts_;
  std::array<int, kMostSchedulers> last_{63, 63, 63, 63};
};

}  // namespace heddle::core
