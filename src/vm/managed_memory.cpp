#include "vm/managed_memory.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace heddle::vm {

using sim::Cycle;

namespace {

constexpr unsigned kPageKib = 4;

unsigned pages_of(const sim::Choice& kib) { return static_cast<unsigned>(std::stoul(kib.get())) / kPageKib; }

}  // namespace

Growth ManagedParameters::growth() const { return {pages_of(chunk_kib), pages_of(region_kib), threshold.get()}; }

ManagedMemory::ManagedMemory(const Setup& setup)
    : p_(setup.parameters), setup_(setup), statistics_(setup.statistics), growth_(setup.parameters.growth()) {}

PageBlock* ManagedMemory::find(std::uint64_t block) {
  const auto found = blocks_.find(block);
  return found == blocks_.end() ? nullptr : &found->second;
}

const PageBlock* ManagedMemory::block(SpaceId space, std::uint64_t address) const {
  const auto found = blocks_.find(key(space, address));
  return found == blocks_.end() ? nullptr : &found->second;
}

Cycle ManagedMemory::cycles(double nanoseconds) const {
  return static_cast<Cycle>(std::ceil(nanoseconds * setup_.core_mhz / 1e3));
}

std::uint64_t ManagedMemory::chunks(const PageSet& pages) const {
  std::uint64_t count = 0;
  for (std::size_t first = 0; first < kBlockPages; first += growth_.chunk_pages) {
    if ((pages & page_range(first, growth_.chunk_pages)).any()) ++count;
  }
  return count;
}

