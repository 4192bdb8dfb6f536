// Lowering: the driver and what all instructions share: operands, addresses, constants.
#include "compile/lower.h"

#include <fmt/format.h>

#include <bit>

namespace heddle::compile {

using isa::Opcode;
using isa::Operand;
using isa::Type;
using Kind = ptx::Operand::Kind;

namespace {

RegisterClass class_for(ptx::ScalarType type) {
  if (type == ptx::ScalarType::pred) return RegisterClass::predicate;
  return ptx::size_of(type) == 8 ? RegisterClass::pair : RegisterClass::gpr;
}

/// Bits of a constant operand as a value of `type`.
std::uint64_t constant_bits(const ptx::Operand& operand, Type type) {
  std::uint64_t bits = operand.bits;
  if (operand.kind == Kind::real64 && type == Type::f32) {
    bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(operand.bits)));
  } else if (operand.kind == Kind::real32 && type == Type::f64) {
    bits = std::bit_cast<std::uint64_t>(
        static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(operand.bits))));
  }
  switch (isa::size_of(type)) {
    case 1:
      return bits & 0xff;
    case 2:
      return bits & 0xffff;
    case 4:
      return bits & 0xffffffff;
    default:
      return bits;
  }
}

isa::SpecialRegister special_register(const ptx::Operand& operand) {
  using P = ptx::SpecialRegister;
  using M = isa::SpecialRegister;
  const auto axis = [&](M x) {
    const int component = operand.component < 0 ? 0 : operand.component;
    return component > 2 ? M::zero : static_cast<M>(static_cast<int>(x) + component);
  };
  switch (operand.special) {
    case P::tid:
      return axis(M::tid_x);
    case P::ntid:
      return axis(M::ntid_x);
    case P::ctaid:
      return axis(M::ctaid_x);
    case P::nctaid:
      return axis(M::nctaid_x);
    case P::laneid:
      return M::laneid;
    case P::warpid:
      return M::warpid;
    case P::nwarpid:
      return M::nwarpid;
    case P::smid:
      return M::smid;
    case P::nsmid:
      return M::nsmid;
    case P::gridid:
      return M::gridid;
    case P::lanemask_eq:
      return M::lanemask_eq;
    case P::lanemask_le:
      return M::lanemask_le;
    case P::lanemask_lt:
      return M::lanemask_lt;
    case P::lanemask_ge:
      return M::lanemask_ge;
    case P::lanemask_gt:
      return M::lanemask_gt;
    case P::clock:
      return M::clock;
    case P::clock_hi:
      return M::clock_hi;
    case P::clock64:
      return M::clock64;
    case P::globaltimer:
      return M::globaltimer;
    case P::globaltimer_lo:
      return M::globaltimer_lo;
    case P::globaltimer_hi:
      return M::globaltimer_hi;
    case P::dynamic_smem_size:
      return M::dynamic_smem_size;
    case P::total_smem_size:
    case P::aggr_smem_size:
      return M::total_smem_size;
    // Performance-monitor registers read 0, as on a GPU where nobody set them. Without clusters every
    // block is a cluster of its own.
    case P::envreg:
      // Where the blocks of a cooperative launch meet; the other environment registers are nobody's.
      if (operand.bits == 1) return M::workspace_high;
      return operand.bits == 2 ? M::workspace_low : M::zero;
    case P::pm:
    case P::reserved_smem_offset:
    case P::is_explicit_cluster:
    case P::cluster_ctarank:
    case P::cluster_ctaid:
      return M::zero;
    case P::clusterid:
      return axis(M::ctaid_x);
    case P::nclusterid:
      return axis(M::nctaid_x);
    case P::cluster_nctaid:
    case P::cluster_nctarank:
      break;  // always 1: a constant, not a register
  }
  return M::zero;
}

}  // namespace

Lowerer::Lowerer(const ptx::Module& module, const ModuleLayout& layout, ptx::FunctionId function,
                 Diagnostics& diagnostics)
    : module_(module),
      layout_(layout),
      function_(module.functions[function]),
      function_id_(function),
      diagnostics_(diagnostics) {}

