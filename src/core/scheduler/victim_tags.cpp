#include "core/scheduler/victim_tags.h"

#include <algorithm>

namespace heddle::core {

VictimTags::VictimTags(const Shape& shape)
    : shape_(shape), tags_(std::size_t{shape.warps} * shape.sets * shape.ways, kFree) {}

void VictimTags::insert(unsigned warp, std::uint64_t tag) {
  std::uint64_t* const begin = set_of(warp, tag);
  std::uint64_t* const end = begin + shape_.ways;
  std::uint64_t* const found = std::find(begin, end, tag);
  // Those lost later than this one, or all but the oldest, move back by one.
  std::move_backward(begin, found == end ? end - 1 : found, found == end ? end : found + 1);
  *begin = tag;
}

bool VictimTags::take(unsigned warp, std::uint64_t tag) {
  std::uint64_t* const begin = set_of(warp, tag);
  std::uint64_t* const end = begin + shape_.ways;
  std::uint64_t* const found = std::find(begin, end, tag);
  if (found == end) return false;
  std::move(found + 1, end, found);
  *(end - 1) = kFree;
  return true;
}

void VictimTags::clear(unsigned warp) {
  const std::size_t each = std::size_t{shape_.sets} * shape_.ways;
  const auto begin = tags_.begin() + static_cast<std::ptrdiff_t>(warp * each);
  std::fill(begin, begin + static_cast<std::ptrdiff_t>(each), kFree);
}

}  // namespace heddle::core
