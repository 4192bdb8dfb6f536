// The local search of streamcluster (Guha, Meyerson, Mishra, Motwani and O'Callaghan, TKDE 2003): candidates are tried
// one after the other; one that pays for the opening of a centre becomes one, and centres that no longer pay are
// closed. Where the gains of the points come from is the caller's: the GPU, or the loop in this file.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "workloads/common/random.h"
#include "workloads/streamcluster/point.h"

namespace heddle::workloads::streamcluster {

struct Problem {
  std::uint32_t points = 0;
  std::uint32_t dimensions = 0;
  std::vector<float> coordinates;  ///< dimension by dimension
  std::vector<float> weights;
  float opening_cost = 0;
};

struct Gains {
  std::vector<float> savings;              ///< [points][centres + 1]
  std::vector<std::uint8_t> would_switch;  ///< to the candidate
};

struct State {
  std::vector<ClusterPoint> table;
  std::vector<std::int32_t> centre_number;  ///< of each point that is a centre; -1 for others
  std::int32_t centres = 0;
};

inline float squared_distance(const Problem& p, std::size_t a, std::size_t b) {
  float distance = 0.0f;
  for (std::size_t d = 0; d < p.dimensions; ++d) {
    const float difference = p.coordinates[d * p.points + a] - p.coordinates[d * p.points + b];
    distance = std::fma(difference, difference, distance);
  }
  return distance;
}

/// The kernel's work on the CPU.
inline Gains gains(const Problem& p, const State& state, std::uint32_t candidate) {
  const std::size_t row = static_cast<std::size_t>(state.centres) + 1;
  Gains result{std::vector<float>(p.points * row, 0.0f), std::vector<std::uint8_t>(p.points, 0)};
  for (std::size_t i = 0; i < p.points; ++i) {
    const ClusterPoint& point = state.table[i];
    const float cost = squared_distance(p, i, candidate) * point.weight;
    if (cost < point.cost) {
      result.would_switch[i] = 1;
      result.savings[i * row + row - 1] += cost - point.cost;
    } else {
      const auto centre = static_cast<std::size_t>(point.centre);
      result.savings[i * row + static_cast<std::size_t>(state.centre_number[centre])] += point.cost - cost;
    }
  }
  return result;
}

/// All points belong to point 0.
inline State first_state(const Problem& p) {
  State state{std::vector<ClusterPoint>(p.points), std::vector<std::int32_t>(p.points, -1), 1};
  for (std::size_t i = 0; i < p.points; ++i) {
    state.table[i] = {p.weights[i], 0, 0, squared_distance(p, i, 0) * p.weights[i]};
  }
  state.centre_number[0] = 0;
  return state;
}

/// Opens the candidate if that pays; centres whose points would rather have moved to it are closed.
inline void decide(const Problem& p, State& state, std::uint32_t candidate, const Gains& gains) {
  const auto centres = static_cast<std::size_t>(state.centres);
  std::vector<double> saved(centres + 1, 0.0);
  for (std::size_t i = 0; i < p.points; ++i) {
    for (std::size_t c = 0; c <= centres; ++c) saved[c] += static_cast<double>(gains.savings[i * (centres + 1) + c]);
  }
  // What closing centre c costs: its remaining points pay saved[c] (never negative) more, one opening is spared.
  const auto opening = static_cast<double>(p.opening_cost);
  std::vector<bool> closes(centres);
  double gain = -opening - saved[centres];
  for (std::size_t c = 0; c < centres; ++c) {
    const double spared = opening + saved[c];  // saved[c] <= 0: the points of c pay more at the candidate
    closes[c] = spared > 0;
    if (closes[c]) gain += spared;
  }
  if (gain <= 0) return;
  for (std::size_t i = 0; i < p.points; ++i) {
    ClusterPoint& point = state.table[i];
    const std::int32_t number = state.centre_number[static_cast<std::size_t>(point.centre)];
    if (gains.would_switch[i] == 0 && !closes[static_cast<std::size_t>(number)]) continue;
    point.cost = squared_distance(p, i, candidate) * point.weight;
    point.centre = candidate;
  }
  std::int32_t next = 0;
  for (std::size_t i = 0; i < p.points; ++i) {
    std::int32_t& number = state.centre_number[i];
    const bool stays = number >= 0 && !closes[static_cast<std::size_t>(number)];
    number = stays || i == candidate ? next++ : -1;
  }
  state.centres = next;
}

using FindGains = std::function<Gains(const State&, std::uint32_t candidate)>;

inline State search(const Problem& p, int candidates, std::uint64_t seed, const FindGains& find_gains) {
  State state = first_state(p);
  Random random(seed, 9);
  for (int round = 0; round < candidates; ++round) {
    const std::uint32_t candidate = random.below(p.points);
    if (state.centre_number[candidate] >= 0) continue;
    decide(p, state, candidate, find_gains(state, candidate));
  }
  return state;
}

}  // namespace heddle::workloads::streamcluster