Lowerer::Handler Lowerer::find(std::string_view opcode) {
  for (const Table* table :
       {&integer_table(), &float_table(), &data_table(), &memory_table(), &warp_table(), &control_table()}) {
    if (const auto found = table->find(opcode); found != table->end()) return found->second;
  }
  return nullptr;
}

LinearCode Lowerer::run() {
  MachineFunction& f = out_.function;
  f.name = function_.name;
  f.is_entry = function_.is_entry;
  first_register_.reserve(function_.registers.size());
  for (const ptx::Register& reg : function_.registers) {
    first_register_.push_back(static_cast<std::uint32_t>(f.registers.size()));
    for (unsigned c = 0; c < reg.vector; ++c) f.registers.push_back(class_for(reg.type));
  }
  if (!f.is_entry) f.stack_pointer = f.new_register(RegisterClass::gpr);
  classify_call_parameters();

  out_.label_position.assign(function_.labels.size(), 0);
  std::vector<std::vector<ptx::LabelId>> labels_at(function_.body.size() + 1);
  for (ptx::LabelId label = 0; label < function_.labels.size(); ++label) {
    labels_at[function_.labels[label].position].push_back(label);
  }
  for (const ptx::TargetList& list : function_.target_lists) out_.branch_tables.push_back(list.labels);

  for (std::size_t i = 0; i <= function_.body.size(); ++i) {
    for (const ptx::LabelId label : labels_at[i])
      out_.label_position[label] = static_cast<std::uint32_t>(out_.code.size());
    if (i == function_.body.size()) break;
    const ptx::Instruction& p = function_.body[i];
    if (const Handler handler = find(p.opcode); handler != nullptr) {
      (this->*handler)(p);
    } else if (p.opcode == "wmma" || p.opcode == "mma" || p.opcode == "wgmma" || p.opcode == "ldmatrix" ||
               p.opcode == "stmatrix") {
      unsupported(p, "tensor instructions are not supported");
    } else {
      unsupported(p, "this instruction is not supported");
    }
  }
  // A body may end without ret.
  ptx::Instruction end;
  end.opcode = "ret";
  end.place = function_.body.empty() ? function_.place : function_.body.back().place;
  lower_ret(end);
  return std::move(out_);
}

isa::Instruction Lowerer::make(Opcode op, const ptx::Instruction& p) const {
  isa::Instruction instruction;
  instruction.op = op;
  instruction.line = p.place.line;
  instruction.source_line = p.source_line;
  instruction.source_file = p.source_file;
  if (p.guard) {
    instruction.guard.predicate = first_register_[p.guard->reg];
    instruction.guard.negated = p.guard->negated;
  }
  return instruction;
}

void Lowerer::unsupported(const ptx::Instruction& p, std::string_view reason) {
  error(p.place, fmt::format("'{}': {}", p.mnemonic(), reason));
}

bool Lowerer::expect_operands(const ptx::Instruction& p, std::size_t least, std::size_t most) {
  if (p.operands.size() >= least && p.operands.size() <= most) return true;
  const std::string wanted = least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
  error(p.place, fmt::format("'{}' takes {} operands, not {}", p.mnemonic(), wanted, p.operands.size()));
  return false;
}

void Lowerer::emit_simple(const ptx::Instruction& p, isa::Instruction instruction, std::size_t sources) {
  if (!expect_operands(p, sources + 1, sources + 1) || instruction.type == Type::none) return;
  instruction.dst[0] = destination(p.operands[0], instruction.type);
  for (std::size_t i = 0; i < sources; ++i) instruction.src[i] = source(p.operands[i + 1], instruction.type);
  emit(instruction);
}

Operand Lowerer::temporary(Type type) {
  const RegisterClass c = type == Type::pred        ? RegisterClass::predicate
                          : isa::size_of(type) == 8 ? RegisterClass::pair
                                                    : RegisterClass::gpr;
  return register_operand(c, out_.function.new_register(c));
}

