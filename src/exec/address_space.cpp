#include "exec/address_space.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "base/diagnostics.h"

namespace heddle::exec {
namespace {

void* reserve(std::uint64_t bytes, std::uint64_t at = 0) {
  const int fixed = at != 0 ? MAP_FIXED_NOREPLACE : 0;
  void* memory = mmap(reinterpret_cast<void*>(at), bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
  if (memory == MAP_FAILED) {
    throw UserError("cannot reserve " + std::to_string(bytes >> 20) + " MiB of address space for simulated memory" +
                    (at != 0 ? " at the simulated addresses" : "") + "; ask for less");
  }
  return memory;
}

}  // namespace

GlobalMemory::GlobalMemory(std::uint64_t bytes, Placement placement)
    : limit_(std::max((bytes + kPageBytes - 1) / kPageBytes, std::uint64_t{1}) * kPageBytes) {
  data_ = static_cast<std::uint8_t*>(reserve(limit_, placement == Placement::same_addresses ? kGlobalBase : 0));
  pages_ = static_cast<std::uint64_t*>(reserve((limit_ >> kPageBits) * sizeof(std::uint64_t)));
}

GlobalMemory::~GlobalMemory() {
  munmap(data_, limit_);
  munmap(pages_, (limit_ >> kPageBits) * sizeof(std::uint64_t));
}

void GlobalMemory::map(std::uint64_t page_address, std::uint8_t* host, bool writable) {
  std::uint64_t& page = pages_[(page_address - kGlobalBase) >> kPageBits];
  page = host == nullptr ? 0 : reinterpret_cast<std::uint64_t>(host) | kReadable | (writable ? kWritable : 0);
}

bool GlobalMemory::for_each_piece(std::uint64_t address, std::uint64_t bytes,
                                  const std::function<void(std::uint8_t*, std::uint64_t)>& f) const {
  const auto piece = [&](std::uint64_t at) { return std::min(kPageBytes - at % kPageBytes, address + bytes - at); };
  for (std::uint64_t at = address; at < address + bytes; at += piece(at)) {
    if (find_in_page(at) == nullptr) return false;
  }
  for (std::uint64_t at = address; at < address + bytes; at += piece(at)) f(find_in_page(at), piece(at));
  return true;
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
  const std::uint64_t offset = first << kPageBits;
  for (std::uint64_t page = 0; page < used; ++page) {
    const std::uint64_t at = kGlobalBase + offset + (page << kPageBits);
    map(at, own_bytes(at), true);
  }
  allocations_[offset] = bytes;
  allocated_ += used << kPageBits;
  return kGlobalBase + offset;
}

bool GlobalMemory::release(std::uint64_t address) {
  const auto found = allocations_.find(address - kGlobalBase);
  if (found == allocations_.end()) return false;
  const std::uint64_t used = std::max<std::uint64_t>((found->second + kPageBytes - 1) >> kPageBits, 1);
  const std::uint64_t first = found->first >> kPageBits;
  std::memset(pages_ + first, 0, used * sizeof(std::uint64_t));
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
