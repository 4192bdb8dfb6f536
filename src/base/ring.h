// A queue in a ring that grows when it must and then allocates no more.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace heddle {

template <typename T>
class Ring {
 public:
  [[nodiscard]] bool empty() const { return first_ == last_; }
  [[nodiscard]] std::size_t size() const { return last_ - first_; }
  [[nodiscard]] T& front() { return items_[first_ & mask_]; }
  [[nodiscard]] const T& front() const { return items_[first_ & mask_]; }
  /// Counted from the front.
  [[nodiscard]] T& operator[](std::size_t i) { return items_[(first_ + i) & mask_]; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return items_[(first_ + i) & mask_]; }
  void push_back(const T& item) {
    if (size() == capacity_) grow();
    items_[last_++ & mask_] = item;
  }
  void pop_front() { ++first_; }
  /// Takes one out of the middle; the others stay in order.
  void erase(std::size_t i) {
    for (; i != 0; --i) (*this)[i] = std::move((*this)[i - 1]);
    ++first_;
  }
  /// Puts one in behind all for which not_after(item) holds, which are in front of all others.
  template <typename NotAfter>
  void insert_ordered(const T& item, NotAfter&& not_after) {
    push_back(item);
    std::size_t at = size() - 1;
    for (; at != 0 && !not_after((*this)[at - 1]); --at) (*this)[at] = std::move((*this)[at - 1]);
    (*this)[at] = item;
  }

 private:
  void grow() {
    std::vector<T> larger(items_.empty() ? kFirst : 2 * items_.size());
    const std::size_t count = size();
    for (std::size_t i = 0; i < count; ++i) larger[i] = std::move((*this)[i]);
    items_ = std::move(larger);
    capacity_ = items_.size();
    mask_ = capacity_ - 1;
    first_ = 0;
    last_ = count;
  }
  static constexpr std::size_t kFirst = 8;

  std::vector<T> items_;  ///< a power of two
  std::size_t capacity_ = 0;
  std::size_t mask_ = 0;
  std::size_t first_ = 0;
  std::size_t last_ = 0;
};

}  // namespace heddle
