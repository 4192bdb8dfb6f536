#include "core/memory_instruction.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "exec/alu.h"

namespace heddle::memory {

void perform_atomic(AtomicPacket& packet, LaneMask lanes) {
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    std::uint8_t* at = packet.memory->find_writable_in_page(packet.address[lane]);
    if (at == nullptr) continue;  // freed while the request was on its way
    std::uint64_t old = 0;
    std::memcpy(&old, at, packet.bytes);
    const std::uint64_t result =
        exec::apply_atomic(*packet.instruction, old, packet.operand[lane], packet.second[lane]);
    std::memcpy(at, &result, packet.bytes);
    packet.old[lane] = old;
  }
}

}  // namespace heddle::memory

namespace heddle::core {
namespace {

void touch(std::vector<LineAccess>& lines, std::size_t& last, std::uint64_t line, std::uint32_t sectors, unsigned lane,
           unsigned bytes) {
  if (last >= lines.size() || lines[last].line != line) {
    last = 0;
    while (last < lines.size() && lines[last].line != line) ++last;
    if (last == lines.size()) lines.push_back({line, 0, 0, 0});
  }
  lines[last].sectors |= sectors;
  lines[last].lanes |= LaneMask{1} << lane;
  lines[last].bytes = static_cast<std::uint16_t>(std::min<unsigned>(lines[last].bytes + bytes, 0xffff));
}

std::uint32_t units(std::uint64_t offset, unsigned bytes) {
  const auto first = static_cast<unsigned>(offset / memory::kSectorUnit);
  const auto last = static_cast<unsigned>((offset + bytes - 1) / memory::kSectorUnit);
  return ((2u << last) - 1) & ~((1u << first) - 1);
}

}  // namespace

void coalesce(const exec::MemoryAccess& access, LaneMask lanes, unsigned line_bytes, std::vector<LineAccess>& lines) {
  std::size_t last = 0;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t address = access.address[lane];
    const std::uint64_t line = address & ~std::uint64_t{line_bytes - 1};
    touch(lines, last, line, units(address - line, access.bytes), lane, access.bytes);
  }
  for (LineAccess& line : lines)
    line.bytes = static_cast<std::uint16_t>(
        std::min<unsigned>(line.bytes, static_cast<unsigned>(std::popcount(line.sectors)) * memory::kSectorUnit));
}

void coalesce_local(const exec::MemoryAccess& access, LaneMask lanes, std::uint64_t base, unsigned line_bytes,
                    std::vector<LineAccess>& lines) {
  constexpr unsigned kWord = 4;
  std::size_t last = 0;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    for (unsigned word = 0; word < (access.bytes + kWord - 1) / kWord; ++word) {
      const std::uint64_t address = base + (access.address[lane] / kWord + word) * kWord * kWarpSize + lane * kWord;
      const std::uint64_t line = address & ~std::uint64_t{line_bytes - 1};
      touch(lines, last, line, units(address - line, kWord), lane, kWord);
    }
  }
}

namespace {

/// Whether no bank is asked for two different words: the common case, in one short pass.
bool is_conflict_free(const exec::MemoryAccess& access, LaneMask lanes, unsigned banks) {
  std::array<std::uint32_t, 64> first;
  std::uint64_t seen = 0;
  bool conflict = false;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto word = static_cast<std::uint32_t>(access.address[static_cast<unsigned>(std::countr_zero(left))] / 4);
    const unsigned bank = word & (banks - 1);
    if ((seen >> bank & 1) == 0) {
      seen |= std::uint64_t{1} << bank;
      first[bank] = word;
    }
    conflict |= first[bank] != word;
  }
  return !conflict;
}

}  // namespace

unsigned shared_memory_cycles(const exec::MemoryAccess& access, LaneMask lanes, unsigned banks) {
  constexpr unsigned kWord = 4;
  if (access.bytes <= kWord && is_conflict_free(access, lanes, banks)) return 1;
  const unsigned groups = std::max(1u, access.bytes / kWord);
  const unsigned lanes_per_group = kWarpSize / groups;
  unsigned total = 0;
  for (unsigned g = 0; g < groups; ++g) {
    const LaneMask group =
        lanes & (groups == 1 ? kAllLanes : ((LaneMask{1} << lanes_per_group) - 1) << (g * lanes_per_group));
    if (group == 0) continue;
    std::array<std::uint8_t, 64> count{};
    std::array<std::array<std::uint32_t, kWarpSize>, 64> words;
    unsigned most = 1;
    for (LaneMask left = group; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      for (unsigned w = 0; w < groups; ++w) {
        const auto word = static_cast<std::uint32_t>(access.address[lane] / kWord + w);
        const unsigned bank = word & (banks - 1);
        bool known = false;
        for (unsigned i = 0; i < count[bank] && !known; ++i) known = words[bank][i] == word;
        if (known || count[bank] >= kWarpSize) continue;
        words[bank][count[bank]++] = word;
        most = std::max<unsigned>(most, count[bank]);
      }
    }
    total += most;
  }
  return std::max(total, 1u);
}

}  // namespace heddle::core
