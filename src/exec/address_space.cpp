#include "exec/address_space.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "base/diagnostics.h"

namespace heddle::exec {
namespace {

std::uint8_t* reserve(std::uint64_t bytes) {
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) {
    throw UserError("cannot reserve " + std::to_string(bytes >> 20) +
                    " MiB of address space for simulated memory; ask for less");
  }
  return static_cast<std::uint8_t*>(at);
}

}  // namespace

GlobalMemory::GlobalMemory(std::uint64_t bytes) : limit_((bytes + kPageBytes - 1) / kPageBytes * kPageBytes) {
  data_ = reserve(limit_);
  mapped_ = reserve(std::max<std::uint64_t>(limit_ >> kPageBits, 1));
}

GlobalMemory::~GlobalMemory() {
  munmap(data_, limit_);
  munmap(mapped_, std::max<std::uint64_t>(limit_ >> kPageBits, 1));
}

std::optional<std::uint64_t> GlobalMemory::allocate(std::uint64_t bytes) {
  if (bytes > limit_) return std::nullopt;
  const std::uint64_t used = std::max<std::uint64_t>((bytes + kPageBytes - 1) >> kPageBits, 1);
  const std::uint64_t pages = used + 1;  // and the guard page
  std::uint64_t first = next_page_;
  if (const auto hole = holes_.lower_bound(pages); hole != holes_.end()) {
    first = hole->second;
    const std::uint64_t rest = hole->first - pages;
    holes_.erase(hole);
    if (rest > 1) holes_.emplace(rest, first + pages);
  } else {
    if (next_page_ + pages > limit_ >> kPageBits) return std::nullopt;
    next_page_ += pages;
  }
  std::memset(mapped_ + first, 1, used);
  const std::uint64_t offset = first << kPageBits;
  allocations_[offset] = bytes;
  allocated_ += used << kPageBits;
  return kGlobalBase + offset;
}

bool GlobalMemory::release(std::uint64_t address) {
  const auto found = allocations_.find(address - kGlobalBase);
  if (found == allocations_.end()) return false;
  const std::uint64_t used = std::max<std::uint64_t>((found->second + kPageBytes - 1) >> kPageBits, 1);
  const std::uint64_t first = found->first >> kPageBits;
  std::memset(mapped_ + first, 0, used);
  // Give the pages back to the host; they read as zero when next touched.
  madvise(data_ + found->first, used << kPageBits, MADV_DONTNEED);
  holes_.emplace(used + 1, first);
  allocated_ -= used << kPageBits;
  allocations_.erase(found);
  return true;
}

std::optional<GlobalMemory::Allocation> GlobalMemory::find_allocation(std::uint64_t address) const {
  auto next = allocations_.upper_bound(address - kGlobalBase);
  if (address < kGlobalBase || next == allocations_.begin()) return std::nullopt;
  --next;
  if (address - kGlobalBase >= next->first + std::max<std::uint64_t>(next->second, 1)) return std::nullopt;
  return Allocation{kGlobalBase + next->first, next->second};
}

std::optional<GlobalMemory::Allocation> GlobalMemory::nearest(std::uint64_t address) const {
  if (allocations_.empty()) return std::nullopt;
  const std::uint64_t offset = address < kGlobalBase ? 0 : address - kGlobalBase;
  auto next = allocations_.upper_bound(offset);
  if (next == allocations_.begin()) return Allocation{kGlobalBase + next->first, next->second};
  const auto before = std::prev(next);
  const std::uint64_t past_end = offset - std::min(offset, before->first + before->second);
  if (next != allocations_.end() && next->first - offset < past_end)
    return Allocation{kGlobalBase + next->first, next->second};
  return Allocation{kGlobalBase + before->first, before->second};
}

}  // namespace heddle::exec
