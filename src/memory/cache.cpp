#include "memory/cache.h"

#include <bit>

namespace heddle::memory {

SetIndex::SetIndex(const CacheParameters& parameters, std::size_t sets, bool rotates)
    : line_shift_(static_cast<unsigned>(std::countr_zero(parameters.line_bytes.get()))),
      sets_(sets),
      set_shift_(static_cast<unsigned>(std::bit_width(sets_ - 1))),
      sets_are_power_of_two_(std::has_single_bit(sets_)),
      is_fermi_(parameters.index.is("fermi")),
      rotates_(rotates) {}

CacheTags::CacheTags(const CacheParameters& parameters, sim::StatisticGroup& statistics, unsigned parts)
    : ways_(parameters.ways),
      set_index_(parameters, parameters.sets() / parts),
      lines_(std::size_t{parameters.sets() / parts} * ways_),
      tags_(lines_.size()),
      replacement_(parameters.replacement.make(statistics, "", std::size_t{parameters.sets() / parts}, ways_)) {}

void CacheTags::touch(const CacheLine& line) {
  const std::size_t set = set_of(line.tag);
  replacement_->touch(set, static_cast<unsigned>(&line - &lines_[set * ways_]));
}

CacheLine* CacheTags::victim(LineTag tag) {
  const std::size_t set = set_of(tag);
  CacheLine* lines = &lines_[set * ways_];
  std::uint8_t* may_go = replacement_->candidates().data();
  bool any = false;
  for (unsigned w = 0; w < ways_; ++w) {
    if (lines[w].valid == 0 && !lines[w].reserved) return &lines[w];
    may_go[w] = lines[w].reserved ? 0 : 1;
    any = any || !lines[w].reserved;
  }
  return any ? &lines[replacement_->victim(set)] : nullptr;
}

CacheLine* CacheTags::allocate(LineTag tag, CacheLine& evicted) {
  CacheLine* chosen = victim(tag);
  if (chosen == nullptr) return nullptr;
  evicted = *chosen;
  *chosen = {.tag = tag};
  empty_ = false;
  const std::size_t set = set_of(tag);
  const auto way = static_cast<std::size_t>(chosen - &lines_[set * ways_]);
  tags_[set * ways_ + way] = tag;
  replacement_->fill(set, static_cast<unsigned>(way));
  return chosen;
}

}  // namespace heddle::memory
