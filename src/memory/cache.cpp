#include "memory/cache.h"

#include <bit>

namespace heddle::memory {

CacheTags::CacheTags(const CacheParameters& parameters)
    : ways_(parameters.ways),
      line_shift_(static_cast<unsigned>(std::countr_zero(parameters.line_bytes.get()))),
      sets_(parameters.sets()),
      set_shift_(static_cast<unsigned>(std::bit_width(sets_ - 1))),
      sets_are_power_of_two_(std::has_single_bit(sets_)),
      lines_(sets_ * ways_),
      replacement_(ReplacementRegistry::instance().make(parameters.replacement.get(), sets_, ways_)) {}

std::size_t CacheTags::set_of(std::uint64_t address) const {
  // Hashed: partition selection has used up the low bits of what an L2 slice sees, and a plain modulo would leave sets
  // unused.
  const std::uint64_t line = address >> line_shift_;
  const std::uint64_t hashed = line ^ line >> set_shift_ ^ line >> 2 * set_shift_;
  return sets_are_power_of_two_ ? hashed & (sets_ - 1) : hashed % sets_;
}

CacheLine* CacheTags::find(std::uint64_t address) {
  CacheLine* set = &lines_[set_of(address) * ways_];
  for (unsigned w = 0; w < ways_; ++w) {
    if (set[w].address == address && (set[w].valid != 0 || set[w].reserved)) return &set[w];
  }
  return nullptr;
}

void CacheTags::touch(const CacheLine& line) {
  const auto index = static_cast<std::size_t>(&line - lines_.data());
  replacement_->touch(index / ways_, static_cast<unsigned>(index % ways_));
}

CacheLine* CacheTags::allocate(std::uint64_t address, CacheLine& evicted) {
  const std::size_t set = set_of(address);
  CacheLine* lines = &lines_[set * ways_];
  unsigned chosen = ways_;
  for (unsigned w = 0; w < ways_ && chosen == ways_; ++w) {
    if (lines[w].valid == 0 && !lines[w].reserved) chosen = w;
  }
  if (chosen == ways_) {
    std::vector<bool>& may_go = replacement_->candidates();
    bool any = false;
    for (unsigned w = 0; w < ways_; ++w) {
      may_go[w] = !lines[w].reserved;
      any = any || may_go[w];
    }
    if (!any) return nullptr;
    chosen = replacement_->victim(set);
  }
  evicted = lines[chosen];
  lines[chosen] = {address, 0, 0, false};
  replacement_->fill(set, chosen);
  return &lines[chosen];
}

void CacheTags::invalidate(std::uint64_t address) {
  if (CacheLine* line = find(address); line != nullptr && !line->reserved) *line = {};
}

void CacheTags::invalidate_all() {
  for (CacheLine& line : lines_) {
    if (!line.reserved) line = {};
  }
}

}  // namespace heddle::memory
