// A set of small integers with a fixed universe, one bit each.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace heddle {

class BitSet {
 public:
  BitSet() = default;
  explicit BitSet(std::size_t universe) : words_((universe + 63) / 64, 0) {}

  void insert(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
  void erase(std::size_t i) { words_[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }
  [[nodiscard]] bool contains(std::size_t i) const { return (words_[i / 64] >> (i % 64) & 1) != 0; }
  void clear() { words_.assign(words_.size(), 0); }

  /// Adds all of `other`; true if anything was new.
  bool unite(const BitSet& other) {
    std::uint64_t changed = 0;
    for (std::size_t w = 0; w < words_.size(); ++w) {
      changed |= other.words_[w] & ~words_[w];
      words_[w] |= other.words_[w];
    }
    return changed != 0;
  }
  /// *this = use | (out & ~defined)
  void transfer(const BitSet& use, const BitSet& out, const BitSet& defined) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] = use.words_[w] | (out.words_[w] & ~defined.words_[w]);
  }
  [[nodiscard]] std::size_t count() const {
    std::size_t n = 0;
    for (const std::uint64_t word : words_) n += static_cast<std::size_t>(std::popcount(word));
    return n;
  }
  template <typename Function>
  void for_each(Function&& f) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for (std::uint64_t word = words_[w]; word != 0; word &= word - 1)
        f(w * 64 + static_cast<std::size_t>(std::countr_zero(word)));
    }
  }
  friend bool operator==(const BitSet&, const BitSet&) = default;

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace heddle
