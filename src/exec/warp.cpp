#include "exec/warp.h"

#include <bit>

namespace heddle::exec {

void Warp::start(std::uint32_t pc, LaneMask lanes) {
  state = WarpState::ready;
  alive = lanes;
  path = {pc, isa::kNoPc, lanes, false};
  waiting_.clear();
  predicates.fill(0);
  instructions = 0;
  waiting_op = nullptr;
}

void Warp::reconverge() {
  while (path.pc == path.reconvergence && !waiting_.empty()) {
    path = waiting_.back();
    waiting_.pop_back();
    drop_empty();
  }
}

void Warp::drop_empty() {
  while (path.mask == 0 && !waiting_.empty()) {
    path = waiting_.back();
    waiting_.pop_back();
  }
  if (path.mask == 0) state = WarpState::done;
}

void Warp::branch(LaneMask taken, std::uint32_t target, std::uint32_t reconvergence) {
  const LaneMask fallen = path.mask & ~taken;
  if (fallen == 0) return jump(target);
  if (taken == 0) return advance();
  const std::uint32_t next = path.pc + 1;
  if (reconvergence == isa::kNoPc) {
    // The sides only meet when the function or the kernel ends: two paths, nothing to wait for.
    path.pc = next;
    path.mask = fallen;
    waiting_.push_back(path);
    path = {target, path.reconvergence, taken, false};
    return;
  }
  if (reconvergence != path.reconvergence) {
    path.pc = reconvergence;
    waiting_.push_back(path);
  }
  if (next == reconvergence) {
    path = {target, reconvergence, taken, false};
    return;
  }
  path = {next, reconvergence, fallen, false};
  if (target == reconvergence) return;
  waiting_.push_back(path);
  path = {target, reconvergence, taken, false};
}

void Warp::branch_many(const std::array<std::uint32_t, kWarpSize>& targets, LaneMask lanes,
                       std::uint32_t reconvergence) {
  const std::uint32_t next = path.pc + 1;
  const LaneMask fallen = path.mask & ~lanes;  // guarded off
  const Path before = path;
  const bool waits = reconvergence != isa::kNoPc && reconvergence != path.reconvergence;
  if (waits) {
    path.pc = reconvergence;
    waiting_.push_back(path);
  }
  const std::uint32_t meets = reconvergence == isa::kNoPc ? before.reconvergence : reconvergence;
  bool keeps_call = before.is_call && !waits;  // the bottom path of a call carries its mark
  const auto push = [&](std::uint32_t pc, LaneMask mask) {
    if (pc == reconvergence && reconvergence != isa::kNoPc) return;
    waiting_.push_back({pc, meets, mask, keeps_call});
    keeps_call = false;
  };
  if (fallen != 0) push(next, fallen);
  for (LaneMask left = lanes; left != 0;) {
    const std::uint32_t target = targets[static_cast<unsigned>(std::countr_zero(left))];
    LaneMask same = 0;
    for (LaneMask rest = left; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      if (targets[lane] == target) same |= LaneMask{1} << lane;
    }
    push(target, same);
    left &= ~same;
  }
  path = waiting_.back();
  waiting_.pop_back();
  if (path.pc == path.reconvergence) reconverge();
}

void Warp::call(LaneMask lanes, std::uint32_t target) {
  // Lanes that do not call wait with the others behind it.
  ++path.pc;
  waiting_.push_back(path);
  path = {target, isa::kNoPc, lanes, true};
}

void Warp::call_many(const std::array<std::uint32_t, kWarpSize>& targets, LaneMask lanes) {
  ++path.pc;
  waiting_.push_back(path);
  for (LaneMask left = lanes; left != 0;) {
    const std::uint32_t target = targets[static_cast<unsigned>(std::countr_zero(left))];
    LaneMask same = 0;
    for (LaneMask rest = left; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      if (targets[lane] == target) same |= LaneMask{1} << lane;
    }
    waiting_.push_back({target, isa::kNoPc, same, true});
    left &= ~same;
  }
  path = waiting_.back();
  waiting_.pop_back();
}

void Warp::return_lanes(LaneMask lanes) {
  bool found = path.is_call;
  path.mask &= ~lanes;
  for (std::size_t i = waiting_.size(); i-- > 0 && !found;) {
    waiting_[i].mask &= ~lanes;
    found = waiting_[i].is_call;
  }
  if (path.mask != 0) return advance();
  drop_empty();
  if (path.pc == path.reconvergence) reconverge();
}

void Warp::exit_lanes(LaneMask lanes) {
  alive &= ~lanes;
  path.mask &= ~lanes;
  if (waiting_.empty() && path.mask == 0) {
    state = WarpState::done;
    return;
  }
  for (Path& waiting : waiting_) waiting.mask &= ~lanes;
  if (path.mask != 0) return advance();
  drop_empty();
  if (state != WarpState::done && path.pc == path.reconvergence) reconverge();
}

}  // namespace heddle::exec
