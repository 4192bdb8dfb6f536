// Page-walk caches: what a walker need not read from memory again.
//
// `physical` keeps lines of page tables by the physical address of the entry, as AMD's did: each level that hits costs
// one access to it. `translation` is tagged by the upper bits of the virtual address, as Intel's are: one access finds
// the deepest table that is known. `ideal` is a translation cache that forgets nothing. Leaf entries are kept by a
// physical cache only if asked for.
#pragma once

#include <unordered_map>

#include "memory/cache.h"
#include "vm/page_table.h"

namespace heddle::vm {

struct PageWalkCacheParameters : sim::ParameterGroup {
  using ParameterGroup::ParameterGroup;
  sim::Choice kind{*this, "kind", "none", {"none", "physical", "translation", "ideal"}, "What it is indexed by."};
  sim::Parameter<unsigned> latency{*this, "latency", 8, {1, 1000}, "core cycles", "An access, hit or miss."};
  sim::Parameter<unsigned> ports{*this, "ports", 1, {1, 64}, "accesses", "Of a physical cache: begun per core cycle."};
  sim::Parameter<unsigned> entries{*this,      "entries", 64,
                                   {1, 65536}, "tables",  "Of a translation cache: tables it remembers."};
  sim::Flag leaf{*this, "leaf", false, "A physical cache keeps the entries of pages, too."};
  memory::CacheParameters lines{*this, "lines", "Of a physical cache: its lines of page-table entries."};
};

class PageWalkCache {
 public:
  PageWalkCache(const PageWalkCacheParameters& parameters, sim::StatisticGroup& statistics);

  [[nodiscard]] bool physical() const { return kind_ == Kind::physical; }
  /// Whether one access finds the deepest table that is known.
  [[nodiscard]] bool by_address() const { return kind_ == Kind::translation || kind_ == Kind::ideal; }
  [[nodiscard]] sim::Cycle latency() const { return parameters_.latency; }
  /// When an access begins that is wanted now, which takes a port.
  [[nodiscard]] sim::Cycle begin_access(sim::Cycle now) {
    if (now > access_at_) {
      access_at_ = now;
      begun_ = 0;
    } else if (begun_ == parameters_.ports) {
      ++access_at_;
      begun_ = 0;
    }
    ++begun_;
    return access_at_;
  }

  /// Physical: whether the entry is here. Entries of level 1 are looked for only if they are kept.
  [[nodiscard]] bool probe(std::uint64_t entry_address);
  [[nodiscard]] bool keeps(unsigned level, bool leaf) const { return parameters_.leaf || (level > 1 && !leaf); }
  void fill(std::uint64_t entry_address);
  /// Physical: the host has written the entry.
  void invalidate(std::uint64_t entry_address);

  struct Start {
    unsigned level = kLevels;
    std::uint64_t table = 0;
  };
  /// By address: where the walk may begin, the root if nothing better is known.
  [[nodiscard]] Start deepest(SpaceId space, VirtPage page, std::uint64_t root);
  /// By address: the table of that level for the page.
  void learn(SpaceId space, VirtPage page, unsigned level, std::uint64_t table);

  /// All that is tagged by virtual addresses goes.
  void flush();
  void flush(SpaceId space);

 private:
  enum class Kind : std::uint8_t { none, physical, translation, ideal };
  struct Known {
    std::uint64_t table = 0;
    std::uint64_t used = 0;
  };
  static constexpr unsigned kSpaceShift = 44;
  [[nodiscard]] static std::uint64_t key(SpaceId space, VirtPage page, unsigned level) {
    return page.number >> 9 * level | std::uint64_t{level} << 40 | std::uint64_t{space} << kSpaceShift;
  }

  [[nodiscard]] memory::LineTag line_of(std::uint64_t entry_address) const {
    return memory::LineTag(memory::line_around(entry_address, parameters_.lines.line_bytes));
  }

  const PageWalkCacheParameters& parameters_;
  Kind kind_;
  memory::CacheTags tags_;
  std::unordered_map<std::uint64_t, Known> known_;
  std::uint64_t clock_ = 0;
  sim::Cycle access_at_ = 0;  ///< of the last access that began
  unsigned begun_ = 0;        ///< in that cycle
};

}  // namespace heddle::vm
