#include "core/line_group.h"

#include <algorithm>
#include <bit>

namespace heddle::core {

void LineGroup::set_homes(const std::vector<exec::SlotPart>& parts) {
  compacted = true;
  lowest_home = static_cast<std::uint8_t>(parts.front().warp->context);
  for (const exec::SlotPart& part : parts) {
    const auto context = static_cast<std::uint8_t>(part.warp->context);
    lowest_home = std::min(lowest_home, context);
    for (LaneMask left = part.lanes; left != 0; left &= left - 1)
      home[static_cast<unsigned>(std::countr_zero(left))] = context;
  }
}

std::uint64_t LineGroup::homes_of(const LineRequest& line) const {
  if (homes != 0) return homes;
  if (!compacted) return std::uint64_t{1} << warp;
  std::uint64_t all = 0;
  for (LaneMask left = line.first.lanes; left != 0; left &= left - 1)
    all |= std::uint64_t{1} << home[static_cast<unsigned>(std::countr_zero(left))];
  return all;
}

std::uint64_t LineGroup::homes_on(const PageAccess& page) const {
  if (!compacted) return homes != 0 ? homes : std::uint64_t{1} << warp;
  const auto index = static_cast<std::size_t>(&page - pages.begin());
  std::uint64_t all = 0;
  for (const LineRequest& line : lines) {
    if (line.page == index) all |= homes_of(line);
  }
  return all;
}

}  // namespace heddle::core
