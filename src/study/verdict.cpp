#include "study/verdict.h"

#include <algorithm>
#include <cmath>

namespace heddle::study {
namespace {

/// What kSmallestEffect is a share of, where a value is compared with "no effect".
double scale(const Claim& claim) {
  return claim.unit == "percent" ? 100 : std::max(1.0, std::abs(claim.neutral.value_or(0)));
}

/// The range lies on both sides of "no effect".
bool straddles(const Claim& claim) {
  return claim.low && claim.high && *claim.low <= *claim.neutral && *claim.neutral <= *claim.high;
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::reproduced:
      return "reproduced";
    case Verdict::same_direction:
      return "same direction";
    case Verdict::not_reproduced:
      return "not reproduced";
    case Verdict::not_run:
      return "not run";
  }
  return "";
}

Figure figure_of(const std::vector<double>& by_seed) {
  Figure figure;
  if (by_seed.empty()) return figure;
  const auto count = static_cast<double>(by_seed.size());
  for (const double value : by_seed) figure.value += value / count;
  if (by_seed.size() == 1) return figure;
  double squares = 0;
  for (const double value : by_seed) squares += (value - figure.value) * (value - figure.value);
  figure.spread = std::sqrt(squares / (count - 1));
  return figure;
}

bool above(const Figure& one, const Figure& other) {
  const double greater = std::max(std::abs(one.value), std::abs(other.value));
  return one.value - other.value > std::max(kSmallestEffect * greater, std::hypot(one.spread, other.spread));
}

Verdict judge(const Claim& claim, const Figure& found) {
  const bool loose = claim.relation == Relation::approximately || claim.relation == Relation::exactly;
  const double low = claim.low.value_or(-INFINITY) - (loose ? kTolerance * std::abs(claim.low.value_or(0)) : 0);
  const double high = claim.high.value_or(INFINITY) + (loose ? kTolerance * std::abs(claim.high.value_or(0)) : 0);
  const bool enough = claim.relation == Relation::at_most || found.value >= low;
  const bool little = claim.relation == Relation::at_least || found.value <= high;
  if (enough && little) return Verdict::reproduced;
  if (!claim.neutral || claim.relation == Relation::at_most || straddles(claim)) return Verdict::not_reproduced;
  const double effect = found.value - *claim.neutral;
  const double stated = claim.low.value_or(claim.high.value_or(*claim.neutral)) - *claim.neutral;
  const bool counts = std::abs(effect) > std::max(kSmallestEffect * scale(claim), found.spread);
  return counts && effect * stated > 0 ? Verdict::same_direction : Verdict::not_reproduced;
}

Verdict judge_order(const std::vector<std::vector<Figure>>& groups) {
  Verdict verdict = Verdict::reproduced;
  for (std::size_t later = 1; later < groups.size(); ++later) {
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      for (const Figure& high : groups[later]) {
        for (const Figure& low : groups[earlier]) {
          if (above(low, high)) return Verdict::not_reproduced;
          if (!above(high, low)) verdict = Verdict::same_direction;
        }
      }
    }
  }
  // Equal all along is no order at all.
  if (verdict == Verdict::same_direction) {
    const auto rises = [&] {
      for (const Figure& high : groups.back()) {
        for (const Figure& low : groups.front()) {
          if (above(high, low)) return true;
        }
      }
      return false;
    };
    if (!rises()) return Verdict::not_reproduced;
  }
  return verdict;
}

Verdict judge_all(std::vector<Verdict> verdicts, std::size_t exceptions) {
  if (verdicts.empty()) return Verdict::not_run;
  std::sort(verdicts.begin(), verdicts.end());
  return verdicts[verdicts.size() - 1 - std::min(exceptions, verdicts.size() - 1)];
}

}  // namespace heddle::study
