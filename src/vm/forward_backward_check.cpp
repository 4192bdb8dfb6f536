// What a checked run asks of the forward-backward table after every quantum: that its two sides, its bits or counts of
// lines and its counts of what is under way are those of the caches, and that the caches have nothing it does not know.
#include <fmt/format.h>

#include <bit>
#include <map>
#include <unordered_set>

#include "base/check.h"
#include "memory/line_checker.h"
#include "vm/forward_backward.h"

namespace heddle::vm {

using memory::LineTag;

namespace {

std::string name_of(LineTag line) {
  return fmt::format("{:#x} of address space {}", line.virtual_line().address, line.space());
}

}  // namespace

void ForwardBackward::check_caches(const std::vector<LineTag>& l2, const std::vector<LineTag>& l1) const {
  std::unordered_set<std::uint64_t> lines;
  std::map<std::uint64_t, std::pair<std::uint32_t, std::uint32_t>> by_page;  // sure ones, and those being filled
  for (const LineTag line : l2) {
    const std::uint32_t index = find(line);
    const bool is_pending = pending_.contains(line.bits());
    HEDDLE_CHECK(index != kNone && (is_pending || may_have(table_.at(index), line)),
                 fmt::format("the line at {} is in the L2 and the table does not know it", name_of(line)));
    lines.insert(line.bits());
    auto& [sure, filling] = by_page[key(line)];
    ++(is_pending ? filling : sure);
  }
  for (const LineTag line : l1) {
    HEDDLE_CHECK(find(line) != kNone,
                 fmt::format("the line at {} is in an L1 and the table does not know its page", name_of(line)));
  }
  std::map<std::uint64_t, std::uint32_t> under_way;
  for (const auto& [bits, count] : pending_) under_way[key(LineTag::from_bits(bits))] += count;
  const std::map<std::uint64_t, std::uint32_t> coming = under_way;
  for (const auto& [bits, probed] : probing_) ++under_way[key(LineTag::from_bits(bits))];
  std::uint64_t resident = 0;
  for (std::uint32_t index = 0; index < table_.size(); ++index) {
    const FbtEntry& entry = table_.at(index);
    if (entry.state == FbtState::free) continue;
    const LineTag page(memory::VirtLine{entry.page.address()}, entry.space);
    resident += entry.lines != 0 ? 1 : 0;
    HEDDLE_CHECK(table_.find(entry.frame) == index && table_.find(entry.space, entry.page) == index,
                 fmt::format("the sides of the table disagree about the page at {}", name_of(page)));
    const auto fetches = under_way.find(key(page));
    HEDDLE_CHECK(entry.fetches == (fetches == under_way.end() ? 0 : fetches->second),
                 fmt::format("the page at {} counts {} fetches that are not under way", name_of(page), entry.fetches));
    if (counts_) {
      const auto found = by_page.find(key(page));
      const auto [sure, filling] = found == by_page.end() ? std::pair<std::uint32_t, std::uint32_t>() : found->second;
      const std::uint32_t leaving = setup_.checker->count_leaving(page, kPageBits + order_of(granule_));
      // A line may have come and left before the table has heard of either.
      const auto unheard = coming.find(key(page));
      HEDDLE_CHECK(sure + leaving <= entry.lines + (unheard == coming.end() ? 0 : unheard->second) &&
                       entry.lines <= sure + filling + leaving,
                   fmt::format("the page at {} counts {} lines; the L2 has {}, {} come and {} leave", name_of(page),
                               entry.lines, sure, filling, leaving));
      continue;
    }
    for (std::uint32_t left = entry.lines; left != 0; left &= left - 1) {
      const std::uint64_t offset = static_cast<unsigned>(std::countr_zero(left)) * std::uint64_t{setup_.line_bytes};
      const LineTag line(memory::VirtLine{entry.page.address() + offset}, entry.space);
      HEDDLE_CHECK(lines.contains(line.bits()) || setup_.checker->is_leaving(line),
                   fmt::format("the table has a bit for the line at {} and the L2 does not have it", name_of(line)));
    }
  }
  HEDDLE_CHECK(resident == resident_, "the table counts other pages with lines than it has");
}

}  // namespace heddle::vm
