#include "vm/page_growth.h"

#include <algorithm>

namespace heddle::vm {

PageSet page_range(std::size_t first, std::size_t count) {
  if (count == 0) return {};
  return (~PageSet{} >> (kBlockPages - count)) << first;
}

PageSet grow(const Growth& growth, const PageSet& there, const PageSet& faulted, const PageSet& allowed) {
  PageSet coming = there;
  for (std::size_t first = 0; first < kBlockPages; first += growth.chunk_pages) {
    const PageSet chunk = page_range(first, growth.chunk_pages);
    if ((faulted & chunk).any()) coming |= chunk & allowed;
  }
  for (std::size_t leaf = 0; leaf < kBlockPages; leaf += growth.chunk_pages) {
    if ((faulted & page_range(leaf, growth.chunk_pages)).none()) continue;
    PageSet region;
    for (std::size_t size = std::size_t{2} * growth.chunk_pages; size <= growth.region_pages; size *= 2) {
      const PageSet around = page_range(leaf / size * size, size);
      const std::size_t all = (around & (allowed | there)).count();
      if ((around & coming).count() * 100 > all * growth.threshold_percent) region = around;
    }
    coming |= region & allowed;
  }
  return coming & ~there;
}

}  // namespace heddle::vm
