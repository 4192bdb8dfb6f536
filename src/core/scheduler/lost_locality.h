// Lost-locality scores (Rogers et al., MICRO 2012; Pichai, section 4.1): how much each warp suffers from others in a
// cache or a TLB, and which warps may load so that those that suffer most keep what they bring.
//
// The thesis leaves constants to the CCWS paper. Two ways to score:
//  - `ratio`, that paper's: every warp has a base score; a victim tag that is found raises the score of its warp to
//    throttle x cutoff x tags found / instructions issued, both counted on the whole SM; scores above base fall by a
//    point per cycle. The cutoff is the base score of all warps together. Warps stand in line by score; those get in
//    who come before the total reaches the cutoff, the one that reaches it included. Only they may load.
//  - `counters`, as the thesis has it word for word: a tag that is found counts up; while all counters together exceed
//    a fixed cutoff, the ready warp with the highest goes first. Nobody is barred.
// A warp at a barrier does not stand in line: those it waits for may have to load. The paper does not speak of this.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/warp_scheduler.h"
#include "sim/parameter.h"

namespace heddle::core {

struct LostLocalityParameters : sim::ParameterGroup {
  LostLocalityParameters(sim::ParameterGroup& parent, std::string key, std::string text, unsigned tags)
      : ParameterGroup(parent, std::move(key), std::move(text)),
        victim_tags(*this, "victim_tags", tags, {1, 1024}, "tags", "Victim tags of each warp.") {}
  sim::Parameter<unsigned> victim_tags;
  sim::Parameter<unsigned> victim_ways{
      *this,     "victim_ways", 8,
      {1, 1024}, "ways",        "Associativity of a warp's victim tags; as many as there are tags at most."};
  sim::Choice scoring{*this,
                      "scoring",
                      "ratio",
                      {"ratio", "counters"},
                      "How victim tags become scores: as in the CCWS paper, or plain counters that only set priority."};
  sim::Parameter<unsigned> base_score{*this,      "base_score", 100,
                                      {1, 10000}, "points",     "Of ratio: the score of a warp that lost nothing."};
  sim::Parameter<unsigned> throttle{
      *this, "throttle", 8, {1, 1024}, "times", "Of ratio: the factor of the score that a victim tag gives."};
  sim::Parameter<unsigned> decay{*this,        "decay",       1,
                                 {1, 1000000}, "core cycles", "A raised score falls by a point in this time."};
  sim::Parameter<unsigned> cutoff{*this,        "cutoff", 64,
                                  {1, 1000000}, "points", "Of counters: from this sum on, high scores go first."};
};

class LostLocality {
 public:
  explicit LostLocality(const LostLocalityParameters& parameters);

  void started(unsigned warp);
  void finished(unsigned warp);
  void at_barrier(unsigned warp, bool waits);
  void issued() { ++instructions_; }

  /// A victim tag of the warp was found; it weighs so many times.
  void lost(unsigned warp, unsigned weight, sim::Cycle now);
  /// Like lost(), without a tag: as much as the last ones weigh.
  void raise(unsigned warp, unsigned weight, sim::Cycle now);
  /// Adds a part of what a tag gives, but not beyond it; or, if `points` is not 0, so many points for each of `parts`.
  void add(unsigned warp, unsigned parts, unsigned of, unsigned points, sim::Cycle now);

  [[nodiscard]] std::int64_t score(unsigned warp, sim::Cycle now) const;
  /// Warps that may load.
  [[nodiscard]] WarpSet admitted(sim::Cycle now);
  /// Of `warps`, which are not none, the one that goes first for its score; kNoWarp if scores do not say.
  [[nodiscard]] int first(WarpSet warps, sim::Cycle now);
  /// What a victim tag that is found now is worth.
  [[nodiscard]] std::int64_t worth() const;

 private:
  [[nodiscard]] static WarpSet bit(unsigned warp) { return WarpSet{1} << warp; }
  /// Points that a raised score has lost since cycle 0. All fall alike, so their order stays.
  [[nodiscard]] std::int64_t fallen(sim::Cycle now) const { return static_cast<std::int64_t>(now / p_.decay); }
  [[nodiscard]] std::int64_t cutoff() const;
  void raise_to(unsigned warp, std::int64_t score, sim::Cycle now);
  void leave_line(unsigned warp);
  void drop_fallen(sim::Cycle now);

  const LostLocalityParameters& p_;
  bool counts_;
  std::int64_t base_;
  WarpSet active_ = 0;
  WarpSet waiting_ = 0;                   ///< at barriers
  std::array<std::int64_t, 64> level_{};  ///< score and what has fallen, of those in line_
  std::vector<std::uint8_t> line_;        ///< warps above base, highest first
  std::uint64_t tags_found_ = 0;
  std::uint64_t instructions_ = 0;
  sim::Cycle looked_at_ = sim::kNever;
  WarpSet admitted_ = 0;  ///< at looked_at_
};

}  // namespace heddle::core
