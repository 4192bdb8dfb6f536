// The functional scheduler: which block and warp runs next when nothing is timed.
#include <algorithm>

#include "exec/fault.h"
#include "exec/interpreter.h"

namespace heddle::exec {
namespace {

constexpr std::uint64_t kWarpSlice = 20'000;    ///< instructions a warp runs before the next one's turn
constexpr std::uint64_t kBlockSlice = 400'000;  ///< instructions a block runs before it counts as waiting for another

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
  what.pc = first->path.pc;
  what.block = block.position;
  const std::uint32_t thread = first->index * kWarpSize;
  what.thread = {thread % block.launch.config.block.x, 0, 0};
  what.detail = std::to_string(waiting) + " warps wait at a barrier that the rest of the block will never reach";
  throw what;
}

/// Runs a block until it ends or its slice is used up.
void run_slice(Interpreter& interpreter, ThreadBlock& block) {
  std::uint64_t used = 0;
  while (!block.finished() && used < kBlockSlice) {
    std::uint64_t before = used;
    for (Warp& warp : block.warps) {
      if (warp.state == WarpState::ready) used += interpreter.run(warp, kWarpSlice);
    }
    if (used == before) check_deadlock(block);
  }
}

void check_limit(const Launch& launch, std::uint64_t instructions, const ThreadBlock& block) {
  if (launch.config.instruction_limit == 0 || instructions <= launch.config.instruction_limit) return;
  ProgramFault what;
  what.kind = FaultKind::instruction_limit;
  what.block = block.position;
  what.pc = block.warps.front().path.pc;
  what.detail = "the launch executed more than " + std::to_string(launch.config.instruction_limit) + " warp instructions";
  throw what;
}

}  // namespace

void run_grid(Launch& launch) {
  Interpreter interpreter(launch);
  const std::uint64_t total = launch.config.grid.count();
  std::vector<std::unique_ptr<ThreadBlock>> running;
  std::vector<std::unique_ptr<ThreadBlock>> idle;
  std::uint64_t next = 0;
  const auto admit = [&] {
    if (idle.empty()) idle.push_back(std::make_unique<ThreadBlock>(launch));
    running.push_back(std::move(idle.back()));
    idle.pop_back();
    running.back()->start(next++);
  };
  while (next < total || !running.empty()) {
    bool some_ended = running.empty();
    for (auto& block : running) {
      run_slice(interpreter, *block);
      check_limit(launch, interpreter.warp_instructions(), *block);
      if (launch.environment.go_on && !launch.environment.go_on(next - running.size(), interpreter.warp_instructions())) throw Stopped();
      some_ended = some_ended || block->finished();
    }
    for (auto& block : running) {
      if (block->finished()) idle.push_back(std::move(block));
    }
    std::erase(running, nullptr);
    // Blocks that ended make room; if none did, those running may wait for one that has not started.
    if (next < total && (running.empty() || (!some_ended && running.size() < launch.config.resident_blocks))) admit();
  }
  launch.warp_instructions = interpreter.warp_instructions();
  launch.thread_instructions = interpreter.thread_instructions();
}

}  // namespace heddle::exec
