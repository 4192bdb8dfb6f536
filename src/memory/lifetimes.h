// How long entries of a TLB stay, and lines of a cache stay in use (Yoon et al., appendix, Figure 12).
//
// A translation lives until it is replaced. A line lives until its last use: what it waits for its replacement after
// that nobody needs. What is there at the end of a run has not ended and is not counted.
#pragma once

#include <array>
#include <string>
#include <unordered_map>

#include "sim/parameter.h"
#include "sim/statistic.h"
#include "sim/time.h"

namespace heddle::memory {

/// The parameter that every structure which can be studied has.
inline sim::Parameter<unsigned> make_lifetime_step(sim::ParameterGroup& group) {
  return {group,         "lifetime_step", 0,
          {0, 10000000}, "core cycles",   "Count how many lived for 1, 2, 3, ... times so long; 0: nobody counts."};
}

class Lifetimes {
 public:
  enum class Until : std::uint8_t { last_use, replacement };
  /// `name` of the group of statistics.
  Lifetimes(sim::StatisticGroup& parent, const std::string& name, sim::Cycle step, Until until)
      : statistics_(parent, name), step_(step), until_(until) {}

  void came(std::uint64_t key, sim::Cycle now) {
    const auto [place, is_new] = lives_.try_emplace(key, Life{now, now});
    if (is_new) return;
    // It had gone without being replaced: a flush, a store.
    if (until_ == Until::last_use) end(place->second.last - place->second.from);
    place->second = {now, now};
  }
  void used(std::uint64_t key, sim::Cycle now) {
    if (const auto place = lives_.find(key); place != lives_.end()) place->second.last = now;
  }
  void replaced(std::uint64_t key, sim::Cycle now) {
    const auto place = lives_.find(key);
    if (place == lives_.end()) return;
    end((until_ == Until::last_use ? place->second.last : now) - place->second.from);
    lives_.erase(place);
  }

 private:
  struct Life {
    sim::Cycle from = 0;
    sim::Cycle last = 0;  ///< use
  };
  struct Statistics : sim::StatisticGroup {
    using StatisticGroup::StatisticGroup;
    sim::Counter ended{*this, "ended", "entries", "That came and went."};
    std::array<sim::Counter, 10> lived{sim::Counter{*this, "lived_1", "entries", "Of those, for a step or longer."},
                                       sim::Counter{*this, "lived_2", "entries", "For two steps or longer."},
                                       sim::Counter{*this, "lived_3", "entries", "For three steps or longer."},
                                       sim::Counter{*this, "lived_4", "entries", "For four steps or longer."},
                                       sim::Counter{*this, "lived_5", "entries", "For five steps or longer."},
                                       sim::Counter{*this, "lived_6", "entries", "For six steps or longer."},
                                       sim::Counter{*this, "lived_7", "entries", "For seven steps or longer."},
                                       sim::Counter{*this, "lived_8", "entries", "For eight steps or longer."},
                                       sim::Counter{*this, "lived_9", "entries", "For nine steps or longer."},
                                       sim::Counter{*this, "lived_10", "entries", "For ten steps or longer."}};
  };

  void end(sim::Cycle lived) {
    ++statistics_.ended;
    for (std::size_t s = 0; s < statistics_.lived.size() && lived >= (s + 1) * step_; ++s) ++statistics_.lived[s];
  }

  Statistics statistics_;
  sim::Cycle step_;
  Until until_;
  std::unordered_map<std::uint64_t, Life> lives_;  ///< by what the structure knows them by
};

}  // namespace heddle::memory
