// A translation lookaside buffer: what is in it. Timing is the owner's.
//
// Entries of all page sizes share the sets; a lookup tries the sizes that are in use. Each entry knows which warp
// brought it and, where somebody asks, how deep in the LRU order of its set a hit found it.
#pragma once

#include <optional>
#include <vector>

#include "sim/parameter.h"
#include "vm/types.h"

namespace heddle::vm {

struct TlbParameters : sim::ParameterGroup {
  TlbParameters(sim::ParameterGroup& parent, std::string key, std::string text, unsigned entry_count)
      : ParameterGroup(parent, std::move(key), std::move(text)),
        entries(*this, "entries", entry_count, {0, 1048576}, "entries", "Translations it holds; 0: there is none.") {}
  sim::Parameter<unsigned> entries;
  sim::Parameter<unsigned> ways{*this, "ways", 0, {0, 1048576}, "ways", "Associativity; 0: fully associative."};
  sim::Parameter<unsigned> ports{*this, "ports", 1, {1, 64}, "lookups", "Lookups per core cycle."};
  sim::Parameter<unsigned> latency{
      *this, "latency", 1, {0, 1000}, "core cycles", "A hit delays the access by this much; 0: hidden under the L1."};

  /// Throws UserError if the ways do not divide the entries.
  void check() const;
};

class Tlb {
 public:
  explicit Tlb(const TlbParameters& parameters);

  struct Hit {
    Mapping mapping;
    unsigned depth = 0;  ///< 0: most recently used of its set; counted if asked for
    unsigned owner = 0;  ///< who brought it
    bool dirty = false;  ///< the page table knows of a write
  };
  /// From now on hits say how deep they are, which costs a look at the whole set.
  void count_depth() { counts_depth_ = true; }
  /// What is known of the page; moves it to the front of its set's LRU order.
  [[nodiscard]] std::optional<Hit> find(SpaceId space, VirtPage page);
  /// Like find(), changing nothing.
  [[nodiscard]] bool contains(SpaceId space, VirtPage page) const;
  void set_dirty(SpaceId space, VirtPage page);

  struct Evicted {
    SpaceId space = 0;
    VirtPage page;
    unsigned owner = 0;
  };
  /// Takes a translation in; what had to go for it, if anything. One that is there already is replaced.
  std::optional<Evicted> insert(SpaceId space, const Mapping& mapping, unsigned owner);
  void flush();
  /// Those of an address space go.
  void flush(SpaceId space);
  /// That of a page goes, if it is here.
  void flush(SpaceId space, VirtPage page);
  /// Whatever concerns a page of that size goes: its own translation and those of parts of it.
  void flush(SpaceId space, VirtPage page, PageSize size);
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] bool exists() const { return !entries_.empty(); }

 private:
  struct Slot {
    Mapping mapping;
    std::uint64_t used = 0;  ///< when, for LRU
    unsigned owner = 0;
    SpaceId space = 0;
    bool dirty = false;
  };
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};
  [[nodiscard]] static std::uint64_t key(SpaceId space, VirtPage first, PageSize size) {
    return first.number | std::uint64_t{space} << 40 | static_cast<std::uint64_t>(size) << 56;
  }
  /// Where the page is; entries_.size() if it is not here.
  [[nodiscard]] std::size_t locate(SpaceId space, VirtPage page) const;
  [[nodiscard]] std::size_t set_of(VirtPage first, PageSize size) const {
    return first.number >> order_of(size) & (sets_ - 1);
  }

  unsigned ways_;
  std::size_t sets_;
  std::vector<Slot> entries_;
  std::vector<std::uint64_t> keys_;  ///< of the entries, side by side, to be searched
  std::uint64_t clock_ = 0;
  bool counts_depth_ = false;
  std::uint8_t sizes_ = 0;        ///< page sizes that have ever been inserted, a bit each
  mutable std::size_t last_ = 0;  ///< found last: neighbouring accesses ask for the same page
};

}  // namespace heddle::vm
