// Victim tags (Rogers et al., MICRO 2012): for each warp, what it brought into a cache or a TLB and lost last.
//
// Set-associative with LRU in each set. A tag is a number of a line or a page; its low bits choose the set.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::core {

class VictimTags {
 public:
  struct Shape {
    unsigned warps = 64;
    unsigned sets = 1;  ///< of each warp; a power of two
    unsigned ways = 8;
  };
  explicit VictimTags(const Shape& shape);

  void insert(unsigned warp, std::uint64_t tag);
  /// Whether the warp has lost it. If so it comes back now, and is no victim any more.
  [[nodiscard]] bool take(unsigned warp, std::uint64_t tag);
  void clear(unsigned warp);

 private:
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};
  [[nodiscard]] std::uint64_t* set_of(unsigned warp, std::uint64_t tag) {
    return &tags_[(std::size_t{warp} * shape_.sets + (tag & (shape_.sets - 1))) * shape_.ways];
  }

  Shape shape_;
  std::vector<std::uint64_t> tags_;  ///< by warp, set and way, the last one lost first
};

}  // namespace heddle::core
