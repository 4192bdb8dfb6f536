// Synonyms that an SM knows of, before a virtual L1 (Yoon et al., section 4.3, dynamic synonym remapping): loads of a
// page whose frame is cached under another name go to the caches under that name, and find there what they would
// otherwise miss and have replayed each time.
//
// An entry comes when the forward-backward table has found a load to be a synonym's, and goes when the leading page's
// entry there goes, or the page is shot down. Stores take the way of their own name, where their right is known, and
// loads as well while a store of the SM is under way.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "memory/line.h"
#include "vm/types.h"

namespace heddle::core {

class SynonymTable {
 public:
  explicit SynonymTable(unsigned entries) : most_(entries) {}

  [[nodiscard]] bool exists() const { return most_ != 0; }
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  /// The name that the line is to be looked for under, if another.
  [[nodiscard]] std::optional<memory::LineTag> find(memory::LineTag line) {
    for (Entry& entry : entries_) {
      if (!line.in_page_of(entry.own)) continue;
      entry.used = ++clock_;
      const std::uint64_t offset = line.virtual_line().address % vm::kPageBytes;
      return memory::LineTag(
          memory::VirtLine{entry.leading.virtual_line().address / vm::kPageBytes * vm::kPageBytes + offset},
          entry.leading.space());
    }
    return std::nullopt;
  }
  /// Lines of the page around `own` are cached under the name of that around `leading`.
  void learn(memory::LineTag own, memory::LineTag leading) {
    if (most_ == 0) return;
    forget(own, vm::kPageBits, false);
    if (entries_.size() == most_) {
      entries_.erase(std::min_element(entries_.begin(), entries_.end(),
                                      [](const Entry& a, const Entry& b) { return a.used < b.used; }));
    }
    entries_.push_back({own, leading, ++clock_});
  }
  /// The page around the line, of 2 to the power of `bits` bytes, has no other name, or is (`leading`) nobody's.
  void forget(memory::LineTag page, unsigned bits, bool leading) {
    std::erase_if(entries_, [&](const Entry& entry) {
      return entry.own.in_page_of(page, bits) || (leading && entry.leading.in_page_of(page, bits));
    });
  }
  void clear() { entries_.clear(); }

 private:
  struct Entry {
    memory::LineTag own;
    memory::LineTag leading;
    std::uint64_t used = 0;
  };
  std::size_t most_;
  std::vector<Entry> entries_;
  std::uint64_t clock_ = 0;
};

}  // namespace heddle::core
