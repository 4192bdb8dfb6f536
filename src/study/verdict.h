// The rules of judging: what a value or an order that was found says about what a paper states.
//
// A difference counts if it is above noise: above kSmallestEffect of the greater value, and above the spread that both
// have over seeds. What is closer is equal.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "study/claim.h"

namespace heddle::study {

/// From best to worst, so that the worst of several is the greatest.
enum class Verdict : std::uint8_t { reproduced, same_direction, not_reproduced, not_run };
[[nodiscard]] std::string_view to_string(Verdict verdict);

/// The smallest effect that counts, as a share. Runs of one input are exact to the cycle, but the input, the code
/// generator and what a paper leaves open move results by this much.
inline constexpr double kSmallestEffect = 0.01;
/// "About" and "exactly" allow this share of the stated value: papers round, and figures are read.
inline constexpr double kTolerance = 0.1;
/// "Almost every" leaves out one workload in this many, and at least one.
inline constexpr std::size_t kAlmostEvery = 8;

/// What was found, over seeds.
struct Figure {
  double value = 0;
  double spread = 0;  ///< standard deviation over the seeds; 0 with one
};
/// Mean and spread of the values that seeds gave.
[[nodiscard]] Figure figure_of(const std::vector<double>& by_seed);

/// One lies above the other by more than noise.
[[nodiscard]] bool above(const Figure& one, const Figure& other);

/// How a value compares with a numeric claim. The direction is the same if the value lies on the stated side of "no
/// effect", by more than noise. A range around "no effect" has no direction, and neither has "at most", which is about
/// size.
[[nodiscard]] Verdict judge(const Claim& claim, const Figure& found);

/// Groups of values that should rise from group to group; inside a group they may lie anyhow. Reproduced if every value
/// is above all of the groups before; the same direction if some are equal but none is below; an order that breaks is
/// not reproduced.
[[nodiscard]] Verdict judge_order(const std::vector<std::vector<Figure>>& groups);

/// The verdict on a claim about many workloads, of which `exceptions` may differ.
[[nodiscard]] Verdict judge_all(std::vector<Verdict> verdicts, std::size_t exceptions);

}  // namespace heddle::study
