// A small cache of an SM for what a kernel never writes: instructions, and constants with kernel parameters.
//
// Fully associative, replaced in order of arrival. A miss takes an entry of a miss table and is an ordinary read of the
// L2; the line takes its place when it comes. A request that finds the SM's network port full waits here for room.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/request_names.h"
#include "memory/network_port.h"

namespace heddle::core {

class ReadOnlyCache {
 public:
  struct Setup {
    unsigned bytes = 0;
    unsigned line_bytes = 0;          ///< a power of two, at most network_line_bytes
    unsigned network_line_bytes = 0;  ///< what the L2 calls a line
    unsigned mshrs = 0;
    RequestName name = RequestName::instruction;
    memory::Traffic traffic = memory::Traffic::instruction;
  };
  ReadOnlyCache(const Setup& setup, memory::NetworkPort& port)
      : setup_(setup), port_(port), order_(std::max(1u, setup.bytes / setup.line_bytes), kNone) {
    present_.reserve(2 * order_.size());
    misses_.resize(setup.mshrs);
  }

  enum class Result : std::uint8_t {
    hit,
    joined,  ///< the line is on its way already
    missed,  ///< the line was asked for
    full,    ///< every miss entry is taken: ask again when one has come free
  };
  /// Looks a line (address / line size) up; unless it is here, fill() will name `waiter`.
  [[nodiscard]] Result access(std::uint64_t line, std::uint32_t waiter, std::uint16_t application);
  /// Whether the line of the last access had been prefetched and was accessed for the first time.
  [[nodiscard]] bool was_prefetched() const { return was_prefetched_; }
  /// Asks for a line that nobody waits for, if it is neither here nor on its way and an entry is free. Returns whether
  /// it did.
  bool prefetch(std::uint64_t line, std::uint16_t application);
  [[nodiscard]] bool contains(std::uint64_t line) const { return present_.contains(line); }
  [[nodiscard]] bool full() const { return used_ == misses_.size(); }

  /// An answer has come. Calls done(waiter, line) for everyone who has waited for it.
  template <typename Done>
  void fill(std::uint32_t miss, Done&& done) {
    // A copy: who is woken may miss again, in this very entry.
    const std::uint64_t line = misses_[miss].line;
    woken_.swap(misses_[miss].waiters);
    misses_[miss].waiters.clear();
    misses_[miss].line = kNone;
    --used_;
    keep(line, misses_[miss].prefetched);
    for (const std::uint32_t waiter : woken_) done(waiter, line);
    woken_.clear();
  }

  [[nodiscard]] bool has_unsent() const { return !unsent_.empty(); }
  /// Sends what found no room, as far as there is some now.
  void send_waiting();

 private:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  struct Miss {
    std::uint64_t line = kNone;
    std::uint16_t application = 0;
    bool prefetched = false;  ///< and not asked for since
    std::vector<std::uint32_t> waiters;
  };

  [[nodiscard]] std::vector<Miss>::iterator miss_of(std::uint64_t line) {
    return std::find_if(misses_.begin(), misses_.end(), [line](const Miss& m) { return m.line == line; });
  }
  /// Takes a free entry and sends the request.
  Miss& ask(std::uint64_t line, std::uint16_t application);
  void keep(std::uint64_t line, bool prefetched);
  void send(std::uint32_t miss);

  Setup setup_;
  memory::NetworkPort& port_;
  std::unordered_map<std::uint64_t, bool> present_;  ///< lines; whether prefetched and not used since
  std::vector<std::uint64_t> order_;                 ///< a ring: the lines in the order in which they came
  std::size_t oldest_ = 0;
  std::vector<Miss> misses_;
  std::size_t used_ = 0;
  bool was_prefetched_ = false;
  std::vector<std::uint32_t> unsent_;
  std::vector<std::uint32_t> woken_;
};

}  // namespace heddle::core