Operand Lowerer::register_of(const ptx::Operand& operand) {
  const ptx::Register& reg = function_.registers[operand.index];
  std::uint32_t index = first_register_[operand.index];
  if (operand.component >= 0) {
    if (operand.component >= reg.vector) {
      error(operand.place, fmt::format("register {} has no component {}", reg.name, "xyzw"[operand.component & 3]));
    } else {
      index += static_cast<std::uint32_t>(operand.component);
    }
  }
  if (ptx::size_of(reg.type) > 8)
    error(operand.place, fmt::format("register {}: 128-bit registers are not supported", reg.name));
  return register_operand(class_for(reg.type), index);
}

Operand Lowerer::destination(const ptx::Operand& operand, Type type) {
  if (operand.kind == Kind::sink) return {};
  if (operand.kind != Kind::reg) {
    error(operand.place, "the destination must be a register");
    return {};
  }
  const Operand reg = register_of(operand);
  if ((type == Type::pred) != (reg.kind == Operand::Kind::predicate)) {
    error(operand.place, type == Type::pred ? "the destination must be a predicate register"
                                            : "a predicate register cannot hold this result");
  } else if (isa::size_of(type) == 8 && !reg.wide()) {
    error(operand.place, fmt::format("the destination must be a 64-bit register for .{}", isa::name_of(type)));
  }
  return reg;
}

Operand Lowerer::source(const ptx::Operand& operand, Type type) {
  const bool wide = isa::size_of(type) == 8;
  switch (operand.kind) {
    case Kind::reg: {
      const Operand reg = register_of(operand);
      if ((type == Type::pred) != (reg.kind == Operand::Kind::predicate)) {
        error(operand.place,
              type == Type::pred ? "a predicate is needed here" : "a predicate cannot be used as a value here");
        return immediate_operand(0, wide);
      }
      if (wide && !reg.wide())
        error(operand.place, fmt::format("a 64-bit register is needed for .{}", isa::name_of(type)));
      return reg;
    }
    case Kind::integer:
    case Kind::real32:
    case Kind::real64:
      return immediate_operand(constant_bits(operand, type), wide);
    case Kind::variable:
      return variable_address(operand, wide);
    case Kind::function: {
      if (!module_.functions[operand.index].has_body) {
        error(operand.place, fmt::format("'{}' is declared but not defined in this module: it has no address",
                                         module_.functions[operand.index].name));
        return immediate_operand(0, wide);
      }
      // The code address is known when all functions are placed: see compile.cpp.
      Operand value = immediate_operand(0, wide);
      value.index = operand.index + 1;
      return value;
    }
    case Kind::special: {
      if (operand.special == ptx::SpecialRegister::cluster_nctaid ||
          operand.special == ptx::SpecialRegister::cluster_nctarank) {
        return immediate_operand(1, wide);
      }
      const isa::SpecialRegister special = special_register(operand);
      isa::Instruction read;
      read.op = Opcode::s2r;
      read.special = special;
      read.type = wide ? Type::u64 : Type::u32;
      read.dst[0] = temporary(read.type);
      read.line = operand.place.line;
      emit(read);
      return read.dst[0];
    }
    default:
      error(operand.place, "a register or a constant is needed here");
      return immediate_operand(0, wide);
  }
}

Operand Lowerer::predicate_source(const ptx::Operand& operand) {
  if (operand.kind == Kind::integer) {
    Operand constant = immediate_operand(operand.bits != 0 ? 1 : 0, false);
    constant.negated = operand.negated;
    return constant;
  }
  Operand reg = source(operand, Type::pred);
  reg.negated = operand.negated;
  return reg;
}

Operand Lowerer::frame_base() {
  if (out_.function.is_entry) return {};
  return register_operand(RegisterClass::gpr, out_.function.stack_pointer);
}

