// A large array of zeroes that takes host memory only where it is written: a table indexed by page or frame.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <type_traits>

#include "base/diagnostics.h"

namespace heddle {

template <typename T>
class ReservedArray {
  static_assert(std::is_trivial_v<T>);

 public:
  explicit ReservedArray(std::size_t count) : count_(count) {
    void* memory = mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
      throw UserError("cannot reserve " + std::to_string(bytes() >> 20) + " MiB of address space; ask for less memory");
    data_ = static_cast<T*>(memory);
  }
  ~ReservedArray() { munmap(data_, bytes()); }
  ReservedArray(const ReservedArray&) = delete;
  ReservedArray& operator=(const ReservedArray&) = delete;

  [[nodiscard]] T& operator[](std::size_t index) { return data_[index]; }
  [[nodiscard]] const T& operator[](std::size_t index) const { return data_[index]; }
  [[nodiscard]] std::size_t size() const { return count_; }

 private:
  [[nodiscard]] std::size_t bytes() const {
    return (count_ == 0 ? 1 : count_) * sizeof(T);  // NOLINT(bugprone-sizeof-expression): T may be a pointer
  }

  std::size_t count_;
  T* data_ = nullptr;
};

}  // namespace heddle
