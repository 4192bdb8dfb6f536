// The command that each bank of a DRAM channel waits for: when it is legal, and how old its request is.
//
// A channel asks for every command it issues which bank is first, so all banks are looked at again and again. Times and
// ages are plain signed numbers in arrays of whole vectors, and what differs between banks is a mask, not a branch: so
// the compiler takes several banks at once.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include "memory/dram_command.h"
#include "memory/dram_timing.h"

namespace heddle::memory {

class BankCommands {
 public:
  explicit BankCommands(unsigned banks) : lanes_((banks + kVector - 1) / kVector * kVector) {
    own_.fill(kNone);
    ready_.fill(kNone);
  }

  /// The bank waits for that command of the request of that age.
  void set(unsigned bank, DramCommand command, std::uint64_t order, const DramTiming& timing) {
    for (unsigned kind = 0; kind < DramTiming::kKinds; ++kind)
      waits_for_[kind][bank] = static_cast<unsigned>(command) == kind ? -1 : 0;
    own_[bank] = number(timing.earliest_in_bank(command, bank));
    ready_[bank] = number(timing.earliest(command, bank));
    key_[bank] = static_cast<std::int64_t>(order << kBankBits | bank) | (is_column(command) ? 0 : kRow);
  }
  void clear(unsigned bank) { own_[bank] = ready_[bank] = kNone; }

  [[nodiscard]] DramCycle ready_at(unsigned bank) const { return cycle(ready_[bank]); }

  /// Brings the times up to date; returns the first that is not before `after`.
  DramCycle update(const DramTiming& timing, DramCycle after) {
    const std::int64_t from = number(after);
    std::int64_t first = kNone;
    for (unsigned bank = 0; bank < lanes(); ++bank) {
      std::int64_t shared = 0;
      for (unsigned kind = 0; kind < DramTiming::kKinds; ++kind)
        shared |= waits_for_[kind][bank] & timing.shared(kind)[bank];
      const std::int64_t at = std::max(own_[bank], shared);
      ready_[bank] = at;
      first = std::min(first, at | none_if_negative(at - from));
    }
    return cycle(first);
  }

  /// The bank of the oldest column command that is ready, else of the oldest row command.
  [[nodiscard]] std::optional<unsigned> oldest(DramCycle now, bool rows, bool columns) const {
    const std::int64_t until = number(now);
    const std::int64_t turned = columns ? 0 : kRow;  // then row commands come before column commands
    std::int64_t best = kNone;
    for (unsigned bank = 0; bank < lanes(); ++bank)
      best = std::min(best, (key_[bank] ^ turned) | none_if_negative(until - ready_[bank]));
    if (best >= (rows && columns ? kNone : kRow)) return std::nullopt;
    return static_cast<unsigned>(best & (kBanks - 1));
  }

 private:
  static constexpr unsigned kBankBits = 6;
  static constexpr unsigned kBanks = 1u << kBankBits;
  static constexpr unsigned kVector = 8;
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t kRow = std::int64_t{1} << 62;

  [[nodiscard]] static std::int64_t number(DramCycle time) {
    return static_cast<std::int64_t>(std::min<std::uint64_t>(time.count(), kNone));
  }
  [[nodiscard]] static DramCycle cycle(std::int64_t number) {
    return number == kNone ? DramCycle::never() : DramCycle(static_cast<std::uint64_t>(number));
  }
  /// Whole vectors, which the compiler is to see.
  [[nodiscard]] unsigned lanes() const { return lanes_ / kVector * kVector; }
  [[nodiscard]] static std::int64_t none_if_negative(std::int64_t number) { return number >> 63 & kNone; }

  using Lanes = std::array<std::int64_t, kBanks>;
  unsigned lanes_;
  alignas(64) Lanes own_;    // from the bank alone; none if it waits for nothing
  alignas(64) Lanes ready_;  // when it is legal
  alignas(64) Lanes key_{};  // less goes first: column commands, then by age; its bank
  alignas(64) std::array<Lanes, DramTiming::kKinds> waits_for_{};  // all bits for the command that it is, else none
};

}  // namespace heddle::memory
