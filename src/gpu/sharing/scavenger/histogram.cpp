#include "gpu/sharing/scavenger/histogram.h"

#include <algorithm>
#include <cmath>

namespace heddle::gpu::scavenger {

void PcHistogram::halve() {
  total_ = 0;
  for (std::uint32_t& count : counts_) {
    count /= 2;
    total_ += count;
  }
  ++halvings_;
}

void PcHistogram::add(const PcHistogram& other) {
  while (halvings_ < other.halvings_) halve();
  std::array<std::uint64_t, kBuckets> sums{};
  const auto sum = [&] {
    for (unsigned b = 0; b < kBuckets; ++b)
      sums[b] = std::uint64_t{counts_[b]} + (other.counts_[b] >> (halvings_ - other.halvings_));
    return *std::max_element(sums.begin(), sums.end());
  };
  while (sum() > most_) halve();
  total_ = 0;
  for (unsigned b = 0; b < kBuckets; ++b) {
    counts_[b] = static_cast<std::uint32_t>(sums[b]);
    total_ += sums[b];
  }
}

double difference(const PcHistogram& one, const PcHistogram& other, bool exact) {
  const PcHistogram& small = one.total() < other.total() ? one : other;
  const PcHistogram& large = one.total() < other.total() ? other : one;
  if (small.total() == 0) return 0;
  const double ratio = static_cast<double>(large.total()) / static_cast<double>(small.total());
  const double factor = exact ? ratio : std::exp2(std::round(std::log2(ratio)));
  double sum = 0;
  for (unsigned b = 0; b < kBuckets; ++b)
    sum += std::abs(static_cast<double>(large.at(b)) - factor * static_cast<double>(small.at(b)));
  const double larger = std::max(static_cast<double>(large.total()), factor * static_cast<double>(small.total()));
  return sum / 2 * kRange / larger;
}

}  // namespace heddle::gpu::scavenger
