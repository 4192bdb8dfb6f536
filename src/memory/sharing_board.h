// What parts of a GPU tell each other about the applications that share it: the counters that hardware keeps in one
// place and looks at when an epoch ends (MASK, ASPLOS 2018, sections 5.2 to 5.4 and 7.4).
//
// A part writes only its own cells while it runs. Between quanta the GPU adds them up: what others read does not change
// within a quantum, so that the answer is the same for any number of host threads. Nothing is written as long as no
// mechanism has asked for it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "memory/request.h"
#include "sim/exchange.h"
#include "sim/time.h"

namespace heddle::memory {

class SharingBoard {
 public:
  struct Size {
    unsigned sms = 1;
    unsigned slices = 1;
    unsigned applications = 1;
  };
  SharingBoard(const Size& size, sim::Cycle epoch)
      : size_(size),
        epoch_(epoch),
        next_(epoch),
        slices_(size.slices),
        sms_(size.sms),
        walking_(size.applications),
        most_walking_(size.applications),
        loads_(size.applications),
        warps_(size.applications, std::vector<unsigned>(size.sms)),
        running_((std::uint64_t{1} << size.applications) - 1) {
    for (SmCells& sm : sms_) sm.applications.resize(size.applications);
  }

  /// A mechanism wants what is said here; called when it is made.
  void use() { in_use_ = true; }
  [[nodiscard]] bool in_use() const { return in_use_; }
  [[nodiscard]] const Size& size() const { return size_; }

  // What an L2 slice says.
  /// Accesses of one class: 0 is data, others are the level of the page-table entry.
  struct Rate {
    std::uint64_t accesses = 0;
    std::uint64_t hits = 0;
    [[nodiscard]] bool below(const Rate& other) const { return hits * other.accesses < other.hits * accesses; }
  };
  static constexpr std::size_t kClasses = 5;
  using Rates = std::array<Rate, kClasses>;
  void looked_up(std::uint16_t slice, const Request& request, bool hit) {
    if (request.traffic != Traffic::data && request.traffic != Traffic::walk) return;
    Rate& rate = slices_[slice].rates[request.traffic == Traffic::data ? 0 : request.level];
    ++rate.accesses;
    rate.hits += hit ? 1 : 0;
  }
  /// Of all slices, in this epoch so far.
  [[nodiscard]] const Rates& rates() const { return rates_; }

  // What an SM says.
  void uses_memory(std::uint16_t sm, std::uint16_t application, std::uint8_t warp) {
    if (in_use_) sms_[sm].applications[application].active |= std::uint64_t{1} << (warp & 63u);
  }
  /// A miss of its TLB that was walked has ended: so many of its warps waited.
  void stalled(std::uint16_t sm, std::uint16_t application, unsigned warps) {
    if (!in_use_) return;
    SmApplication& cells = sms_[sm].applications[application];
    ++cells.misses;
    cells.stalled += std::min(warps, kMostCounted);
  }
  // What the shared translation unit says.
  void walk_begins(std::uint16_t application) {
    most_walking_[application] = std::max(most_walking_[application], ++walking_[application]);
  }
  void walk_ends(std::uint16_t application) { --walking_[application]; }

  // What was latched when the last epoch ended.
  [[nodiscard]] std::uint64_t epochs() const { return epochs_; }
  /// Most walks at once, times warps that a miss stalled in the mean (MASK, equation 1).
  [[nodiscard]] double load(unsigned application) const { return loads_[application]; }
  /// Warps of the SM that used memory for the application.
  [[nodiscard]] unsigned warps(unsigned application, unsigned sm) const { return warps_[application][sm]; }
  /// Whether the application has a kernel that has not ended.
  [[nodiscard]] bool running(unsigned application) const { return (running_ >> application & 1) != 0; }

  /// Between quanta; a bit of `running` for each application.
  void publish(sim::Cycle now, std::uint64_t running) {
    running_ = running;
    rates_ = {};
    for (const SliceCells& slice : slices_) {
      for (std::size_t c = 0; c < kClasses; ++c) {
        rates_[c].accesses += slice.rates[c].accesses;
        rates_[c].hits += slice.rates[c].hits;
      }
    }
    for (; now >= next_; next_ += epoch_) end_epoch();
  }

 private:
  /// What six bits count (MASK, section 5.4).
  static constexpr unsigned kMostCounted = 63;
  struct alignas(sim::kCacheLine) SliceCells {
    Rates rates{};
  };
  struct SmApplication {
    std::uint64_t active = 0;  ///< a bit per warp
    std::uint64_t misses = 0;
    std::uint64_t stalled = 0;
  };
  struct alignas(sim::kCacheLine) SmCells {
    std::vector<SmApplication> applications;
  };

  void end_epoch() {
    ++epochs_;
    for (unsigned a = 0; a < size_.applications; ++a) {
      std::uint64_t misses = 0;
      std::uint64_t stalled = 0;
      for (unsigned s = 0; s < size_.sms; ++s) {
        SmApplication& cells = sms_[s].applications[a];
        misses += cells.misses;
        stalled += cells.stalled;
        warps_[a][s] = static_cast<unsigned>(std::popcount(cells.active));
        cells = {};
      }
      const double each = misses == 0 ? 0 : static_cast<double>(stalled) / static_cast<double>(misses);
      loads_[a] = std::min(most_walking_[a], kMostCounted) * each;
      most_walking_[a] = walking_[a];
    }
    for (SliceCells& slice : slices_) slice.rates = {};
    rates_ = {};
  }

  Size size_;
  sim::Cycle epoch_;
  sim::Cycle next_;
  bool in_use_ = false;
  std::vector<SliceCells> slices_;
  std::vector<SmCells> sms_;
  std::vector<unsigned> walking_;
  std::vector<unsigned> most_walking_;
  Rates rates_{};
  std::uint64_t epochs_ = 0;
  std::vector<double> loads_;
  std::vector<std::vector<unsigned>> warps_;
  std::uint64_t running_;
};

}  // namespace heddle::memory
