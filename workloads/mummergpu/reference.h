// Longest matches on the CPU, without the suffix tree: by the suffix automaton (Blumer et al., TCS 1985) of the
// reversed reference. A read fed backwards keeps the longest suffix, that is prefix of the rest of the read, that
// occurs.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include "workloads/mummergpu/node.h"

namespace heddle::workloads::mummergpu {

class ReversedAutomaton {
 public:
  explicit ReversedAutomaton(const std::vector<std::uint8_t>& text) {
    states_.reserve(2 * text.size() + 1);
    states_.push_back({});
    for (std::size_t i = text.size(); i-- > 0;) add(text[i], static_cast<std::uint32_t>(i));
    std::vector<std::uint32_t> order(states_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return states_[a].length > states_[b].length; });
    for (const std::uint32_t s : order) {
      if (s == 0) continue;
      State& shorter = states_[static_cast<std::size_t>(states_[s].link)];
      shorter.count += states_[s].count;
      shorter.first = std::min(shorter.first, states_[s].first);
    }
  }

  struct Result {
    std::vector<std::uint32_t> lengths;  ///< per base of the read
    std::vector<SuffixPlaces> places;    ///< of matches of at least kLeastMatch bases; else zeros
  };

  [[nodiscard]] Result match(const std::uint8_t* read) const {
    Result result{std::vector<std::uint32_t>(kReadLength), std::vector<SuffixPlaces>(kReadLength, SuffixPlaces{0, 0})};
    std::uint32_t state = 0;
    std::uint32_t length = 0;
    for (std::size_t i = kReadLength; i-- > 0;) {
      while (state != 0 && states_[state].next[read[i]] == 0) {
        state = static_cast<std::uint32_t>(states_[state].link);
        length = states_[state].length;
      }
      if (states_[state].next[read[i]] != 0) {
        state = states_[state].next[read[i]];
        ++length;
      }
      result.lengths[i] = length;
      if (length >= kLeastMatch) result.places[i] = {states_[state].count, states_[state].first};
    }
    return result;
  }

 private:
  struct State {
    std::array<std::uint32_t, 4> next{};
    std::int32_t link = -1;
    std::uint32_t length = 0;
    std::uint32_t count = 0;            ///< places where its strings begin, in the unreversed text
    std::uint32_t first = 0xffffffffu;  ///< the smallest
  };

  void add(std::uint8_t base, std::uint32_t place) {
    const auto made = static_cast<std::uint32_t>(states_.size());
    states_.push_back({});
    states_[made].length = states_[last_].length + 1;
    states_[made].count = 1;
    states_[made].first = place;
    std::int64_t p = last_;
    for (; p >= 0 && at(p).next[base] == 0; p = at(p).link) at(p).next[base] = made;
    last_ = made;
    if (p < 0) {
      states_[made].link = 0;
      return;
    }
    const std::uint32_t q = at(p).next[base];
    if (at(p).length + 1 == states_[q].length) {
      states_[made].link = static_cast<std::int32_t>(q);
      return;
    }
    const auto clone = static_cast<std::uint32_t>(states_.size());
    states_.push_back(states_[q]);
    states_[clone].length = at(p).length + 1;
    states_[clone].count = 0;
    states_[clone].first = 0xffffffffu;
    for (; p >= 0 && at(p).next[base] == q; p = at(p).link) at(p).next[base] = clone;
    states_[q].link = states_[made].link = static_cast<std::int32_t>(clone);
  }

  State& at(std::int64_t state) { return states_[static_cast<std::size_t>(state)]; }

  std::vector<State> states_;
  std::uint32_t last_ = 0;
};

}  // namespace heddle::workloads::mummergpu
