// Integration of the cell model in double precision by Fehlberg's method.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "workloads/myocyte/model.h"

namespace heddle::workloads::myocyte {

using State = std::array<double, myocyte_model::kVariables>;

/// The membrane at rest; all calmodulin free.
inline State resting_state() {
  State y{-84.5, 0.0017, 0.9832, 0.9895, 0.003, 1.0, 0.0057, 0.0002};
  for (std::size_t v = myocyte_model::kMembrane; v < y.size(); v += myocyte_model::kPerCompartment) y[v] = 1.0;
  return y;
}

struct Step {
  State state{};
  double error = 0;  ///< the largest, relative to the variable
};

inline Step advance(const State& y, const double* parameters, double time, double step) {
  static constexpr std::array<double, 6> kTime{0, 1.0 / 4, 3.0 / 8, 12.0 / 13, 1, 1.0 / 2};
  static constexpr std::array<std::array<double, 5>, 6> kStage{
      {{},
       {1.0 / 4},
       {3.0 / 32, 9.0 / 32},
       {1932.0 / 2197, -7200.0 / 2197, 7296.0 / 2197},
       {439.0 / 216, -8, 3680.0 / 513, -845.0 / 4104},
       {-8.0 / 27, 2, -3544.0 / 2565, 1859.0 / 4104, -11.0 / 40}}};
  static constexpr std::array<double, 6> kFourth{25.0 / 216, 0, 1408.0 / 2565, 2197.0 / 4104, -1.0 / 5, 0};
  static constexpr std::array<double, 6> kFifth{16.0 / 135, 0, 6656.0 / 12825, 28561.0 / 56430, -9.0 / 50, 2.0 / 55};
  std::array<State, 6> slopes{};
  for (std::size_t stage = 0; stage < 6; ++stage) {
    State at = y;
    for (std::size_t s = 0; s < stage; ++s) {
      for (std::size_t v = 0; v < y.size(); ++v) at[v] += step * kStage[stage][s] * slopes[s][v];
    }
    myocyte_model::derivatives(at.data(), parameters, time + kTime[stage] * step, slopes[stage].data());
  }
  Step result{y, 0};
  for (std::size_t v = 0; v < y.size(); ++v) {
    double difference = 0;
    for (std::size_t s = 0; s < 6; ++s) {
      result.state[v] += step * kFourth[s] * slopes[s][v];
      difference += step * (kFifth[s] - kFourth[s]) * slopes[s][v];
    }
    result.error = std::max(result.error, std::abs(difference) / (1e-3 + std::abs(y[v])));
  }
  return result;
}

}  // namespace heddle::workloads::myocyte
