// How messages get from one shard to another.
//
// All shards run at the same time, so nobody may read what others are writing. Each inbox therefore has two sides: in a
// quantum, senders fill one, and the receiver empties the other, which was filled in the quantum before. The engine
// turns all of them over in between. A message takes at least a quantum, so it is never needed earlier.
//
// Senders fill a box per host thread, not per sender: what one thread writes shares no cache line with another's, and
// with one thread there is one box. The order in which a receiver sees messages does not depend on it: by arrival, then
// sender, then sending order.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "sim/time.h"

namespace heddle::sim {

inline constexpr std::size_t kCacheLine = 64;

/// The number of the host thread that simulates; 0 is the one that called Engine::run(), or any outside of an engine.
inline thread_local unsigned host_thread = 0;

/// Which side of all inboxes is being filled.
class Exchange {
 public:
  explicit Exchange(unsigned threads) : threads_(threads) {}
  [[nodiscard]] unsigned threads() const { return threads_; }
  [[nodiscard]] unsigned sending() const { return side_; }
  [[nodiscard]] unsigned receiving() const { return side_ ^ 1u; }
  /// Between quanta: what was sent can now be received.
  void turn_over() { side_ ^= 1u; }

 private:
  unsigned threads_;
  unsigned side_ = 0;
};

/// Tells a shard that there is something in one of its inboxes.
class alignas(kCacheLine) Bell {
 public:
  void ring(unsigned side) {
    // Most of the time it has been rung already, and then nobody else's copy of the line need be touched.
    if (!rung_[side].load(std::memory_order_relaxed)) rung_[side].store(true, std::memory_order_relaxed);
  }
  [[nodiscard]] bool rung(unsigned side) const { return rung_[side].load(std::memory_order_relaxed); }
  void silence(unsigned side) { rung_[side].store(false, std::memory_order_relaxed); }

 private:
  std::array<std::atomic<bool>, 2> rung_{};
};

/// Everything on its way to one receiver. A message has `arrival` and `sender()`.
template <typename Message>
class Inbox {
 public:
  Inbox(const Exchange& exchange, Bell& bell)
      : exchange_(exchange), bell_(bell), boxes_(2 * std::size_t{exchange.threads()}) {}

  void send(const Message& message) {
    const unsigned side = exchange_.sending();
    boxes_[2 * host_thread + side].messages.push_back(message);
    bell_.ring(side);
  }

  /// Puts what was sent in the quantum before behind what is already in `into` and not later; returns the first
  /// arrival of it, kNever if there was nothing.
  Cycle collect(std::vector<Message>& into) {
    const std::size_t middle = into.size();
    for (std::size_t box = exchange_.receiving(); box < boxes_.size(); box += 2) {
      std::vector<Message>& messages = boxes_[box].messages;
      if (messages.empty()) continue;
      into.insert(into.end(), messages.begin(), messages.end());
      messages.clear();
    }
    if (into.size() == middle) return kNever;
    const auto fresh = into.begin() + static_cast<std::ptrdiff_t>(middle);
    if (!std::is_sorted(fresh, into.end(), earlier)) sort(into, middle);
    const Cycle first = into[middle].arrival;
    if (middle != 0 && earlier(into[middle], into[middle - 1])) merge(into, middle);
    return first;
  }

 private:
  static bool earlier(const Message& a, const Message& b) {
    return a.arrival != b.arrival ? a.arrival < b.arrival : a.sender() < b.sender();
  }
  /// Messages are large beside what decides about their order: that is sorted by itself, and each message moves once.
  void sort(std::vector<Message>& into, std::size_t middle) {
    constexpr unsigned kIndexBits = 20;
    constexpr unsigned kSenderBits = 16;
    fresh_.assign(into.begin() + static_cast<std::ptrdiff_t>(middle), into.end());
    Cycle base = kNever;
    Cycle last = 0;
    for (const Message& message : fresh_) {
      base = std::min(base, message.arrival);
      last = std::max(last, message.arrival);
    }
    if (fresh_.size() >> kIndexBits != 0 || (last - base) >> (64 - kSenderBits - kIndexBits) != 0) {
      std::stable_sort(into.begin() + static_cast<std::ptrdiff_t>(middle), into.end(), earlier);
      return;
    }
    order_.clear();
    for (std::size_t i = 0; i < fresh_.size(); ++i) {
      order_.push_back((fresh_[i].arrival - base) << (kSenderBits + kIndexBits) |
                       std::uint64_t{fresh_[i].sender()} << kIndexBits | i);
    }
    std::sort(order_.begin(), order_.end());
    for (std::size_t i = 0; i < order_.size(); ++i)
      into[middle + i] = fresh_[order_[i] & ((std::uint64_t{1} << kIndexBits) - 1)];
  }
  /// Both halves are in order. Of those that are alike, the earlier half's come first.
  void merge(std::vector<Message>& into, std::size_t middle) {
    fresh_.assign(into.begin() + static_cast<std::ptrdiff_t>(middle), into.end());
    std::size_t to = into.size();
    std::size_t old = middle;
    for (std::size_t fresh = fresh_.size(); fresh != 0;)
      into[--to] = old != 0 && earlier(fresh_[fresh - 1], into[old - 1]) ? into[--old] : fresh_[--fresh];
  }

  struct alignas(kCacheLine) Box {
    std::vector<Message> messages;
  };

  const Exchange& exchange_;
  Bell& bell_;
  std::vector<Box> boxes_;  ///< two sides for each host thread
  std::vector<Message> fresh_;
  std::vector<std::uint64_t> order_;
};

}  // namespace heddle::sim