Operand Lowerer::variable_address(const ptx::Operand& operand, bool wide) {
  const ptx::Variable& variable = module_.variables[operand.index];
  const auto with_offset = [&](std::uint64_t address) {
    return immediate_operand(address + static_cast<std::uint64_t>(operand.offset), wide);
  };
  if (layout_.dynamic_shared[operand.index]) {
    if (function_.is_entry) return with_offset(layout_.static_shared[function_id_]);
    // A function's kernel decides where the dynamic part begins: the launcher leaves it in the constant bank.
    isa::Instruction add;
    add.op = Opcode::iadd;
    add.type = wide ? Type::u64 : Type::u32;
    add.dst[0] = temporary(add.type);
    add.src[0].kind = wide ? Operand::Kind::constant_wide : Operand::Kind::constant;
    add.src[0].index = kDynamicSharedSlot;
    add.src[1] = with_offset(0);
    add.line = operand.place.line;
    emit(add);
    return add.dst[0];
  }
  if (layout_.address[operand.index] != kUnplaced) return with_offset(layout_.address[operand.index]);
  if (const auto at = bank_offset_.find(operand.index); at != bank_offset_.end())
    return with_offset(kParameterBase + at->second);
  if (const auto at = frame_offset_.find(operand.index); at != frame_offset_.end()) {
    const Operand base = frame_base();
    if (!base.exists()) return with_offset(at->second);
    isa::Instruction add;
    add.op = Opcode::iadd;
    add.type = Type::u32;
    add.dst[0] = temporary(Type::u32);
    add.src[0] = base;
    add.src[1] = immediate_operand(at->second + static_cast<std::uint64_t>(operand.offset), false);
    add.line = operand.place.line;
    emit(add);
    if (!wide) return add.dst[0];
    isa::Instruction widen;
    widen.op = Opcode::cvt;
    widen.type = Type::u64;
    widen.source_type = Type::u32;
    widen.dst[0] = temporary(Type::u64);
    widen.src[0] = add.dst[0];
    widen.line = operand.place.line;
    emit(widen);
    return widen.dst[0];
  }
  error(operand.place,
        fmt::format("the address of '{}' (.{}) cannot be used here", variable.name, name_of(variable.space)));
  return immediate_operand(0, wide);
}

void Lowerer::address(const ptx::Operand& operand, isa::Instruction& into) {
  if (operand.kind != Kind::address) {
    error(operand.place, "an address in brackets is needed here");
    return;
  }
  into.offset = operand.offset;
  switch (operand.base) {
    case ptx::Operand::Base::reg: {
      ptx::Operand base = operand;
      base.kind = Kind::reg;
      into.src[0] = register_of(base);
      if (into.src[0].kind == Operand::Kind::predicate) error(operand.place, "a predicate cannot be an address");
      break;
    }
    case ptx::Operand::Base::constant:
      into.src[0] = {};
      break;
    case ptx::Operand::Base::variable: {
      const bool is_local = module_.variables[operand.index].space == ptx::Space::local;
      if (const auto at = frame_offset_.find(operand.index);
          at != frame_offset_.end() && is_local && into.space == isa::Space::local) {
        into.src[0] = frame_base();
        into.offset += static_cast<std::int64_t>(at->second);
        break;
      }
      const Operand value = variable_address(operand, true);
      into.offset = 0;
      if (value.kind == Operand::Kind::immediate_wide) {
        into.src[0] = {};
        into.offset = static_cast<std::int64_t>(value.value);
        // A generic access names a variable of a windowed space by its place in that space.
        if (into.space == isa::Space::generic) {
          const ptx::Space space = module_.variables[operand.index].space;
          if (space == ptx::Space::shared) into.space = isa::Space::shared;
          if (space == ptx::Space::local) into.space = isa::Space::local;
        }
      } else {
        into.src[0] = value;
        if (into.space == isa::Space::generic) into.space = is_local ? isa::Space::local : isa::Space::shared;
      }
      break;
    }
    case ptx::Operand::Base::none:
      error(operand.place, "the address is empty");
      break;
  }
}

}  // namespace heddle::compile
