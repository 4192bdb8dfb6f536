#include "exec/divergence/next_access.h"

#include <algorithm>
#include <bit>
#include <memory>

#include "exec/fault.h"

namespace heddle::exec {

using isa::Space;

LanePages NextAccess::of(const Warp& warp, LaneMask lanes, std::uint32_t pc) {
  constexpr unsigned kMostSteps = 10'000;
  constexpr std::size_t kAlignment = 64;
  LanePages pages;
  pages.fill(kNoPage);
  const std::size_t words = std::size_t{block_.launch.config.registers + 1} * kWarpSize;
  registers_.resize(words + kAlignment / sizeof(std::uint32_t));
  void* base = registers_.data();
  std::size_t space = registers_.size() * sizeof(std::uint32_t);
  Warp ahead = warp;
  ahead.registers = static_cast<std::uint32_t*>(std::align(kAlignment, words * sizeof(std::uint32_t), base, space));
  std::copy_n(warp.registers, words, ahead.registers);
  ahead.parts.clear();
  ahead.diverged = ahead.asks_always = false;
  ahead.divergence = nullptr;
  ways_.assign(1, {pc, lanes});
  unsigned steps = 0;
  try {
    while (!ways_.empty() && steps < kMostSteps) {
      Way way = ways_.back();
      ways_.pop_back();
      while (way.lanes != 0 && ++steps < kMostSteps && step(ahead, way, pages)) {
      }
    }
  } catch (const ProgramFault&) {
    // What the program does wrong it does when it comes there.
  }
  return pages;
}

bool NextAccess::has_no_effect(const Op& op) const {
  switch (op.kind) {
    case OpKind::alu:
    case OpKind::special_register:
    case OpKind::address_conversion:
    case OpKind::nothing:
      return !op.meets;
    case OpKind::load: {
      const Space from = op.instruction->space;
      return from == Space::param || from == Space::constant ||
             (from == Space::shared && block_.launch.checks == nullptr);
    }
    default:
      return false;
  }
}

bool NextAccess::step(Warp& ahead, Way& way, LanePages& pages) {
  if (way.pc >= block_.launch.config.code->size()) return false;
  const Op& op = block_.launch.config.code->at(way.pc);
  ahead.path = {way.pc, isa::kNoPc, way.lanes};
  if (op.kind == OpKind::branch) return branch(ahead, way);
  if (has_no_effect(op)) {
    interpreter_.step(ahead);
    ++way.pc;
    return true;
  }
  const Space to = op.instruction->space;
  const bool accesses = op.kind == OpKind::load || op.kind == OpKind::store || op.kind == OpKind::atomic;
  if (accesses && (to == Space::global || to == Space::generic)) {
    note(ahead, way, pages);
  } else if (op.kind == OpKind::store && (to == Space::shared || to == Space::local)) {
    // Nothing that is asked for here depends on it, but for what is read back.
  } else {
    way.lanes &= ~Interpreter::guarded(op, ahead, way.lanes);
  }
  ++way.pc;
  return true;
}

bool NextAccess::branch(const Warp& ahead, Way& way) {
  const Op& op = block_.launch.config.code->at(way.pc);
  const LaneMask taken = Interpreter::guarded(op, ahead, way.lanes);
  if (taken != 0 && taken != way.lanes) ways_.push_back({op.instruction->target, taken});
  const bool all = taken == way.lanes;
  way = all ? Way{op.instruction->target, taken} : Way{way.pc + 1, way.lanes & ~taken};
  return true;
}

void NextAccess::note(Warp& ahead, Way& way, LanePages& pages) {
  const Op& op = block_.launch.config.code->at(way.pc);
  const LaneMask lanes = Interpreter::guarded(op, ahead, way.lanes);
  if (lanes == 0) return;
  const MemoryAccess access = interpreter_.preview(op, ahead);
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    if (access.address[lane] >= kGlobalBase) pages[lane] = access.address[lane] >> page_bits_;
  }
  way.lanes &= ~lanes;
}

}  // namespace heddle::exec
