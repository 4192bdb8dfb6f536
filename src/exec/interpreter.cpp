#include "exec/interpreter.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "exec/fault.h"

namespace heddle::exec {

using isa::Opcode;
using isa::Operand;
using isa::Space;
using isa::SpecialRegister;

void Interpreter::execute_alu(const Op& op, Warp& warp, LaneMask lanes) {
  AluArguments arguments;
  arguments.active = lanes;
  for (unsigned s = 0; s < op.sources; ++s) arguments.src[s] = source(op, warp, s);
  if (!op.has_predicates) {
    arguments.dst[0] = warp.registers + op.dst[0];
    if ((op.wide_sources | op.wide_destinations) != 0) return execute_wide_alu(op, warp, arguments);
    op.alu(arguments, *op.instruction);
    return;
  }
  const isa::Instruction& i = *op.instruction;
  for (unsigned s = 0; s < op.sources; ++s) {
    const Operand& operand = i.src[s];
    if (operand.kind == Operand::Kind::predicate) {
      arguments.src_predicate[s] = warp.predicates[operand.index] ^ (operand.negated ? kAllLanes : 0);
    } else if (operand.kind == Operand::Kind::immediate) {
      arguments.src_predicate[s] = (operand.value != 0) != operand.negated ? kAllLanes : 0;
    }
  }
  for (unsigned d = 0; d < op.destinations; ++d) {
    const Operand& operand = i.dst[d];
    if (operand.kind == Operand::Kind::predicate) {
      arguments.dst_predicate[d] = &warp.predicates[operand.index];
    } else if (operand.exists()) {
      arguments.dst[d] = warp.registers + op.dst[d];
    }
  }
  if ((op.wide_sources | op.wide_destinations) != 0) return execute_wide_alu(op, warp, arguments);
  op.alu(arguments, i);
}

void Interpreter::execute_wide_alu(const Op& op, Warp& warp, AluArguments& arguments) {
  alignas(64) std::uint64_t joined[4][kWarpSize];
  unsigned used = 1;
  for (unsigned wide = op.wide_sources; wide != 0; wide &= wide - 1) {
    const auto s = static_cast<unsigned>(std::countr_zero(wide));
    join_row(warp.registers + op.src[s], joined[used]);
    arguments.src[s] = joined[used++];
  }
  if (op.wide_destinations != 0) arguments.dst[0] = joined[0];  // no instruction has a wide result but the first
  op.alu(arguments, *op.instruction);
  if (op.wide_destinations != 0) split_row(joined[0], warp.registers + op.dst[0], arguments.active);
}

// Forced into step(): for most instructions the outcome is then never made.
[[gnu::always_inline]] inline Outcome Interpreter::compute(const Op& op, Warp& warp, LaneMask lanes) {
  switch (op.kind) {
    case OpKind::alu:
      execute_alu(op, warp, lanes);
      return {};
    case OpKind::load:
      load(op, warp, lanes);
      return {};
    case OpKind::store:
      store(op, warp, lanes);
      return {};
    case OpKind::atomic:
      atomic(op, warp, lanes);
      return {};
    case OpKind::special_register:
      read_special(op, warp, lanes);
      return {};
    case OpKind::texture:
      read_texture(op, warp, lanes);
      return {};
    case OpKind::address_conversion:
      convert_address(op, warp, lanes);
      return {};
    case OpKind::system_call:
      system_call(op, warp, lanes);
      return {};
    case OpKind::sleep:
      slot_->waits_by_time = true;
      return {};
    case OpKind::nothing:
      return {};
    case OpKind::branch:
      return {Outcome::Kind::branch, lanes, op.instruction->target, op.instruction->reconvergence, nullptr};
    default:
      return execute_control(op, warp, lanes);
  }
}

Outcome Interpreter::execute(const Op& op, Warp& warp, LaneMask lanes) { return compute(op, warp, lanes); }

void Interpreter::step(Warp& slot) {
  const Op& op = code_[slot.path.pc];
  slot_ = &slot;
  if (op.meets && slot.diverged && gives_way(slot)) return;
  ++slot.instructions;
  ++warp_instructions_;
  access_.lanes = 0;
  if (!slot.parts.empty()) [[unlikely]]
    return move_on(slot, op, execute_parts(op, slot));
  const LaneMask lanes = guarded(op, slot, slot.path.mask);
  thread_instructions_ += static_cast<std::uint64_t>(std::popcount(lanes));
  if (lanes == 0 && op.kind != OpKind::branch) return slot.advance();
  const Outcome outcome = compute(op, slot, lanes);
  if (outcome.kind == Outcome::Kind::next && !op.meets) return slot.advance();
  move_on(slot, op, outcome);
}

Outcome Interpreter::execute_parts(const Op& op, const Warp& slot) {
  Outcome all;
  // Those who go nowhere are part of a branch or a call as well: others of their block may go.
  const bool branches = op.kind == OpKind::branch || op.kind == OpKind::branch_indexed;
  const bool calls = op.kind == OpKind::call || op.kind == OpKind::call_indirect;
  all.kind = branches ? Outcome::Kind::branch : calls ? Outcome::Kind::call : Outcome::Kind::next;
  all.target = op.instruction->target;
  all.meets_at = op.instruction->reconvergence;
  MemoryAccess touched;
  LaneTargets targets{};
  for_each_part(op, slot, [&](Warp& home, LaneMask lanes) {
    thread_instructions_ += static_cast<std::uint64_t>(std::popcount(lanes));
    const LaneMask before = all.lanes;
    all = execute(op, home, lanes);
    for (LaneMask left = all.targets != nullptr ? lanes : 0; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      targets[lane] = targets_[lane];
    }
    all.lanes |= before;
    add_access(touched);
    access_.lanes = 0;
  });
  targets_ = targets;
  access_ = touched;
  return all;
}

void Interpreter::add_access(MemoryAccess& to) const {
  for (LaneMask left = access_.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    to.address[lane] = access_.address[lane];
  }
  if (access_.lanes == 0) return;
  to.lanes |= access_.lanes;
  to.bytes = access_.bytes;
  to.space = access_.space;
}

void Interpreter::move_on(Warp& slot, const Op& op, const Outcome& outcome) {
  slot.granted = false;
  switch (outcome.kind) {
    case Outcome::Kind::next:
      return slot.advance();
    case Outcome::Kind::branch:
      if (watches_ && outcome.lanes != 0 && (outcome.targets != nullptr || outcome.target <= slot.path.pc)) [[unlikely]]
        watched_[&slot].goes_back(slot, false);
      // All the same way: only a loop could concern others of the warp.
      if (outcome.targets == nullptr && !slot.asks_always) {
        if (outcome.lanes == 0) return slot.advance();
        if (outcome.lanes == slot.path.mask && (!slot.diverged || outcome.target > slot.path.pc))
          return slot.jump(outcome.target);
      }
      break;
    case Outcome::Kind::barrier:
      return slot.block->arrive(slot, op, outcome.lanes);
    default:
      break;
  }
  slot.divergence->apply(slot, outcome);
  if (slot.state == WarpState::done) slot.block->warp_finished(slot);
}

bool Interpreter::gives_way(Warp& slot) {
  const Op& op = code_[slot.path.pc];
  if (!op.meets || !slot.diverged || slot.granted) return false;
  const LaneMask lanes = guarded(op, slot, slot.path.mask);
  if (lanes == 0) return false;
  LaneMask named = slot.alive;
  if (op.kind != OpKind::barrier) {
    named = 0;
    const std::uint32_t* members = source(op, slot, op.members);
    LaneMask foreign = 0;
    for (LaneMask left = lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      named |= members[lane];
      foreign |= ~members[lane] & LaneMask{1} << lane;
    }
    // As on an H200, which does not mind while the whole warp is together.
    if (foreign != 0) {
      ProgramFault what;
      what.kind = FaultKind::illegal_instruction;
      what.detail = "lanes of a diverged warp execute this with a member mask that does not name them";
      raise(slot, static_cast<unsigned>(std::countr_zero(foreign)), std::move(what));
    }
  }
  if ((named & slot.alive & ~slot.path.mask) == 0) return false;
  return slot.divergence->waits_for(slot, named);
}

void Interpreter::watch(bool on) {
  watches_ = on;
  watched_.clear();
}

bool Interpreter::spins(const Warp& slot) const {
  const auto found = watched_.find(&slot);
  return found != watched_.end() && found->second.spins();
}

std::uint64_t Interpreter::run(Warp& slot, std::uint64_t budget) {
  std::uint64_t done = 0;
  while (done < budget && slot.state == WarpState::ready) {
    step(slot);
    ++done;
  }
  return done;
}

Outcome Interpreter::execute_control(const Op& op, Warp& warp, LaneMask lanes) {
  const isa::Instruction& i = *op.instruction;
  const auto first_lane = static_cast<unsigned>(std::countr_zero(lanes));
  switch (op.kind) {
    case OpKind::branch_indexed: {
      const std::vector<std::uint32_t>& table = launch_->config.code->branch_table(i.target);
      const std::uint32_t* index = source(op, warp, 0);
      for (LaneMask left = lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        if (index[lane] >= table.size()) {
          ProgramFault what;
          what.kind = FaultKind::illegal_instruction;
          what.detail = "an indexed branch has " + std::to_string(table.size()) + " targets, but the index is " +
                        std::to_string(index[lane]);
          fault(lane, std::move(what));
        }
        targets_[lane] = table[index[lane]];
      }
      return {Outcome::Kind::branch, lanes, 0, i.reconvergence, &targets_};
    }
    case OpKind::call:
      return {Outcome::Kind::call, lanes, i.target, 0, nullptr};
    case OpKind::call_indirect: {
      std::uint64_t space[kWarpSize];
      const std::uint64_t* address = joined_source(op, warp, 0, space);
      for (LaneMask left = lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        const std::uint64_t offset = address[lane] - launch_->config.code_base_address;
        const std::uint64_t pc = offset / isa::kInstructionBytes;
        // Only functions: registers and local memory are made for what may be called, not for other kernels.
        if (offset % isa::kInstructionBytes != 0 || pc >= launch_->config.code->size() ||
            !launch_->config.code->at(static_cast<std::uint32_t>(pc)).starts_function) {
          ProgramFault what;
          what.kind = FaultKind::invalid_call;
          what.address = address[lane];
          what.detail = "the called address is not a function";
          fault(lane, std::move(what));
        }
        targets_[lane] = static_cast<std::uint32_t>(pc);
      }
      return {Outcome::Kind::call, lanes, 0, 0, &targets_};
    }
    case OpKind::return_:
      return {Outcome::Kind::return_, lanes, 0, 0, nullptr};
    case OpKind::exit:
      return {Outcome::Kind::exit, lanes, 0, 0, nullptr};
    case OpKind::barrier: {
      if (const std::uint32_t id = source(op, warp, 0)[first_lane]; id >= kBarriers) {
        ProgramFault what;
        what.kind = FaultKind::illegal_instruction;
        what.detail = "a block has barriers 0 to 15; this one is " + std::to_string(id);
        fault(first_lane, std::move(what));
      }
      return {Outcome::Kind::barrier, lanes, 0, 0, nullptr};
    }
    default: {
      ProgramFault what;
      what.kind = FaultKind::trap;
      what.detail = "the program executed trap";
      fault(first_lane, std::move(what));
    }
  }
}

void Interpreter::read_special(const Op& op, Warp& warp, LaneMask lanes) {
  const isa::Instruction& i = *op.instruction;
  const LaunchConfig& config = launch_->config;
  const std::uint32_t* threads = &launch_->thread_rows[std::size_t{warp.index} * 3 * kWarpSize];
  const std::uint64_t cycles = stores_ != nullptr ? time_ : warp_instructions_;
  const auto nanoseconds = static_cast<std::uint64_t>(static_cast<double>(cycles) * 1000 / config.clock_mhz);
  const auto write = [&](auto&& value_of_lane) {
    if (i.dst[0].wide()) {
      for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        if ((lanes >> lane & 1) != 0)
          write_pair(warp.registers + op.dst[0], lane, static_cast<std::uint64_t>(value_of_lane(lane)));
      }
    } else {
      std::uint32_t* row = warp.registers + op.dst[0];
      for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        if ((lanes >> lane & 1) != 0) row[lane] = static_cast<std::uint32_t>(value_of_lane(lane));
      }
    }
  };
  const auto uniform = [&](std::uint64_t value) { write([value](unsigned) { return value; }); };
  const auto row = [&](const std::uint32_t* values) { write([values](unsigned lane) { return values[lane]; }); };
  switch (i.special) {
    case SpecialRegister::tid_x:
      return row(threads);
    case SpecialRegister::tid_y:
      return row(threads + kWarpSize);
    case SpecialRegister::tid_z:
      return row(threads + 2 * kWarpSize);
    case SpecialRegister::ntid_x:
      return uniform(config.block.x);
    case SpecialRegister::ntid_y:
      return uniform(config.block.y);
    case SpecialRegister::ntid_z:
      return uniform(config.block.z);
    case SpecialRegister::ctaid_x:
      return uniform(warp.block->position.x);
    case SpecialRegister::ctaid_y:
      return uniform(warp.block->position.y);
    case SpecialRegister::ctaid_z:
      return uniform(warp.block->position.z);
    case SpecialRegister::nctaid_x:
      return uniform(config.grid.x);
    case SpecialRegister::nctaid_y:
      return uniform(config.grid.y);
    case SpecialRegister::nctaid_z:
      return uniform(config.grid.z);
    case SpecialRegister::laneid:
      return write([](unsigned lane) { return lane; });
    case SpecialRegister::warpid:
      return uniform(warp.index);
    case SpecialRegister::nwarpid:
      return uniform(launch_->warps_per_block);
    case SpecialRegister::smid:
      return uniform(warp.block->sm);
    case SpecialRegister::nsmid:
      return uniform(config.sms);
    case SpecialRegister::gridid:
      return uniform(config.grid_id);
    case SpecialRegister::lanemask_eq:
      return write([](unsigned lane) { return 1u << lane; });
    case SpecialRegister::lanemask_lt:
      return write([](unsigned lane) { return (1u << lane) - 1; });
    case SpecialRegister::lanemask_le:
      return write([](unsigned lane) { return (2u << lane) - 1; });
    case SpecialRegister::lanemask_gt:
      return write([](unsigned lane) { return ~((2u << lane) - 1); });
    case SpecialRegister::lanemask_ge:
      return write([](unsigned lane) { return ~((1u << lane) - 1); });
    case SpecialRegister::clock:
    case SpecialRegister::clock64:
      slot_->waits_by_time = true;
      return uniform(cycles);
    case SpecialRegister::clock_hi:
      return uniform(cycles >> 32);
    case SpecialRegister::globaltimer:
    case SpecialRegister::globaltimer_lo:
      slot_->waits_by_time = true;
      return uniform(nanoseconds);
    case SpecialRegister::globaltimer_hi:
      return uniform(nanoseconds >> 32);
    case SpecialRegister::dynamic_smem_size:
      return uniform(config.dynamic_shared_bytes);
    case SpecialRegister::total_smem_size:
      return uniform(config.shared_bytes);
    case SpecialRegister::workspace_high:
      return uniform(config.workspace >> 32);
    case SpecialRegister::workspace_low:
      return uniform(config.workspace & 0xffffffffu);
    case SpecialRegister::zero:
      return uniform(0);
  }
}

void Interpreter::convert_address(const Op& op, Warp& warp, LaneMask lanes) {
  const isa::Instruction& i = *op.instruction;
  const std::uint64_t window = i.space == Space::shared  ? kSharedWindow
                               : i.space == Space::local ? kLocalWindow
                                                         : kParameterWindow;
  const std::uint64_t bytes = i.space == Space::param ? kParameterWindowBytes : kWindowBytes;
  std::uint64_t value[kWarpSize];
  for (unsigned lane = 0; lane < kWarpSize; ++lane) value[lane] = source_value(op, warp, 0, lane, 8);
  if (i.op == Opcode::isspacep) {
    LaneMask result = 0;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      const bool inside = i.space == Space::global     ? value[lane] >= kGlobalBase
                          : i.space == Space::constant ? false
                                                       : value[lane] - window < bytes;
      result |= LaneMask{inside} << lane;
    }
    LaneMask& predicate = warp.predicates[i.dst[0].index];
    predicate = (predicate & ~lanes) | (result & lanes);
    return;
  }
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t result = i.op == Opcode::cvta ? value[lane] + window : value[lane] - window;
    write_value(op, warp, lane, result);
  }
}

}  // namespace heddle::exec
