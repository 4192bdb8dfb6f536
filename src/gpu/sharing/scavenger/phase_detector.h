// Whether the primary still does what it did in its profile (section 5.4.2), by what a co-runner does not change:
// active lanes, lines per memory instruction, and which instructions run.
//
// Lanes and lines are averaged over a sliding window, a shift register of sums with a running total; once it is full,
// it is compared whenever an element is complete. Instructions are compared by histogram, every so often.
#pragma once

#include "base/ring.h"
#include "gpu/sharing/scavenger/predictor.h"

namespace heddle::gpu::scavenger {

/// A mean over the last so many elements.
class SlidingMean {
 public:
  explicit SlidingMean(unsigned elements) : elements_(elements) {}
  void push(std::uint64_t sum, std::uint64_t of);
  void clear() { *this = SlidingMean(elements_); }
  [[nodiscard]] bool full() const { return ring_.size() == elements_; }
  [[nodiscard]] bool empty() const { return of_ == 0; }
  [[nodiscard]] double mean() const { return of_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(of_); }

 private:
  struct Element {
    std::uint64_t sum = 0;
    std::uint64_t of = 0;
  };
  unsigned elements_;
  Ring<Element> ring_;
  std::uint64_t sum_ = 0;
  std::uint64_t of_ = 0;
};

enum class Change : std::uint8_t { none, lanes, accesses, pcs, too_long };

class PhaseDetector {
 public:
  explicit PhaseDetector(const ScavengerParameters& parameters)
      : p_(parameters), lanes_(parameters.elements), accesses_(parameters.elements) {}

  /// A run begins after this profile.
  void begin(const Profile& profile);
  void issued(std::uint32_t instruction, unsigned lanes) {
    ++element_.instructions;
    element_.lanes += lanes;
    pcs_.add(instruction);
  }
  void accessed(unsigned lines) {
    ++element_.memory_instructions;
    element_.accesses += lines;
  }
  /// A cycle has passed. A change is one only when the run is as long as the profile was.
  Change cycle();

 private:
  [[nodiscard]] Change complete_element();

  const ScavengerParameters& p_;
  Profile profile_;
  Interval element_;
  SlidingMean lanes_;
  SlidingMean accesses_;
  PcHistogram pcs_{kNarrowBits};
  std::uint64_t length_ = 0;
  unsigned lanes_over_ = 0;  ///< elements in a row
  unsigned accesses_over_ = 0;
};

}  // namespace heddle::gpu::scavenger
