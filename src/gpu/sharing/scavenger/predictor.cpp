#include "gpu/sharing/scavenger/predictor.h"

#include <algorithm>
#include <cmath>

namespace heddle::gpu::scavenger {

void Interval::add(const Interval& other) {
  cycles += other.cycles;
  instructions += other.instructions;
  lanes += other.lanes;
  memory_instructions += other.memory_instructions;
  accesses += other.accesses;
  pcs.add(other.pcs);
}

void Interval::clear() {
  cycles = instructions = lanes = memory_instructions = accesses = 0;
  pcs.clear();
}

void Predictor::restart() {
  large_.clear();
  for (Interval& each : small_) each.clear();
  head_ = 0;
  length_ = small_cycles_ = small_instructions_ = 0;
  settled_ = 0;
}

double Predictor::difference() const {
  const double trained = large_.ipc();
  if (trained == 0 || small_cycles_ == 0) return 1;
  const double validated =
      static_cast<double>(small_instructions_ + small_[head_].instructions) / static_cast<double>(small_cycles_);
  return std::abs(trained - validated) / trained;
}

Predictor::Outcome Predictor::cycle() {
  ++length_;
  ++small_[head_].cycles;
  ++small_cycles_;
  const std::size_t tail = (head_ + 1) % kSmall;
  if (small_cycles_ >= large_.cycles + std::max<std::uint64_t>(small_[tail].cycles, 1)) {
    small_cycles_ -= small_[tail].cycles;
    small_instructions_ += small_[head_].instructions;
    small_instructions_ -= small_[tail].instructions;
    large_.add(small_[tail]);
    small_[tail].clear();
    head_ = tail;
  }
  settled_ = difference() < p_.tolerance ? settled_ + 1 : 0;
  if (length_ >= p_.min_profile && settled_ >= p_.settle) return Outcome::accepted;
  if (length_ < p_.max_profile) return Outcome::goes_on;
  restart();
  return Outcome::discarded;
}

Interval Predictor::validation() const {
  Interval all(kWideBits);
  for (const Interval& each : small_) all.add(each);
  return all;
}

Profile Predictor::profile() const {
  const Interval newer = validation();
  const double widened = 1 + p_.margin;
  Profile profile;
  profile.whole = large_;
  profile.whole.add(newer);
  profile.lanes_threshold =
      std::max<double>(p_.min_lanes, widened * std::abs(large_.mean_lanes() - newer.mean_lanes()));
  profile.accesses_threshold =
      std::max<double>(p_.min_accesses, widened * std::abs(large_.mean_accesses() - newer.mean_accesses()));
  profile.pcs_threshold =
      std::max<double>(p_.min_pcs, widened * scavenger::difference(large_.pcs, newer.pcs, p_.exact_pcs));
  return profile;
}

}  // namespace heddle::gpu::scavenger
