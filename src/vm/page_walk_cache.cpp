#include "vm/page_walk_cache.h"

#include <algorithm>

namespace heddle::vm {

PageWalkCache::PageWalkCache(const PageWalkCacheParameters& parameters, sim::StatisticGroup& statistics)
    : parameters_(parameters),
      kind_(parameters.kind.is("physical")      ? Kind::physical
            : parameters.kind.is("translation") ? Kind::translation
            : parameters.kind.is("ideal")       ? Kind::ideal
                                                : Kind::none),
      tags_(parameters.lines, statistics) {}

bool PageWalkCache::probe(std::uint64_t entry_address) {
  memory::CacheLine* line = tags_.find(line_of(entry_address));
  if (line == nullptr) return false;
  tags_.touch(*line);
  return true;
}

void PageWalkCache::fill(std::uint64_t entry_address) {
  const memory::LineTag address = line_of(entry_address);
  if (tags_.find(address) != nullptr) return;
  memory::CacheLine evicted;
  if (memory::CacheLine* line = tags_.allocate(address, evicted)) line->valid = 1;
}

void PageWalkCache::invalidate(std::uint64_t entry_address) {
  if (!physical()) return;
  if (memory::CacheLine* line = tags_.find(line_of(entry_address)); line != nullptr) line->valid = 0;
}

PageWalkCache::Start PageWalkCache::deepest(SpaceId space, VirtPage page, std::uint64_t root) {
  for (unsigned level = 1; level < kLevels; ++level) {
    const auto found = known_.find(key(space, page, level));
    if (found == known_.end()) continue;
    found->second.used = ++clock_;
    return {level, found->second.table};
  }
  return {kLevels, root};
}

void PageWalkCache::learn(SpaceId space, VirtPage page, unsigned level, std::uint64_t table) {
  known_[key(space, page, level)] = {table, ++clock_};
  if (kind_ == Kind::ideal || known_.size() <= parameters_.entries) return;
  known_.erase(std::min_element(known_.begin(), known_.end(),
                                [](const auto& a, const auto& b) { return a.second.used < b.second.used; }));
}

void PageWalkCache::flush() { known_.clear(); }

void PageWalkCache::flush(SpaceId space) {
  std::erase_if(known_, [&](const auto& table) { return table.first >> kSpaceShift == space; });
}

}  // namespace heddle::vm
