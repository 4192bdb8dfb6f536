#include "vm/tlb.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/diagnostics.h"

namespace heddle::vm {

void TlbParameters::check() const {
  if (entries == 0) return;
  const unsigned in_set = ways == 0 ? entries.get() : ways.get();
  if (entries % in_set != 0 || !std::has_single_bit(entries / in_set)) {
    throw UserError(fmt::format("{}.ways = {}: {} entries must be a power of two of sets of that many", path(),
                                ways.get(), entries.get()));
  }
}

Tlb::Tlb(const TlbParameters& parameters)
    : ways_(parameters.ways == 0 ? parameters.entries.get() : parameters.ways.get()),
      sets_(ways_ == 0 ? 1 : parameters.entries / ways_),
      entries_(parameters.entries),
      keys_(parameters.entries, kFree) {}

std::size_t Tlb::locate(SpaceId space, VirtPage page) const {
  for (unsigned s = 0; s < 3; ++s) {
    if ((sizes_ >> s & 1) == 0) continue;
    const auto size = static_cast<PageSize>(s);
    const VirtPage first = first_page(page, size);
    const std::uint64_t wanted = key(space, first, size);
    if (keys_[last_] == wanted) return last_;
    const std::size_t begin = set_of(first, size) * ways_;
    for (std::size_t i = begin; i < begin + ways_; ++i) {
      if (keys_[i] == wanted) return last_ = i;
    }
  }
  return entries_.size();
}

std::optional<Tlb::Hit> Tlb::find(SpaceId space, VirtPage page) {
  const std::size_t index = locate(space, page);
  if (index == entries_.size()) return std::nullopt;
  Slot& found = entries_[index];
  const std::size_t begin = index / ways_ * ways_;
  unsigned depth = 0;
  if (counts_depth_) {
    for (std::size_t i = begin; i < begin + ways_; ++i)
      depth += keys_[i] != kFree && entries_[i].used > found.used ? 1 : 0;
  }
  found.used = ++clock_;
  return Hit{found.mapping, depth, found.owner, found.dirty};
}

bool Tlb::contains(SpaceId space, VirtPage page) const { return locate(space, page) != entries_.size(); }

void Tlb::set_dirty(SpaceId space, VirtPage page) {
  if (const std::size_t index = locate(space, page); index != entries_.size()) entries_[index].dirty = true;
}

std::optional<Tlb::Evicted> Tlb::insert(SpaceId space, const Mapping& mapping, unsigned owner) {
  if (entries_.empty()) return std::nullopt;
  sizes_ = static_cast<std::uint8_t>(sizes_ | 1u << static_cast<unsigned>(mapping.size));
  std::size_t chosen = locate(space, mapping.page);
  std::optional<Evicted> evicted;
  if (chosen == entries_.size()) {
    const std::size_t begin = set_of(mapping.page, mapping.size) * ways_;
    chosen = begin;
    for (std::size_t i = begin; i < begin + ways_ && keys_[chosen] != kFree; ++i) {
      if (keys_[i] == kFree || entries_[i].used < entries_[chosen].used) chosen = i;
    }
    if (keys_[chosen] != kFree)
      evicted = Evicted{entries_[chosen].space, entries_[chosen].mapping.page, entries_[chosen].owner};
  }
  entries_[chosen] = {mapping, ++clock_, owner, space, false};
  keys_[chosen] = key(space, mapping.page, mapping.size);
  last_ = chosen;
  return evicted;
}

void Tlb::flush() { std::fill(keys_.begin(), keys_.end(), kFree); }

void Tlb::flush(SpaceId space) {
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (keys_[i] != kFree && entries_[i].space == space) keys_[i] = kFree;
  }
}

void Tlb::flush(SpaceId space, VirtPage page) {
  if (const std::size_t index = locate(space, page); index != entries_.size()) keys_[index] = kFree;
}

void Tlb::flush(SpaceId space, VirtPage page, PageSize size) {
  const VirtPage first = first_page(page, size);
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const Slot& slot = entries_[i];
    if (keys_[i] != kFree && slot.space == space && first_page(slot.mapping.page, size) == first) keys_[i] = kFree;
  }
}

std::size_t Tlb::size() const {
  return static_cast<std::size_t>(std::count_if(keys_.begin(), keys_.end(), [](auto k) { return k != kFree; }));
}

}  // namespace heddle::vm
