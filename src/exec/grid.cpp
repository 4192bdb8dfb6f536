// The functional scheduler: which block and warp runs next when nothing is timed.
#include <algorithm>
#include <bit>

#include "exec/fault.h"
#include "exec/interpreter.h"

namespace heddle::exec {
namespace {

constexpr std::uint64_t kWarpSlice = 20'000;  ///< instructions a warp runs before the next one's turn
constexpr std::uint64_t kAloneSlice =
    400'000;  ///< instructions a block runs alone before it counts as waiting for another
// Once several blocks run, those that wait spin through their slice in every turn: short ones lose little.
constexpr std::uint64_t kSharedWarpSlice = 1'000;
constexpr std::uint64_t kSharedSlice = 8'000;
constexpr std::uint64_t kPatience = 2'000'000;  ///< instructions without a block ending before more blocks are let in
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

std::uint64_t run_blocks(Launch& launch, std::uint64_t first, std::uint64_t enough) {
  Interpreter interpreter(launch);
  const std::uint64_t total = launch.config.grid.count();
  const std::uint64_t most = most_resident(launch);
  std::vector<std::unique_ptr<ThreadBlock>> running;
  std::vector<std::unique_ptr<ThreadBlock>> idle;
  std::uint64_t next = first;
  std::uint64_t last_event = 0;  // when a block last ended or was let in, in instructions
  const auto admit = [&] {
    if (idle.empty()) idle.push_back(std::make_unique<ThreadBlock>(launch));
    running.push_back(std::move(idle.back()));
    idle.pop_back();
    running.back()->start(next++);
    last_event = interpreter.warp_instructions();
  };
  while (next < total || !running.empty()) {
    if (running.empty()) {
      if (interpreter.warp_instructions() >= enough) break;
      admit();
    }
    const bool alone = running.size() == 1;
    bool some_ended = false;
    for (auto& block : running) {
      run_slice(interpreter, *block, alone ? kAloneSlice : kSharedSlice, alone ? kWarpSlice : kSharedWarpSlice);
      check_limit(*block, launch.warp_instructions + interpreter.warp_instructions());
      if (launch.environment.go_on && !launch.environment.go_on(next - running.size(), interpreter.warp_instructions()))
        throw Stopped();
      if (!block->finished()) continue;
      some_ended = true;
      idle.push_back(std::move(block));
    }
    if (some_ended) {
      std::erase(running, nullptr);
      last_event = interpreter.warp_instructions();
      continue;
    }
    // No block ended: those running may wait for one that has not started. Letting in twice as many each time finds it
    // soon, however late it comes.
    if (!alone && interpreter.warp_instructions() - last_event < kPatience) continue;
    for (std::size_t more = running.size(); more > 0 && next < total && running.size() < most; --more) admit();
  }
  launch.warp_instructions += interpreter.warp_instructions();
  launch.thread_instructions += interpreter.thread_instructions();
  return next;
}

}  // namespace heddle::exec
