// Accesses of synonyms that are on their way to the leading name, by when they were sent there.
//
// A page that is shot down may be another name of a frame: then nothing is cached under it, but accesses under it may
// be under way, and the shootdown is over when they have been served. Each access belongs to the generation in which it
// was sent; a shootdown ends a generation and waits for all that have ended.
#pragma once

#include <array>
#include <cstdint>

namespace heddle::vm {

class SynonymAccesses {
 public:
  /// A miss is sent to the leading name; those who wait for it are counted when its slice has told of them.
  [[nodiscard]] std::uint8_t send() {
    ++at(current_).holds;
    return static_cast<std::uint8_t>(current_);
  }
  void forwarded(std::uint8_t generation, std::uint32_t count) {
    --slots_[generation].holds;
    slots_[generation].replays += static_cast<std::int64_t>(count);
    settle();
  }
  void replayed(std::uint8_t generation) {
    --slots_[generation].replays;
    settle();
  }

  /// What is on its way now; has_ended() says when it no longer is.
  [[nodiscard]] std::uint64_t end_generation() {
    const std::uint64_t ended = current_;
    // All numbers in use: those that come now wait with those that are there.
    if (current_ + 1 - first_ < kSlots) ++current_;
    settle();
    return ended;
  }
  [[nodiscard]] bool has_ended(std::uint64_t generation) const {
    return first_ > generation || (first_ == generation && is_quiet(slots_[generation % kSlots]));
  }

 private:
  static constexpr std::uint64_t kSlots = 256;
  struct Slot {
    std::int64_t holds = 0;
    std::int64_t replays = 0;
  };
  [[nodiscard]] static bool is_quiet(const Slot& slot) { return slot.holds == 0 && slot.replays == 0; }
  [[nodiscard]] Slot& at(std::uint64_t generation) { return slots_[generation % kSlots]; }
  void settle() {
    while (first_ < current_ && is_quiet(at(first_))) ++first_;
  }

  std::array<Slot, kSlots> slots_{};
  std::uint64_t first_ = 0;  ///< the oldest that is not over
  std::uint64_t current_ = 0;
};

}  // namespace heddle::vm
