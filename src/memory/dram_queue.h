// The requests that wait in a DRAM controller: a fixed pool, and lists threaded through it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/check.h"
#include "memory/dram_command.h"
#include "memory/request.h"

namespace heddle::memory {

inline constexpr std::uint16_t kNoSlot = 0xffff;

/// One waiting request, as schedulers see it.
struct QueuedRequest {
  std::uint64_t address = 0;
  std::uint64_t order = 0;  ///< position among all requests of the channel: smaller is older
  DramCycle arrival = 0;
  std::uint32_t token = 0;
  std::uint32_t row = 0;
  std::uint16_t application = 0;
  std::uint16_t sm = 0;
  std::uint8_t bank = 0;  ///< over all ranks
  bool write = false;
  Traffic traffic = Traffic::data;
  std::uint8_t level = 0;  ///< of a walk
  std::uint8_t warp = kNoWarp;
  std::uint8_t queue = 0;  ///< of the scheduler, which may set it
  std::uint16_t next = kNoSlot;
};

class RequestPool {
 public:
  explicit RequestPool(std::size_t size) : slots_(size) {
    HEDDLE_CHECK(size < kNoSlot, "DRAM request pool too large");
    for (std::size_t i = 0; i < size; ++i) slots_[i].next = i + 1 < size ? static_cast<std::uint16_t>(i + 1) : kNoSlot;
    free_ = 0;
  }
  [[nodiscard]] QueuedRequest& operator[](std::uint16_t slot) { return slots_[slot]; }
  [[nodiscard]] const QueuedRequest& operator[](std::uint16_t slot) const { return slots_[slot]; }
  [[nodiscard]] std::uint16_t take() {
    const std::uint16_t slot = free_;
    HEDDLE_CHECK(slot != kNoSlot, "push() into a full DRAM queue");
    free_ = slots_[slot].next;
    return slot;
  }
  void give_back(std::uint16_t slot) {
    slots_[slot].next = free_;
    free_ = slot;
  }

 private:
  std::vector<QueuedRequest> slots_;
  std::uint16_t free_ = kNoSlot;
};

/// Slots of a pool in order of arrival.
class RequestList {
 public:
  [[nodiscard]] std::uint16_t head() const { return head_; }
  [[nodiscard]] bool empty() const { return head_ == kNoSlot; }
  [[nodiscard]] unsigned size() const { return size_; }

  void append(RequestPool& pool, std::uint16_t slot) {
    pool[slot].next = kNoSlot;
    if (head_ == kNoSlot) {
      head_ = slot;
    } else {
      pool[tail_].next = slot;
    }
    tail_ = slot;
    ++size_;
  }
  void remove(RequestPool& pool, std::uint16_t slot) {
    std::uint16_t before = kNoSlot;
    for (std::uint16_t at = head_; at != slot; at = pool[at].next) before = at;
    const std::uint16_t after = pool[slot].next;
    (before == kNoSlot ? head_ : pool[before].next) = after;
    if (tail_ == slot) tail_ = before;
    --size_;
  }

 private:
  std::uint16_t head_ = kNoSlot;
  std::uint16_t tail_ = kNoSlot;
  unsigned size_ = 0;
};

/// Answers that are due in the order in which they were promised.
class DueQueue {
 public:
  DueQueue() : ring_(64) {}
  [[nodiscard]] bool empty() const { return first_ == last_; }
  [[nodiscard]] DramCycle due() const { return ring_[first_ & (ring_.size() - 1)].due; }
  void push(DramCycle due, std::uint32_t token) {
    if (last_ - first_ == ring_.size()) grow();
    ring_[last_++ & (ring_.size() - 1)] = {due, token};
  }
  std::uint32_t pop() { return ring_[first_++ & (ring_.size() - 1)].token; }

 private:
  struct Entry {
    DramCycle due = 0;
    std::uint32_t token = 0;
  };
  void grow() {
    std::vector<Entry> larger(2 * ring_.size());
    for (std::size_t i = first_; i != last_; ++i) larger[i & (larger.size() - 1)] = ring_[i & (ring_.size() - 1)];
    ring_ = std::move(larger);
  }
  std::vector<Entry> ring_;  // a power of two
  std::size_t first_ = 0;
  std::size_t last_ = 0;
};

}  // namespace heddle::memory
