// A line apart from the instruction that touches it, for coalescers that send lines one by one.
#pragma once

#include "core/line_group.h"

namespace heddle::core {

struct LoneLine {
  LineRequest line;
  std::uint16_t application = 0;
  std::uint64_t homes = 0;  ///< warps that it serves, a bit each
  std::uint8_t warp = 0;
  std::uint8_t owner = 0;  ///< the warp that brings what it fetches
  MemoryKind kind = MemoryKind::load;
  bool cached = true;
  bool local = false;
  bool compacted = false;

  LoneLine() = default;
  /// A line of this group.
  LoneLine(const LineGroup& group, const LineRequest& of)
      : line(of),
        application(group.application),
        homes(group.homes_of(of)),
        warp(group.warp),
        owner(group.owner()),
        kind(group.kind),
        cached(group.cached),
        local(group.local),
        compacted(group.compacted) {}

  /// Makes a group of it, for translation and the L1.
  [[nodiscard]] std::uint32_t make_group(GroupPool& groups) const {
    const std::uint32_t index = groups.take();
    LineGroup& group = groups.at(index);
    group.clear();
    group.lines.push_back(line);
    group.instruction = line.first.instruction;
    group.application = application;
    group.homes = homes;
    group.warp = warp;
    group.lowest_home = owner;
    group.compacted = compacted;
    group.kind = kind;
    group.cached = cached;
    group.local = local;
    group.stage = Stage::head;
    return index;
  }
};

}  // namespace heddle::core
