// A vector whose first elements lie in the object itself: a few are the common case, and many must work.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <type_traits>
#include <vector>

namespace heddle {

template <typename T, std::size_t Inside>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  SmallVector() = default;
  SmallVector(std::initializer_list<T> values) {
    for (const T& value : values) push_back(value);
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] T* begin() { return spilled_ ? outside_.data() : inside_.data(); }
  [[nodiscard]] T* end() { return begin() + size_; }
  [[nodiscard]] const T* begin() const { return spilled_ ? outside_.data() : inside_.data(); }
  [[nodiscard]] const T* end() const { return begin() + size_; }
  [[nodiscard]] T& operator[](std::size_t i) { return begin()[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return begin()[i]; }

  void push_back(const T& value) {
    if (!spilled_ && size_ < Inside) {
      inside_[size_++] = value;
      return;
    }
    if (!spilled_) {
      outside_.assign(inside_.begin(), inside_.end());
      spilled_ = true;
    }
    outside_.push_back(value);
    ++size_;
  }
  void clear() {
    size_ = 0;
    spilled_ = false;
  }

 private:
  std::uint32_t size_ = 0;
  bool spilled_ = false;
  std::array<T, Inside> inside_{};
  std::vector<T> outside_;  ///< keeps its memory over clear()
};

}  // namespace heddle
