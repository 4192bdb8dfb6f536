#include "exec/grid.h"

#include <algorithm>
#include <bit>

#include "exec/fault.h"

namespace heddle::exec {
namespace {

constexpr std::uint64_t kWarpSlice = 20'000;  ///< instructions a warp runs before the next one's turn
constexpr std::uint64_t kAloneSlice =
    400'000;  ///< instructions a block runs alone before it counts as waiting for another
// Once several blocks run, those that wait spin through their slice in every turn: short ones lose little.
constexpr std::uint64_t kSharedWarpSlice = 1'000;
constexpr std::uint64_t kSharedSlice = 8'000;
constexpr std::uint64_t kPatience = 2'000'000;   ///< instructions without a block ending before more blocks are let in
constexpr std::uint64_t kLookEvery = 4'000'000;  ///< instructions without one before looking whether all only wait
constexpr std::uint64_t kResidentBytes = std::uint64_t{1} << 30;  ///< most memory of blocks that run at the same time

/// Runs a block until it ends or its slice is used up.
void run_slice(Interpreter& interpreter, ThreadBlock& block, std::uint64_t block_slice, std::uint64_t warp_slice) {
  std::uint64_t used = 0;
  while (!block.finished() && used < block_slice) {
    std::uint64_t before = used;
    for (Warp& warp : block.warps) {
      if (warp.state == WarpState::ready) used += interpreter.run(warp, warp_slice);
    }
    if (used == before) check_deadlock(block);
  }
}

std::uint64_t most_resident(const Launch& launch) {
  const LaunchConfig& config = launch.config;
  const std::uint64_t bytes =
      config.shared_bytes + config.block.count() * (config.local_bytes + std::uint64_t{4} * config.registers);
  return std::clamp<std::uint64_t>(kResidentBytes / std::max<std::uint64_t>(bytes, 1), 1, config.resident_blocks);
}

}  // namespace

void check_deadlock(const ThreadBlock& block) {
  for (const Warp& warp : block.warps) {
    if (warp.state == WarpState::ready) return;
  }
  std::size_t waiting = 0;
  const Warp* first = nullptr;
  for (const Warp& warp : block.warps) {
    if (warp.state != WarpState::at_barrier) continue;
    if (first == nullptr) first = &warp;
    ++waiting;
  }
  if (first == nullptr) return;
  ProgramFault what;
  what.kind = FaultKind::barrier_deadlock;
  what.grid_id = block.launch.config.grid_id;
  what.pc = static_cast<std::uint32_t>(first->waiting_op - block.launch.config.code->data());
  what.block = block.position;
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(first->waiting_mask));
  const std::uint32_t* rows = &block.launch.thread_rows[std::size_t{first->index} * 3 * kWarpSize + lane];
  what.thread = {rows[0], rows[kWarpSize], rows[2 * kWarpSize]};
  what.detail = std::to_string(waiting) + " warps wait at a barrier that the rest of the block will never reach";
  throw what;
}

void check_limit(const ThreadBlock& block, std::uint64_t instructions) {
  const Launch& launch = block.launch;
  if (launch.config.instruction_limit == 0 || instructions <= launch.config.instruction_limit) return;
  ProgramFault what;
  what.kind = FaultKind::instruction_limit;
  what.grid_id = launch.config.grid_id;
  what.block = block.position;
  what.pc = block.warps.front().path.pc;
  what.detail =
      "the launch executed more than " + std::to_string(launch.config.instruction_limit) + " warp instructions";
  throw what;
}

bool add_waiting(const Interpreter& interpreter, const ThreadBlock& block, EndlessWait& waits) {
  for (const Warp& warp : block.warps) {
    if (warp.state != WarpState::ready) continue;
    if (!interpreter.spins(warp)) return false;
    if (waits.warps++ == 0)
      waits = {1, block.launch.config.grid_id, warp.path.pc, warp.path.mask, block.position, warp.index};
  }
  return true;
}

GridRun::GridRun(Launch& launch, std::uint64_t first)
    : launch_(launch),
      interpreter_(launch),
      divergence_((launch.config.divergence ? launch.config.divergence : divergence_named("independent"))(counts_)),
      next_(first) {}

void GridRun::admit() {
  if (idle_.empty()) idle_.push_back(std::make_unique<ThreadBlock>(launch_, *divergence_));
  running_.push_back(std::move(idle_.back()));
  idle_.pop_back();
  running_.back()->start(next_++);
  last_event_ = interpreter_.warp_instructions();
}

bool GridRun::take_turns(bool alone) {
  const std::uint64_t limit = launch_.config.instruction_limit;
  bool some_ended = false;
  for (auto& block : running_) {
    const std::uint64_t executed = launch_.warp_instructions + interpreter_.warp_instructions();
    std::uint64_t slice = alone ? kAloneSlice : kSharedSlice;
    if (limit != 0) slice = std::min(slice, limit - std::min(limit, executed) + 1);
    run_slice(interpreter_, *block, slice, std::min(slice, alone ? kWarpSlice : kSharedWarpSlice));
    check_limit(*block, launch_.warp_instructions + interpreter_.warp_instructions());
    if (launch_.environment.go_on &&
        !launch_.environment.go_on(next_ - running_.size(), interpreter_.warp_instructions()))
      throw Stopped();
    if (!block->finished()) continue;
    some_ended = true;
    idle_.push_back(std::move(block));
  }
  if (some_ended) {
    std::erase(running_, nullptr);
    last_event_ = interpreter_.warp_instructions();
  }
  return some_ended;
}

bool GridRun::only_waits() {
  interpreter_.watch(true);
  const bool some_ended = take_turns(false);
  EndlessWait waits;
  const bool all = !some_ended && std::all_of(running_.begin(), running_.end(), [&](const auto& block) {
    return add_waiting(interpreter_, *block, waits);
  });
  interpreter_.watch(false);
  last_look_ = interpreter_.warp_instructions();
  if (!all || waits.warps == 0) return false;
  waits_ = waits;
  return true;
}

bool GridRun::run(std::uint64_t enough) {
  const std::uint64_t total = launch_.config.grid.count();
  const std::uint64_t most = most_resident(launch_);
  if (waits_ && only_waits()) return false;
  waits_.reset();
  while (next_ < total || !running_.empty()) {
    if (running_.empty()) {
      if (interpreter_.warp_instructions() >= enough) break;
      admit();
    }
    const bool alone = running_.size() == 1;
    if (take_turns(alone)) continue;
    // No block ended: those running may wait for one that has not started. Letting in twice as many each time finds it
    // soon, however late it comes.
    if (!alone && interpreter_.warp_instructions() - last_event_ < kPatience) continue;
    const std::size_t before = running_.size();
    for (std::size_t more = before; more > 0 && next_ < total && running_.size() < most; --more) admit();
    if (running_.size() != before) continue;
    if (interpreter_.warp_instructions() - std::max(last_event_, last_look_) >= kLookEvery && only_waits())
      return false;
  }
  launch_.warp_instructions += interpreter_.warp_instructions();
  launch_.thread_instructions += interpreter_.thread_instructions();
  return true;
}

}  // namespace heddle::exec
