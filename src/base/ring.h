// A first-in, first-out queue in one piece of memory, which is kept: nothing is allocated once it has been at its
// longest.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace heddle {

template <typename T>
class Ring {
 public:
  [[nodiscard]] bool empty() const { return head_ == tail_; }
  [[nodiscard]] std::size_t size() const { return tail_ - head_; }
  [[nodiscard]] T& front() { return slots_[head_ & (slots_.size() - 1)]; }
  [[nodiscard]] const T& front() const { return slots_[head_ & (slots_.size() - 1)]; }
  /// The i-th from the front.
  [[nodiscard]] const T& operator[](std::size_t i) const { return slots_[(head_ + i) & (slots_.size() - 1)]; }
  void push_back(T value) {
    if (size() == slots_.size()) grow();
    slots_[tail_++ & (slots_.size() - 1)] = std::move(value);
  }
  void pop_front() { ++head_; }
  void clear() { head_ = tail_; }

 private:
  void grow() {
    std::vector<T> larger(slots_.empty() ? 8 : 2 * slots_.size());
    const std::size_t count = size();
    for (std::size_t i = 0; i < count; ++i) larger[i] = std::move(slots_[(head_ + i) & (slots_.size() - 1)]);
    slots_ = std::move(larger);
    head_ = 0;
    tail_ = count;
  }

  std::vector<T> slots_;  ///< a power of two of them
  std::size_t head_ = 0;
  std::size_t tail_ = 0;
};

}  // namespace heddle
