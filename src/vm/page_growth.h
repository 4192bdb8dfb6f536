// Which pages of a block of managed memory come when some of them fault: the tree of the driver's prefetcher.
//
// A page brings its chunk (64 KiB). Chunks are the leaves of a tree over the block: of the subtrees around a page that
// faulted, the largest comes of which more than a share is on the device or coming.
#pragma once

#include <bitset>
#include <cstddef>

namespace heddle::vm {

/// 2 MiB of pages of 4 KiB, aligned.
inline constexpr std::size_t kBlockPages = 512;
using PageSet = std::bitset<kBlockPages>;

struct Growth {
  unsigned chunk_pages = 16;        ///< a power of two, at most region_pages
  unsigned region_pages = 512;      ///< what comes at once is never more; a power of two
  unsigned threshold_percent = 51;  ///< of a region's pages; 100 or more: it never grows beyond chunks
};

/// The pages [first, first + count).
[[nodiscard]] PageSet page_range(std::size_t first, std::size_t count);

/// `there`: on the device or on their way; `faulted`: wanted; `allowed`: pages that there are, and that may come.
/// The result are pages of `allowed` that are not `there`.
[[nodiscard]] PageSet grow(const Growth& growth, const PageSet& there, const PageSet& faulted, const PageSet& allowed);

}  // namespace heddle::vm
