// How fast the primary is alone: a profile that ends when its two halves agree (sections 5.4.1 and 5.6.2).
//
// The older half is in one large set of counters, the newer in four small ones that go round: the head collects. When
// the four together are longer than the large one by their tail, the tail is added to it and becomes the head.
#pragma once

#include <array>

#include "gpu/sharing/scavenger/histogram.h"
#include "gpu/sharing/scavenger/parameters.h"

namespace heddle::gpu::scavenger {

/// What is counted of the primary.
struct Interval {
  explicit Interval(unsigned bits = kNarrowBits) : pcs(bits) {}
  void add(const Interval& other);
  void clear();
  [[nodiscard]] double ipc() const { return ratio(instructions, cycles); }
  /// Active lanes of an instruction, and lines of a memory instruction.
  [[nodiscard]] double mean_lanes() const { return ratio(lanes, instructions); }
  [[nodiscard]] double mean_accesses() const { return ratio(accesses, memory_instructions); }

  std::uint64_t cycles = 0;
  std::uint64_t instructions = 0;
  std::uint64_t lanes = 0;
  std::uint64_t memory_instructions = 0;
  std::uint64_t accesses = 0;
  PcHistogram pcs;

 private:
  [[nodiscard]] static double ratio(std::uint64_t sum, std::uint64_t of) {
    return of == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(of);
  }
};

/// What an accepted profile says: the whole of it, and how far a statistic may be from it without being another phase.
struct Profile {
  Interval whole{kWideBits};
  double lanes_threshold = 0;
  double accesses_threshold = 0;
  double pcs_threshold = 0;
};

class Predictor {
 public:
  explicit Predictor(const ScavengerParameters& parameters) : p_(parameters) { restart(); }

  void restart();
  void issued(std::uint32_t instruction, unsigned lanes) {
    Interval& head = small_[head_];
    ++head.instructions;
    head.lanes += lanes;
    head.pcs.add(instruction);
  }
  void accessed(unsigned lines) {
    ++small_[head_].memory_instructions;
    small_[head_].accesses += lines;
  }
  enum class Outcome : std::uint8_t { goes_on, accepted, discarded };
  /// A cycle has passed.
  Outcome cycle();

  /// Of IPC between the halves, relative to the older.
  [[nodiscard]] double difference() const;
  [[nodiscard]] const Interval& training() const { return large_; }
  [[nodiscard]] Interval validation() const;
  [[nodiscard]] Profile profile() const;

 private:
  static constexpr std::size_t kSmall = 4;  // 5.6.2

  const ScavengerParameters& p_;
  Interval large_{kWideBits};
  std::array<Interval, kSmall> small_;
  std::size_t head_ = 0;
  std::uint64_t length_ = 0;
  std::uint64_t small_cycles_ = 0;        ///< of all four
  std::uint64_t small_instructions_ = 0;  ///< of those that do not collect
  unsigned settled_ = 0;                  ///< cycles since the difference was too large
};

}  // namespace heddle::gpu::scavenger
