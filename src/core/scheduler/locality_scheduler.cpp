#include "core/scheduler/locality_scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/diagnostics.h"
#include "core/scheduler/round_robin.h"

namespace heddle::core {
namespace {

VictimTags::Shape tag_shape(const LostLocalityParameters& p, unsigned warps) {
  const unsigned ways = std::min(p.victim_ways.get(), p.victim_tags.get());
  const unsigned sets = p.victim_tags / ways;
  if (p.victim_tags % ways != 0 || !std::has_single_bit(sets)) {
    throw UserError(fmt::format("{}.victim_ways = {}: {} tags must be a power of two of sets of that many", p.path(),
                                p.victim_ways.get(), p.victim_tags.get()));
  }
  return {warps, sets, ways};
}

}  // namespace

LocalityScheduler::LocalityScheduler(const sim::Context& context, const LostLocalityParameters& parameters,
                                     const SchedulerSetup& setup, const Watched& watched)
    : statistics_(context), scores_(parameters), tags_(tag_shape(parameters, setup.warps)), contexts_(setup.warps) {
  const VictimTags::Shape shape = tag_shape(parameters, setup.warps);
  const auto set_bits = static_cast<unsigned>(std::countr_zero(shape.sets));
  statistics_.tag_bits.at_least(std::uint64_t{shape.warps} * parameters.victim_tags * (watched.name_bits - set_bits));
  statistics_.owner_bits.at_least(std::uint64_t{watched.entries} *
                                  static_cast<unsigned>(std::bit_width(shape.warps - 1)));
}

void LocalityScheduler::started(int warp, std::uint64_t /*age*/) {
  scores_.started(static_cast<unsigned>(warp));
  tags_.clear(static_cast<unsigned>(warp));
}

void LocalityScheduler::finished(int warp) {
  scores_.finished(static_cast<unsigned>(warp));
  tags_.clear(static_cast<unsigned>(warp));
}

int LocalityScheduler::pick(const IssueChoice& choice) {
  WarpSet can = choice.ready;
  if (choice.about_to_load != 0) {
    const WarpSet admitted = scores_.admitted(choice.now);
    ++statistics_.looked;
    statistics_.admitted += std::min(static_cast<unsigned>(std::popcount(admitted)), contexts_);
    const WarpSet barred = choice.about_to_load & ~admitted;
    if (barred != 0) ++statistics_.held_back;
    can &= ~barred;
  }
  if (can == 0) return kNoWarp;
  int chosen = scores_.first(can, choice.now);
  int& last = last_[choice.scheduler];
  if (chosen == kNoWarp) chosen = last = next_in_turn(can, last);
  scores_.issued();
  return chosen;
}

}  // namespace heddle::core