void ManagedMemory::for_each_part(SpaceId space, std::uint64_t address, std::uint64_t bytes,
                                  const std::function<void(std::uint64_t, const PageSet&)>& f) {
  if (bytes == 0) return;
  const std::uint64_t end = (address + bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  for (std::uint64_t at = address / kPageBytes * kPageBytes; at < end;) {
    const std::uint64_t next = std::min(end, (at / kBlockBytes + 1) * kBlockBytes);
    f(key(space, at), page_range(page_in(at), (next - at) / kPageBytes));
    at = next;
  }
}

void ManagedMemory::add(SpaceId space, std::uint64_t address, std::uint64_t bytes) {
  for_each_part(space, address, bytes, [&](std::uint64_t block, const PageSet& pages) {
    PageBlock& to = blocks_[block];
    to.space = space;
    to.address = (block & ((std::uint64_t{1} << 48) - 1)) * kBlockBytes;
    change(to, [&] { to.managed |= pages; });
  });
}

void ManagedMemory::remove(SpaceId space, std::uint64_t address, std::uint64_t bytes) {
  for_each_part(space, address, bytes, [&](std::uint64_t block, const PageSet& pages) {
    PageBlock* from = find(block);
    if (from == nullptr) return;
    change(*from, [&] {
      for (PageSet* set :
           {&from->managed, &from->on_device, &from->on_host, &from->coming, &from->pending, &from->remote,
            &from->read_mostly, &from->prefers_host, &from->prefers_device, &from->accessed_by})
        *set &= ~pages;
    });
    if (from->managed.none()) blocks_.erase(block);
  });
}

void ManagedMemory::advise(SpaceId space, std::uint64_t address, std::uint64_t bytes, Advice advice, Side side,
                           bool set) {
  const auto put = [set](PageSet& to, const PageSet& pages) { to = set ? to | pages : to & ~pages; };
  for_each_part(space, address, bytes, [&](std::uint64_t key, const PageSet& pages) {
    PageBlock* block = find(key);
    if (block == nullptr) return;
    switch (advice) {
      case Advice::read_mostly:
        put(block->read_mostly, pages);
        if (set) break;
        change(*block, [&] {
          // Of two copies one stays: where the page is preferred, else on the device.
          const PageSet twice = block->on_device & block->on_host & pages;
          statistics_.dropped += twice.count();
          block->on_device &= ~(twice & block->prefers_host);
          block->on_host &= ~(twice & ~block->prefers_host);
        });
        break;
      case Advice::preferred:
        block->prefers_host &= ~pages;
        block->prefers_device &= ~pages;
        block->remote &= ~pages;
        put(side == Side::host ? block->prefers_host : block->prefers_device, pages);
        break;
      case Advice::accessed_by:
        // The host cannot map what is on the device over this link: its own accesses always bring pages back.
        if (side == Side::device) put(block->accessed_by, pages);
        break;
    }
  });
  ++generation_;  // who waits for a page may now reach it where it is
}

std::uint64_t ManagedMemory::touch(SpaceId space, std::uint64_t address, const PageSet& touched,
                                   const PageSet& written) {
  PageBlock* block = find(key(space, address));
  if (block == nullptr) return 0;
  const PageSet pages = touched & block->managed & ~block->coming;
  const PageSet back = pages & block->on_device & ~block->on_host;
  const PageSet copies = back & block->read_mostly & ~written;
  const PageSet dropped = pages & written & block->on_device & block->on_host;
  if (((back & ~copies) | dropped).any()) tell_left(*block);
  change(*block, [&] {
    block->on_host |= pages;
    block->on_device &= ~((back & ~copies) | dropped);
  });
  statistics_.dropped += dropped.count();
  statistics_.touched_back += back.count();
  statistics_.bytes_back += back.count() * kPageBytes;
  return chunks(back);
}

void ManagedMemory::count_back(std::uint64_t chunks) {
  if (chunks != 0) statistics_.back += cycles(p_.back_ns + static_cast<double>(chunks) * p_.back_chunk_ns);
}

Cycle ManagedMemory::carry(Cycle& link, const PageSet& pages, Cycle at) {
  if (pages.none()) return at;
  const std::uint64_t bytes = pages.count() * kPageBytes;
  (&link == &setup_.link.to_device ? statistics_.bytes_in : statistics_.bytes_back) += bytes;
  link = std::max(at, link) + cycles(setup_.copy_ns(bytes));
  return link;
}

void ManagedMemory::tell_came(const PageBlock& block, const PageSet& pages) const {
  for (std::size_t first = 0; first < kBlockPages; ++first) {
    if (!pages[first]) continue;
    std::size_t end = first;
    while (end < kBlockPages && pages[end]) ++end;
    setup_.came(block.space, block.address + first * kPageBytes, (end - first) * kPageBytes);
    first = end;
  }
}

void ManagedMemory::tell_left(const PageBlock& block) const { setup_.left(block.space, block.address, kBlockBytes); }

ManagedMemory::Prefetch ManagedMemory::begin_prefetch(SpaceId space, std::uint64_t address, std::uint64_t bytes,
                                                      Side to, Cycle now) {
  Prefetch prefetch;
  prefetch.to = to;
  Cycle at = now + cycles(to == Side::device ? p_.prefetch_ns : p_.prefetch_back_ns);
  for_each_part(space, address, bytes, [&](std::uint64_t key, const PageSet& range) {
    PageBlock* block = find(key);
    if (block == nullptr) return;
    PageSet pages = range & block->managed & ~block->coming;
    if (to == Side::device) {
      pages &= ~block->on_device;
      if (!make_room(pages.count(), key, at)) return;
      at = carry(setup_.link.to_device, pages & block->on_host, at);
      change(*block, [&] { block->coming |= pages; });
      statistics_.prefetched_in += pages.count();
    } else {
      pages &= ~block->on_host;
      const PageSet carried = pages & block->on_device;
      statistics_.prefetched_back += carried.count();
      statistics_.bytes_back += carried.count() * kPageBytes;
      if (carried.any()) {
        at = std::max(at, setup_.link.to_host) +
             cycles(static_cast<double>(chunks(carried)) * p_.prefetch_back_chunk_ns);
        setup_.link.to_host = at;
      }
    }
    if (pages.any()) prefetch.pages.emplace_back(key, pages);
  });
  prefetch.ends_at = at;
  ++prefetches_;
  statistics_.prefetching += at - now;
  return prefetch;
}

void ManagedMemory::end_prefetch(const Prefetch& prefetch) {
  --prefetches_;
  for (const auto& [key, pages] : prefetch.pages) {
    PageBlock* block = find(key);
    if (block == nullptr) continue;
    if (prefetch.to == Side::device) {
      arrive(*block, pages & block->managed, {});
      continue;
    }
    const PageSet there = pages & block->managed;
    const PageSet leaving = there & block->on_device & ~block->read_mostly;
    change(*block, [&] {
      block->on_host |= there;
      block->on_device &= ~leaving;
    });
    if (leaving.any()) tell_left(*block);
  }
  ++generation_;
}

Reach ManagedMemory::reach(SpaceId space, std::uint64_t address, bool write) const {
  const PageBlock* at = block(space, address);
  const std::size_t page = page_in(address);
  if (at == nullptr || !at->managed[page]) return Reach::here;
  if (at->on_device[page]) return write && at->on_host[page] ? Reach::away : Reach::here;
  return at->on_host[page] && !at->coming[page] && (at->remote[page] || at->accessed_by[page]) ? Reach::remote
                                                                                               : Reach::away;
}

Cycle ManagedMemory::access_remotely(std::uint64_t bytes, bool write, Cycle now) {
  Cycle& link = write ? setup_.link.to_host : setup_.link.to_device;
  (write ? statistics_.bytes_back : statistics_.bytes_in) += bytes;
  ++statistics_.remote_lines;
  // A line takes a few cycles and a part of one.
  remote_rest_ += (setup_.copy_ns(bytes) - setup_.copy_ns(0)) * setup_.core_mhz / 1e3;
  const double whole = std::floor(remote_rest_);
  remote_rest_ -= whole;
  link = std::max(now, link) + static_cast<Cycle>(whole);
  return link + cycles(p_.remote_ns);
}

}  // namespace heddle::vm
