#include "gpu/sharing/scavenger/phase_detector.h"

#include <cmath>

namespace heddle::gpu::scavenger {

void SlidingMean::push(std::uint64_t sum, std::uint64_t of) {
  if (full()) {
    sum_ -= ring_.front().sum;
    of_ -= ring_.front().of;
    ring_.pop_front();
  }
  ring_.push_back({sum, of});
  sum_ += sum;
  of_ += of;
}

void PhaseDetector::begin(const Profile& profile) {
  profile_ = profile;
  element_.clear();
  lanes_.clear();
  accesses_.clear();
  pcs_.clear();
  length_ = 0;
  lanes_over_ = accesses_over_ = 0;
}

Change PhaseDetector::complete_element() {
  lanes_.push(element_.lanes, element_.instructions);
  accesses_.push(element_.accesses, element_.memory_instructions);
  element_.clear();
  const auto over = [](const SlidingMean& mean, double before, double threshold) {
    return mean.full() && !mean.empty() && std::abs(mean.mean() - before) > threshold;
  };
  lanes_over_ = over(lanes_, profile_.whole.mean_lanes(), profile_.lanes_threshold) ? lanes_over_ + 1 : 0;
  accesses_over_ =
      over(accesses_, profile_.whole.mean_accesses(), profile_.accesses_threshold) ? accesses_over_ + 1 : 0;
  const unsigned enough = (p_.trigger + p_.element - 1) / p_.element;
  if (lanes_over_ >= enough) return Change::lanes;
  return accesses_over_ >= enough ? Change::accesses : Change::none;
}

Change PhaseDetector::cycle() {
  ++length_;
  Change change = Change::none;
  if (length_ % p_.element == 0) change = complete_element();
  if (length_ % p_.compare == 0) {
    const bool other = difference(profile_.whole.pcs, pcs_, p_.exact_pcs) > profile_.pcs_threshold;
    pcs_.clear();
    if (other && change == Change::none) change = Change::pcs;
  }
  if (length_ < profile_.whole.cycles) return Change::none;
  return change == Change::none && length_ >= p_.max_run ? Change::too_long : change;
}

}  // namespace heddle::gpu::scavenger
