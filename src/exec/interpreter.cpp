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

void Interpreter::fault(const Warp& warp, unsigned lane, ProgramFault&& what) const {
  const std::uint32_t* rows = &launch_->thread_rows[std::size_t{warp.index} * 3 * kWarpSize + lane];
  what.grid_id = launch_->config.grid_id;
  what.pc = warp.path.pc;
  what.block = warp.block->position;
  what.thread = {rows[0], rows[kWarpSize], rows[2 * kWarpSize]};
  throw std::move(what);
}

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

void Interpreter::step(Warp& warp) {
  const Op& op = code_[warp.path.pc];
  const LaneMask lanes = guarded(op, warp);
  ++warp.instructions;
  ++warp_instructions_;
  thread_instructions_ += static_cast<std::uint64_t>(std::popcount(lanes));
  access_.lanes = 0;
  if (lanes == 0 && op.kind != OpKind::branch) {
    warp.advance();
    return;
  }
  switch (op.kind) {
    case OpKind::alu:
      execute_alu(op, warp, lanes);
      break;
    case OpKind::load:
      load(op, warp, lanes);
      break;
    case OpKind::store:
      store(op, warp, lanes);
      break;
    case OpKind::atomic:
      atomic(op, warp, lanes);
      break;
    case OpKind::special_register:
      read_special(op, warp, lanes);
      break;
    case OpKind::texture:
      read_texture(op, warp, lanes);
      break;
    case OpKind::address_conversion:
      convert_address(op, warp, lanes);
      break;
    case OpKind::branch:
      warp.branch(lanes, op.instruction->target, op.instruction->reconvergence);
      return;
    case OpKind::system_call:
      system_call(op, warp, lanes);
      break;
    case OpKind::nothing:
      break;
    default:
      execute_control(op, warp, lanes);
      return;
  }
  warp.advance();
}

std::uint64_t Interpreter::run(Warp& warp, std::uint64_t budget) {
  std::uint64_t done = 0;
  while (done < budget && warp.state == WarpState::ready) {
    step(warp);
    ++done;
  }
  return done;
}

void Interpreter::execute_control(const Op& op, Warp& warp, LaneMask lanes) {
  const isa::Instruction& i = *op.instruction;
  const auto first_lane = static_cast<unsigned>(std::countr_zero(lanes));
  switch (op.kind) {
    case OpKind::branch_indexed: {
      const std::vector<std::uint32_t>& table = launch_->config.code->branch_table(i.target);
      const std::uint32_t* index = source(op, warp, 0);
      std::array<std::uint32_t, kWarpSize> targets{};
      for (LaneMask left = lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        if (index[lane] >= table.size()) {
          ProgramFault what;
          what.kind = FaultKind::illegal_instruction;
          what.detail = "an indexed branch has " + std::to_string(table.size()) + " targets, but the index is " +
                        std::to_string(index[lane]);
          fault(warp, lane, std::move(what));
        }
        targets[lane] = table[index[lane]];
      }
      warp.branch_many(targets, lanes, i.reconvergence);
      return;
    }
    case OpKind::call:
      warp.call(lanes, i.target);
      return;
    case OpKind::call_indirect: {
      std::uint64_t space[kWarpSize];
      const std::uint64_t* address = joined_source(op, warp, 0, space);
      std::array<std::uint32_t, kWarpSize> targets{};
      for (LaneMask left = lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        const std::uint64_t offset = address[lane] - launch_->config.code_base_address;
        if (offset % isa::kInstructionBytes != 0 || offset / isa::kInstructionBytes >= launch_->config.code->size()) {
          ProgramFault what;
          what.kind = FaultKind::invalid_call;
          what.address = address[lane];
          what.detail = "the called address is not a function";
          fault(warp, lane, std::move(what));
        }
        targets[lane] = static_cast<std::uint32_t>(offset / isa::kInstructionBytes);
      }
      warp.call_many(targets, lanes);
      return;
    }
    case OpKind::return_:
      warp.return_lanes(lanes);
      return;
    case OpKind::exit:
      warp.exit_lanes(lanes);
      if (warp.state == WarpState::done) warp.block->warp_finished();
      return;
    case OpKind::barrier: {
      if (const std::uint32_t id = source(op, warp, 0)[first_lane]; id >= kBarriers) {
        ProgramFault what;
        what.kind = FaultKind::illegal_instruction;
        what.detail = "a block has barriers 0 to 15; this one is " + std::to_string(id);
        fault(warp, first_lane, std::move(what));
      }
      warp.block->arrive(warp, op, lanes);
      return;
    }
    default: {
      ProgramFault what;
      what.kind = FaultKind::trap;
      what.detail = "the program executed trap";
      fault(warp, first_lane, std::move(what));
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
      return uniform(cycles);
    case SpecialRegister::clock_hi:
      return uniform(cycles >> 32);
    case SpecialRegister::globaltimer:
    case SpecialRegister::globaltimer_lo:
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
