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

void GlobalMemory::alias(std::uint64_t page_address, std::uint64_t target) {
  // Whether it may be written is a matter of the name.
  map(page_address, find_in_page(target), find_in_page(page_address) == nullptr || find_writable_in_page(page_address));
  const std::uint64_t page = page_address >> kPageBits;
  const std::uint64_t name = one_name(target) >> kPageBits;
  if (name == page) {
    aliases_.erase(page);
  } else {
    aliases_[page] = name;
  }
}

std::uint64_t GlobalMemory::one_name(std::uint64_t address) const {
  const auto found = aliases_.find(address >> kPageBits);
  return found == aliases_.end() ? address : found->second << kPageBits | (address & (kPageBytes - 1));
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

std::optional<std::uint64_t> GlobalMemory::allocate(std::uint64_t bytes, std::uint64_t alignment) {
  if (bytes > limit_) return std::nullopt;
  const std::uint64_t used = std::max<std::uint64_t>((bytes + kPageBytes - 1) >> kPageBits, 1);
  const std::uint64_t pages = used + 1;  // and the guard page
  auto first = take_pages(pages, alignment >> kPageBits);
  if (!first && give_kept()) first = take_pages(pages, alignment >> kPageBits);
  if (!first) return std::nullopt;
  const std::uint64_t offset = *first << kPageBits;
  for (std::uint64_t page = 0; page < used; ++page) {
    const std::uint64_t at = kGlobalBase + offset + (page << kPageBits);
    map(at, own_bytes(at), true);
  }
  allocations_[offset] = bytes;
  allocated_ += used << kPageBits;
  for (const Watcher& watcher : watchers_) {
    if (watcher.allocated) watcher.allocated(kGlobalBase + offset, bytes);
  }
  return kGlobalBase + offset;
}

std::optional<std::uint64_t> GlobalMemory::take_pages(std::uint64_t pages, std::uint64_t alignment) {
  if (alignment > 1) {
    // Enough for any place in it; what is before and behind goes back.
    const auto all = take_pages(pages + alignment - 1, 1);
    if (!all) return std::nullopt;
    const std::uint64_t first = (*all + alignment - 1) / alignment * alignment;
    const std::uint64_t behind = *all + alignment - 1 - first;
    if (behind != 0) give_pages(first + pages, behind);
    if (first != *all) give_pages(*all, first - *all);
    return first;
  }
  // The smallest hole that is large enough, and of those the first.
  if (const auto fit = holes_by_size_.lower_bound({pages, 0}); fit != holes_by_size_.end()) {
    const auto [size, first] = *fit;
    remove_hole(holes_.find(first));
    if (size > pages) add_hole(first + pages, size - pages);
    return first;
  }
  if (next_page_ + pages > limit_ >> kPageBits) return std::nullopt;
  next_page_ += pages;
  return next_page_ - pages;
}

bool GlobalMemory::give_kept() {
  const bool some = !kept_.empty();
  for (const auto& [first, pages] : std::exchange(kept_, {})) give_pages(first, pages);
  return some;
}

void GlobalMemory::give_pages(std::uint64_t first, std::uint64_t pages) {
  const auto after = holes_.lower_bound(first);
  if (after != holes_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == first) {
      first = before->first;
      pages += before->second;
      remove_hole(before);
    }
  }
  if (after != holes_.end() && after->first == first + pages) {
    pages += after->second;
    remove_hole(after);
  }
  if (first + pages == next_page_) {
    next_page_ = first;
  } else {
    add_hole(first, pages);
  }
}

void GlobalMemory::add_hole(std::uint64_t first, std::uint64_t pages) {
  holes_.emplace(first, pages);
  holes_by_size_.emplace(pages, first);
}

void GlobalMemory::remove_hole(std::map<std::uint64_t, std::uint64_t>::iterator hole) {
  holes_by_size_.erase({hole->second, hole->first});
  holes_.erase(hole);
}

bool GlobalMemory::release(std::uint64_t address) {
  const auto found = allocations_.find(address - kGlobalBase);
  if (found == allocations_.end()) return false;
  const std::uint64_t used = std::max<std::uint64_t>((found->second + kPageBytes - 1) >> kPageBits, 1);
  const std::uint64_t first = found->first >> kPageBits;
  const std::uint64_t bytes = found->second;
  std::memset(pages_ + first, 0, used * sizeof(std::uint64_t));
  if (!aliases_.empty()) {
    const std::uint64_t number = address >> kPageBits;
    for (std::uint64_t page = 0; page < used; ++page) aliases_.erase(number + page);
  }
  give_back(found->first, used << kPageBits);
  if (keeps_released_) {
    kept_.emplace_back(first, used + 1);
  } else {
    give_pages(first, used + 1);
  }
  allocated_ -= used << kPageBits;
  allocations_.erase(found);
  for (const Watcher& watcher : watchers_) {
    if (watcher.released) watcher.released(address, bytes);
  }
  return true;
}

/// Gives pages back to the host; they read as zero when next touched.
void GlobalMemory::give_back(std::uint64_t offset, std::uint64_t bytes) {
  madvise(data_ + offset, bytes, MADV_DONTNEED);
  const auto apart = apart_.lower_bound(offset);
  if (apart == apart_.end() || apart->first >= offset + bytes) return;
  if (mmap(data_ + apart->first, apart->second, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
    throw UserError("cannot give managed memory back to the host");
  apart_.erase(apart);
}

void GlobalMemory::keep_apart(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t offset = address - kGlobalBase;
  // Shared memory stays when its mapping goes.
  void* memory = mmap(data_ + offset, bytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  if (memory == MAP_FAILED) throw UserError("cannot reserve " + std::to_string(bytes >> 10) + " KiB of managed memory");
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  apart_[offset] = bytes;
}

void GlobalMemory::forget_accesses(std::uint64_t address, std::uint64_t bytes) const {
  madvise(data_ + (address - kGlobalBase), bytes, MADV_DONTNEED);
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
