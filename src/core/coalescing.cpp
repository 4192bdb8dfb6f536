#include "core/coalescing.h"

#include <algorithm>
#include <bit>

#include "memory/request.h"

namespace heddle::core {
namespace {

void touch(Lines& lines, std::size_t& last, memory::VirtLine line, std::uint32_t sectors, unsigned lane,
           unsigned bytes) {
  if (last >= lines.size() || lines[last].line != line) {
    last = 0;
    while (last < lines.size() && lines[last].line != line) ++last;
    if (last == lines.size()) lines.push_back({.line = line});
  }
  lines[last].sectors |= sectors;
  lines[last].first.lanes |= LaneMask{1} << lane;
  lines[last].bytes = static_cast<std::uint16_t>(std::min<unsigned>(lines[last].bytes + bytes, 0xffff));
}

std::uint32_t units(std::uint64_t offset, unsigned bytes) {
  const auto first = static_cast<unsigned>(offset / memory::kSectorUnit);
  const auto last = static_cast<unsigned>((offset + bytes - 1) / memory::kSectorUnit);
  return ((2u << last) - 1) & ~((1u << first) - 1);
}

}  // namespace

LaneMask lanes_in(const exec::MemoryAccess& access, isa::Space space) {
  using isa::Space;
  if (access.space == space) return access.lanes;
  if (access.space != Space::generic && !(access.space == Space::constant && space == Space::global)) return 0;
  LaneMask lanes = 0;
  for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t address = access.address[lane];
    const bool inside = space == Space::global   ? address >= exec::kGlobalBase
                        : space == Space::shared ? address - exec::kSharedWindow < exec::kWindowBytes
                                                 : address - exec::kLocalWindow < exec::kWindowBytes;
    if (inside) lanes |= LaneMask{1} << lane;
  }
  return lanes;
}

namespace {

/// All lanes, each after the one before: the most common access. Lines are made at once, not lane by lane.
bool coalesce_row(const exec::MemoryAccess& access, LaneMask lanes, unsigned line_bytes, Lines& lines) {
  const std::uint64_t first = access.address[0];
  if (lanes != kAllLanes || !lines.empty() || access.bytes == 0 || line_bytes % access.bytes != 0 ||
      first % access.bytes != 0 || access.address[kWarpSize - 1] != first + std::uint64_t{kWarpSize - 1} * access.bytes)
    return false;
  std::uint64_t different = 0;
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    different |= access.address[lane] ^ (first + std::uint64_t{lane} * access.bytes);
  if (different != 0) return false;
  for (unsigned lane = 0; lane < kWarpSize;) {
    const std::uint64_t address = access.address[lane];
    const std::uint64_t line = address & ~std::uint64_t{line_bytes - 1};
    const auto left = static_cast<unsigned>(line + line_bytes - address) / access.bytes;
    const unsigned count = std::min(kWarpSize - lane, left);
    LineRequest request{.line = {line}};
    request.sectors = units(address - line, count * access.bytes);
    request.first.lanes = (count == kWarpSize ? kAllLanes : (LaneMask{1} << count) - 1) << lane;
    request.bytes = static_cast<std::uint16_t>(count * access.bytes);
    lines.push_back(request);
    lane += count;
  }
  return true;
}

}  // namespace

void coalesce(const exec::MemoryAccess& access, LaneMask lanes, unsigned line_bytes, Lines& lines) {
  if (coalesce_row(access, lanes, line_bytes, lines)) return;
  std::size_t last = 0;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t address = access.address[lane];
    const std::uint64_t line = address & ~std::uint64_t{line_bytes - 1};
    touch(lines, last, {line}, units(address - line, access.bytes), lane, access.bytes);
  }
  for (LineRequest& line : lines)
    line.bytes = static_cast<std::uint16_t>(
        std::min<unsigned>(line.bytes, static_cast<unsigned>(std::popcount(line.sectors)) * memory::kSectorUnit));
}

void coalesce_local(const exec::MemoryAccess& access, LaneMask lanes, std::uint64_t base, unsigned line_bytes,
                    Lines& lines) {
  constexpr unsigned kWord = 4;
  std::size_t last = 0;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    for (unsigned word = 0; word < (access.bytes + kWord - 1) / kWord; ++word) {
      const std::uint64_t address = base + (access.address[lane] / kWord + word) * kWord * kWarpSize + lane * kWord;
      const std::uint64_t line = address & ~std::uint64_t{line_bytes - 1};
      touch(lines, last, {line}, units(address - line, kWord), lane, kWord);
    }
  }
}

void find_patterns(const exec::MemoryAccess& access, std::size_t first, bool local, bool whole, Lines& lines) {
  const unsigned unit = std::max(4u, access.bytes);
  for (std::size_t l = first; l < lines.size(); ++l) {
    LineRequest& line = lines[l];
    const LaneMask used = line.first.lanes;
    bool consecutive = used == (whole ? kAllLanes : access.lanes);
    bool broadcast = consecutive;
    bool range = true;
    std::uint64_t word_of_first = 0;
    const auto first_lane = static_cast<unsigned>(std::countr_zero(used));
    for (LaneMask left = used; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      const std::uint64_t word = local ? lane : (access.address[lane] - line.line.address) / unit;
      if (lane == first_lane) word_of_first = word;
      consecutive = consecutive && word == lane;
      broadcast = broadcast && word == word_of_first;
      range = range && word == word_of_first + (lane - first_lane);
    }
    const LaneMask run = used >> first_lane;
    range = range && (run & (run + 1)) == 0;
    line.pattern = std::has_single_bit(used) ? Pattern::single
                   : consecutive             ? Pattern::consecutive
                   : broadcast               ? Pattern::broadcast
                   : range                   ? Pattern::range
                                             : Pattern::irregular;
  }
}

unsigned count_pages(const Lines& lines) {
  constexpr std::uint64_t kPageBytes = 4096;
  unsigned pages = 0;
  std::uint64_t last = ~std::uint64_t{0};
  std::uint64_t seen = 0;  ///< hashes of the pages so far: most that are new need not be searched for
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::uint64_t page = lines[i].line.address / kPageBytes;
    if (page == last) continue;
    last = page;
    const std::uint64_t bit = std::uint64_t{1} << ((page * 0x9e3779b97f4a7c15u) >> 58);
    bool known = false;
    for (std::size_t j = i; j > 0 && (seen & bit) != 0 && !known; --j)
      known = lines[j - 1].line.address / kPageBytes == page;
    seen |= bit;
    if (!known) ++pages;
  }
  return pages;
}

namespace {}  // namespace

}  // namespace heddle::core
