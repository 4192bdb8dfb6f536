#include "vm/page_table.h"

#include "base/check.h"

namespace heddle::vm {

void PageTable::map(const Mapping& mapping) {
  const unsigned last = static_cast<unsigned>(mapping.size) + 1;
  std::uint64_t table = root();
  for (unsigned level = kLevels; level > last; --level) {
    const std::uint64_t at = memory_.entry_address(table, mapping.page, level);
    Entry entry{memory_.read(at)};
    HEDDLE_CHECK(!entry.present() || !entry.leaf(level), "a larger page is mapped there already");
    if (!entry.present()) {
      entry.bits = memory_.allocate_table().address() | Entry::kPresent | Entry::kWrite | Entry::kUser;
      memory_.write_entry(at, entry.bits);
    }
    table = entry.address();
  }
  const std::uint64_t at = memory_.entry_address(table, mapping.page, last);
  HEDDLE_CHECK(!Entry{memory_.read(at)}.present(), "the page is mapped already");
  memory_.write_entry(at, mapping.frame.address() | Entry::kPresent | Entry::kUser |
                              (mapping.writable ? Entry::kWrite : 0) | (last > 1 ? Entry::kPageSize : 0));
}

std::uint64_t PageTable::leaf(VirtPage page, unsigned& level) const {
  std::uint64_t table = root();
  for (level = kLevels;; --level) {
    const std::uint64_t at = memory_.entry_address(table, page, level);
    const Entry entry{memory_.read(at)};
    if (entry.leaf(level)) return at;
    if (!entry.present()) return 0;
    table = entry.address();
  }
}

void PageTable::unmap(VirtPage page) {
  unsigned level = 0;
  const std::uint64_t at = leaf(page, level);
  HEDDLE_CHECK(at != 0, "unmapping a page that has no entry");
  memory_.write_entry(at, 0);
}

void PageTable::protect(VirtPage page, bool writable) {
  unsigned level = 0;
  const std::uint64_t at = leaf(page, level);
  HEDDLE_CHECK(at != 0, "protecting a page that has no entry");
  const std::uint64_t bits = memory_.read(at) & ~Entry::kWrite;
  memory_.write_entry(at, bits | (writable ? Entry::kWrite : 0));
}

std::optional<Mapping> PageTable::find(VirtPage page) const {
  unsigned level = 0;
  const std::uint64_t at = leaf(page, level);
  if (at == 0) return std::nullopt;
  const Entry entry{memory_.read(at)};
  if (!entry.present()) return std::nullopt;
  return mapping_of(entry, page, level);
}

void PageTable::touch(VirtPage page, bool write) {
  unsigned level = 0;
  const std::uint64_t at = leaf(page, level);
  if (at == 0) return;
  memory_.write(at, memory_.read(at) | Entry::kAccessed | (write ? Entry::kDirty : 0));
}

}  // namespace heddle::vm
