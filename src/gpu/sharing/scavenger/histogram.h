// Which instructions ran how often, in few buckets (section 5.4.2): bucket (PC / 8) mod 128, and a total.
//
// Counters are narrow. When one overflows, all are halved, and the histogram remembers how often, so that histograms
// are added like to like.
#pragma once

#include <array>
#include <cstdint>

namespace heddle::gpu::scavenger {

inline constexpr unsigned kBuckets = 128;  // 5.4.2, 5.6.2
inline constexpr unsigned kWideBits = 16;  // 128 x 16 + 4 x 128 x 12 bits are the 1 KB of 5.6.2
inline constexpr unsigned kNarrowBits = 12;
inline constexpr std::uint32_t kRange = 65536;  // Table 5.1

class PcHistogram {
 public:
  explicit PcHistogram(unsigned bits = kWideBits) : most_((std::uint32_t{1} << bits) - 1) {}

  /// `instruction` is the PC over the size of an instruction.
  void add(std::uint32_t instruction) {
    std::uint32_t& bucket = counts_[instruction % kBuckets];
    if (bucket == most_) halve();
    ++bucket;
    ++total_;
  }
  void add(const PcHistogram& other);
  void clear() {
    counts_.fill(0);
    total_ = 0;
    halvings_ = 0;
  }
  [[nodiscard]] std::uint32_t at(unsigned bucket) const { return counts_[bucket]; }
  [[nodiscard]] std::uint64_t total() const { return total_; }
  [[nodiscard]] unsigned halvings() const { return halvings_; }

 private:
  void halve();

  std::uint32_t most_;
  std::array<std::uint32_t, kBuckets> counts_{};
  std::uint64_t total_ = 0;
  unsigned halvings_ = 0;
};

/// Half the sum of differences, where kRange is the larger total (section 5.6.2). The smaller histogram is shifted by
/// the power of two that brings the totals nearest or, if `exact`, brought to the same total. Nothing in one: 0.
[[nodiscard]] double difference(const PcHistogram& one, const PcHistogram& other, bool exact);

}  // namespace heddle::gpu::scavenger
