#include "base/large_pages.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

namespace heddle {

void allocate_in_large_pages() {
#ifdef __GLIBC__
  // The heap grows once, by so much address space. It takes large blocks, too, and keeps what it has.
  constexpr int kHeap = 256 << 20;
  constexpr int kLargestBlock = 32 << 20;
  mallopt(M_TOP_PAD, kHeap);
  mallopt(M_MMAP_THRESHOLD, kLargestBlock);
  mallopt(M_TRIM_THRESHOLD, 4 * kHeap - 1);
  auto* before = static_cast<char*>(sbrk(0));
  void* volatile block = std::malloc(kLargestBlock / 2);  // volatile, or the compiler does without
  std::free(block);
  auto* after = static_cast<char*>(sbrk(0));
  mallopt(M_TOP_PAD, 0);
  if (after > before) (void)madvise(before, static_cast<std::size_t>(after - before), MADV_HUGEPAGE);
#endif
}

}  // namespace heddle
