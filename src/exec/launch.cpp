#include "exec/launch.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

#include "exec/check/block_checks.h"
#include "exec/fault.h"

namespace heddle::exec {

using isa::Part;

Launch::Launch(const LaunchConfig& launch_config, Environment& launch_environment)
    : config(launch_config),
      environment(launch_environment),
      pool(launch_config.code->make_pool(launch_config.constant_bank)),
      warps_per_block(static_cast<unsigned>((launch_config.block.count() + kWarpSize - 1) / kWarpSize)),
      // A function without a frame of its own still needs a place for its return address.
      most_calls(std::max(launch_config.local_bytes / 8, 64u)),
      checks(launch_environment.checks),
      thread_rows(std::size_t{warps_per_block} * 3 * kWarpSize, 0) {
  for (std::uint32_t t = 0; t < config.block.count(); ++t) {
    std::uint32_t* rows = &thread_rows[std::size_t{t / kWarpSize} * 3 * kWarpSize + t % kWarpSize];
    rows[0] = t % config.block.x;
    rows[kWarpSize] = t / config.block.x % config.block.y;
    rows[2 * kWarpSize] = t / config.block.x / config.block.y;
  }
}

LaneMask Launch::lanes_of_warp(unsigned warp) const {
  const std::uint64_t left = config.block.count() - std::uint64_t{warp} * kWarpSize;
  return left >= kWarpSize ? kAllLanes : (LaneMask{1} << left) - 1;
}

ThreadBlock::ThreadBlock(Launch& block_launch, DivergenceUnit& unit)
    : launch(block_launch),
      shared(block_launch.config.shared_bytes, 0),
      local(block_launch.config.block.count() * block_launch.config.local_bytes, 0),
      warps(block_launch.warps_per_block),
      divergence(unit.make()),
      registers_(std::size_t{block_launch.warps_per_block} * (block_launch.config.registers + 1) * kWarpSize + 16, 0) {
  constexpr std::size_t kAlignment = 64;
  void* base = registers_.data();
  std::size_t space = registers_.size() * sizeof(std::uint32_t);
  register_base_ = static_cast<std::uint32_t*>(std::align(kAlignment, 1, base, space));
  if (launch.checks != nullptr) checks = std::make_unique<BlockChecks>(*launch.checks, *this);
}

ThreadBlock::~ThreadBlock() = default;

void ThreadBlock::start(std::uint64_t linear_index) {
  const LaunchConfig& config = launch.config;
  index = linear_index;
  position = {static_cast<std::uint32_t>(index % config.grid.x),
              static_cast<std::uint32_t>(index / config.grid.x % config.grid.y),
              static_cast<std::uint32_t>(index / config.grid.x / config.grid.y)};
  barriers_.fill({});
  // A program must not depend on what a block finds here; the same content for every block keeps runs repeatable.
  // (Local memory can be large and is left as it is.)
  std::fill(shared.begin(), shared.end(), std::uint8_t{0});
  std::fill(registers_.begin(), registers_.end(), 0u);
  warps_alive_ = static_cast<unsigned>(warps.size());
  arriving_ = 0;
  changed = false;
  const std::size_t stride = std::size_t{(config.registers + 1) / 2 * 2} * kWarpSize;
  for (unsigned w = 0; w < warps.size(); ++w) {
    warps[w].block = this;
    warps[w].divergence = divergence.get();
    warps[w].index = w;
    warps[w].registers = register_base_ + w * stride;
    warps[w].start(config.entry, launch.lanes_of_warp(w));
  }
  divergence->start(*this);
  if (checks) checks->start();
}

void ThreadBlock::arrive(Warp& warp, const Op& op, LaneMask lanes) {
  const isa::Instruction& i = *op.instruction;
  const auto value = [&](unsigned s) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    return ((op.in_pool(s) ? launch.pool.data() : warp.home(lane).registers) + op.src[s])[lane];
  };
  const unsigned id = value(0) % kBarriers;
  Barrier& barrier = barriers_[id];
  if (checks) checks->arrived(warp, op, id, lanes);
  if (i.src[1].exists()) {
    barrier.expected_threads = (value(1) + kWarpSize - 1) / kWarpSize * kWarpSize;
  }
  barrier.arrived_threads += kWarpSize;
  if (i.part == Part::red_popc || i.part == Part::red_and || i.part == Part::red_or) {
    warp.for_each_home(lanes, [&](const Warp& home, LaneMask here) {
      LaneMask vote = 0;
      if (i.src[2].kind == isa::Operand::Kind::predicate) {
        vote = home.predicates[i.src[2].index] ^ (i.src[2].negated ? kAllLanes : 0);
      } else {
        vote = (i.src[2].value != 0) != i.src[2].negated ? kAllLanes : 0;
      }
      barrier.predicate_count += static_cast<std::uint32_t>(std::popcount(vote & here));
      barrier.participants += static_cast<std::uint32_t>(std::popcount(here));
    });
  }
  // Where lanes of several warps are together, what comes next may take them apart: then not before all have come.
  if (warp.parts.empty()) warp.advance();
  if (i.part != Part::arrive) {
    warp.state = WarpState::at_barrier;
    warp.waiting_op = &op;
    warp.waiting_mask = lanes;
    warp.waiting_barrier = id;
    barrier.waiting = true;
  }
  release_if_complete(id);
}

