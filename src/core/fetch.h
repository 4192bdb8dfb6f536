// Instruction fetch: each warp holds the line it executes and the one after it, which is prefetched.
//
// Into the cache, lines are prefetched as a stream: those after one that missed, and one more each time that a
// prefetched line is used for the first time (sm.instruction_prefetch).
#pragma once

#include <array>
#include <bit>

#include "core/parameters.h"
#include "core/read_only_cache.h"
#include "core/sm_statistics.h"

namespace heddle::core {

class Fetch {
 public:
  Fetch(const SmParameters& parameters, SmStatistics& statistics, memory::NetworkPort& port);

  /// A context begins with nothing; its code starts at `code` in the addresses that caches see. `places` says where
  /// each instruction lies in it; nullptr: one after the other.
  void start(unsigned warp, std::uint64_t code, std::uint64_t instructions, std::uint16_t application,
             const std::uint32_t* places = nullptr) {
    warps_[warp] = {};
    warps_[warp].places = places;
    warps_[warp].code = code;
    warps_[warp].end = ((code + instructions * instruction_bytes_ - 1) >> line_shift_) + 1;
    warps_[warp].application = application;
    warps_[warp].live = true;
  }
  void stop(unsigned warp) { warps_[warp].live = false; }

  /// The warp's next instruction is at `pc`, and it may issue from `ready_at` on for all that others know. From when
  /// on, given that the instruction must be there; kNever: it is on its way, and fill() will say.
  [[nodiscard]] sim::Cycle next(unsigned warp, std::uint32_t pc, sim::Cycle ready_at, sim::Cycle now) {
    const Warp& w = warps_[warp];
    const std::uint64_t place = w.places == nullptr ? pc : w.places[pc];
    const std::uint64_t line = (w.code + place * instruction_bytes_) >> line_shift_;
    return line == w.line ? ready_at : next_line(warp, line, ready_at, now);
  }

  /// A line has come. Calls ready(warp, cycle) for each warp that can issue from that cycle on.
  template <typename Ready>
  void fill(std::uint32_t miss, sim::Cycle now, Ready&& ready) {
    cache_.fill(miss, [&](std::uint32_t warp, std::uint64_t line) {
      const sim::Cycle at = arrived(warp, line, now);
      if (at != sim::kNever) ready(warp, at);
    });
    for (WarpSet left = again_; left != 0 && !cache_.full(); left &= left - 1) {
      const auto warp = static_cast<unsigned>(std::countr_zero(left));
      const sim::Cycle at = ask_again(warp, now);
      if (at != sim::kNever) ready(warp, at);
    }
  }

  [[nodiscard]] bool has_unsent() const { return cache_.has_unsent(); }
  void send_waiting() { cache_.send_waiting(); }

 private:
  struct Warp {
    std::uint64_t line = ~std::uint64_t{0};
    const std::uint32_t* places = nullptr;
    std::uint64_t code = 0;
    std::uint64_t end = 0;           ///< the line after the last of the code
    sim::Cycle next_line_ready = 0;  ///< of the line after it, prefetched; kNever: on its way
    sim::Cycle not_before = 0;       ///< when the line comes, it issues no earlier
    std::uint16_t application = 0;
    bool waits = false;
    bool live = false;
  };
  [[nodiscard]] sim::Cycle next_line(unsigned warp, std::uint64_t line, sim::Cycle ready_at, sim::Cycle now);
  [[nodiscard]] sim::Cycle ask(std::uint64_t line, unsigned warp, sim::Cycle now);
  void prefetch(std::uint64_t first, std::uint64_t last, unsigned warp);
  [[nodiscard]] sim::Cycle ask_again(unsigned warp, sim::Cycle now);
  [[nodiscard]] sim::Cycle arrived(unsigned warp, std::uint64_t line, sim::Cycle now);

  SmStatistics& statistics_;
  unsigned line_shift_;
  unsigned instruction_bytes_;
  sim::Cycle latency_;
  unsigned prefetch_;
  ReadOnlyCache cache_;
  sim::Cycle port_free_at_ = 0;
  WarpSet again_ = 0;  ///< found every miss entry taken
  std::array<Warp, 64> warps_;
};

}  // namespace heddle::core
