// A line apart from the instruction that touches it, for coalescers that send lines one by one.
#pragma once

#include "core/line_group.h"

namespace heddle::core {

struct LoneLine {
  LineRequest line;
  std::uint16_t application = 0;
  std::uint8_t warp = 0;
  MemoryKind kind = MemoryKind::load;
  bool cached = true;
  bool local = false;

  LoneLine() = default;
  /// A line of this group.
  LoneLine(const LineGroup& group, const LineRequest& of)
      : line(of),
        application(group.application),
        warp(group.warp),
        kind(group.kind),
        cached(group.cached),
        local(group.local) {}

  /// Makes a group of it, for translation and the L1.
  [[nodiscard]] std::uint32_t make_group(GroupPool& groups) const {
    const std::uint32_t index = groups.take();
    LineGroup& group = groups.at(index);
    group.clear();
    group.lines.push_back(line);
    group.instruction = line.first.instruction;
    group.application = application;
    group.warp = warp;
    group.kind = kind;
    group.cached = cached;
    group.local = local;
    group.stage = Stage::head;
    return index;
  }
};

}  // namespace heddle::core