void ThreadBlock::release_if_complete(unsigned id) {
  Barrier& barrier = barriers_[id];
  const std::uint32_t expected = barrier.expected_threads != 0 ? barrier.expected_threads : arriving_threads();
  if (barrier.arrived_threads == 0 || barrier.arrived_threads < expected) return;
  const Barrier ended = std::exchange(barrier, {});
  for (Warp& warp : warps) {
    if (warp.state != WarpState::at_barrier) continue;
    const Op& op = *warp.waiting_op;
    const isa::Instruction& i = *op.instruction;
    if (warp.waiting_barrier != id) continue;
    warp.state = WarpState::ready;
    warp.waiting_op = nullptr;
    if (checks) checks->released(warp, id);
    if (i.part == Part::red_popc) {
      for (LaneMask left = warp.waiting_mask; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        if (i.dst[0].exists()) warp.home(lane).registers[op.dst[0] + lane] = ended.predicate_count;
      }
    } else if ((i.part == Part::red_and || i.part == Part::red_or) && i.dst[0].exists()) {
      const bool result =
          i.part == Part::red_or ? ended.predicate_count != 0 : ended.predicate_count == ended.participants;
      warp.for_each_home(warp.waiting_mask, [&](Warp& home, LaneMask lanes) {
        LaneMask& predicate = home.predicates[i.dst[0].index];
        predicate = result ? predicate | lanes : predicate & ~lanes;
      });
    }
    if (!warp.parts.empty()) {
      changed = true;
      warp.advance();
    }
  }
  if (checks) checks->opened(id);
}

void ThreadBlock::set_arriving(unsigned slots) {
  arriving_ = slots;
  release_waiting();
}

void ThreadBlock::warp_finished(const Warp& warp) {
  --warps_alive_;
  if (checks) checks->ended(warp);
  if (warps_alive_ != 0) release_waiting();
}

void ThreadBlock::release_waiting() {
  for (unsigned id = 0; id < kBarriers; ++id) {
    if (barriers_[id].waiting && barriers_[id].expected_threads == 0) release_if_complete(id);
  }
}

void raise(Warp& slot, unsigned lane, ProgramFault&& what) {
  const Launch& launch = slot.block->launch;
  const std::uint32_t* rows = &launch.thread_rows[std::size_t{slot.home(lane).index} * 3 * kWarpSize + lane];
  what.grid_id = launch.config.grid_id;
  what.pc = slot.path.pc;
  what.block = slot.block->position;
  what.thread = {rows[0], rows[kWarpSize], rows[2 * kWarpSize]};
  throw std::move(what);
}

}  // namespace heddle::exec
