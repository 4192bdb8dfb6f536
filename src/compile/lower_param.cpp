// Lowering of the parameter space.
//
// Kernel parameters are in constant bank 0. A function's own parameters and returns are at the start of its frame in
// local memory. The `.param` variables that a caller declares around a call are only names for values in flight: each
// piece that is stored and loaded as a scalar becomes a virtual register, and goes to memory at the call.
#include <fmt/format.h>

#include "compile/lower.h"

namespace heddle::compile {

using isa::Opcode;
using isa::Operand;
using isa::Space;
using isa::Type;

void Lowerer::classify_call_parameters() {
  MachineFunction& f = out_.function;
  if (function_.is_entry) {
    const std::vector<Parameter> parameters = kernel_parameters(module_, function_);
    for (std::size_t i = 0; i < parameters.size(); ++i) bank_offset_[function_.parameters[i]] = parameters[i].offset;
  } else {
    std::vector<const ptx::Variable*> returns;
    std::vector<const ptx::Variable*> parameters;
    for (const ptx::SymbolId s : function_.returns) returns.push_back(&module_.variables[s]);
    for (const ptx::SymbolId s : function_.parameters) parameters.push_back(&module_.variables[s]);
    const CallLayout own = call_layout(returns, parameters);
    for (std::size_t i = 0; i < returns.size(); ++i) frame_offset_[function_.returns[i]] = own.returns[i];
    for (std::size_t i = 0; i < parameters.size(); ++i) frame_offset_[function_.parameters[i]] = own.parameters[i];
    f.frame_bytes = own.bytes;
    // Parameters in registers (`.func f(.reg .b32 a)`) arrive in the frame like all others.
    for (std::size_t i = 0; i < function_.parameter_registers.size(); ++i) {
      const ptx::RegisterId reg = function_.parameter_registers[i];
      if (reg == ptx::kNoId) continue;
      isa::Instruction load;
      load.op = Opcode::ld;
      load.space = Space::local;
      load.type = machine_type(function_.registers[reg].type);
      load.dst[0] = register_operand(isa::size_of(load.type) == 8 ? RegisterClass::pair : RegisterClass::gpr,
                                     first_register_[reg]);
      load.src[0] = frame_base();
      load.offset = static_cast<std::int64_t>(own.parameters[i]);
      load.line = function_.place.line;
      emit(load);
    }
  }
  for (const ptx::SymbolId symbol : function_.locals) {
    const ptx::Variable& variable = module_.variables[symbol];
    if (variable.space != ptx::Space::local) continue;
    f.frame_bytes = align_up(f.frame_bytes, std::max<std::uint64_t>(variable.align, 1));
    frame_offset_[symbol] = f.frame_bytes;
    f.frame_bytes += variable.size;
  }
  for (std::size_t s = 0; s < module_.variables.size(); ++s) {  // module-scope .local (PTX 1.x)
    const ptx::Variable& variable = module_.variables[s];
    if (variable.space != ptx::Space::local || variable.owner != ptx::kNoId) continue;
    f.frame_bytes = align_up(f.frame_bytes, std::max<std::uint64_t>(variable.align, 1));
    frame_offset_[static_cast<ptx::SymbolId>(s)] = f.frame_bytes;
    f.frame_bytes += variable.size;
  }
  f.frame_bytes = align_up(f.frame_bytes, 16);
  if (f.frame_bytes > (std::uint64_t{1} << 24))
    error(function_.place, fmt::format("'{}' needs {} bytes of local memory per thread; at most 16 MiB are possible",
                                       function_.name, f.frame_bytes));
}

Operand Lowerer::parameter_piece(ptx::SymbolId symbol, std::uint64_t offset, Type type) {
  const auto [at, is_new] = pieces_.try_emplace({symbol, offset});
  if (is_new) {
    const Operand reg = temporary(type == Type::pred ? Type::b32 : type);
    at->second = {reg.index, type};
    const auto overlaps = [&](const auto& low, const auto& high) {
      return low->first.first == symbol && high->first.first == symbol &&
             low->first.second + isa::size_of(low->second.type) > high->first.second;
    };
    const auto next = std::next(at);
    if ((next != pieces_.end() && overlaps(at, next)) || (at != pieces_.begin() && overlaps(std::prev(at), at))) {
      error(module_.variables[symbol].place,
            fmt::format("call parameter '{}' is stored and loaded with overlapping pieces, which is not supported",
                        module_.variables[symbol].name));
    }
  } else if (isa::size_of(at->second.type) != isa::size_of(type)) {
    error(module_.variables[symbol].place,
          fmt::format("call parameter '{}' is stored and loaded with different sizes, which is not supported",
                      module_.variables[symbol].name));
  }
  return register_operand(isa::size_of(at->second.type) == 8 ? RegisterClass::pair : RegisterClass::gpr,
                          at->second.reg);
}

void Lowerer::load_parameter(const ptx::Instruction& p, const isa::Instruction& load) {
  const ptx::Operand& from = p.operands[1];
  if (from.kind != ptx::Operand::Kind::address || from.base != ptx::Operand::Base::variable) {
    isa::Instruction i = load;
    // In a function, parameter addresses are addresses of its frame.
    i.space = function_.is_entry ? Space::param : Space::local;
    address(from, i);
    return emit(i);
  }
  const std::int64_t offset = from.offset;
  const ptx::Variable& variable = module_.variables[from.index];
  const std::uint64_t bytes = std::uint64_t{isa::size_of(load.type)} * load.vector;
  if (offset < 0 || static_cast<std::uint64_t>(offset) + bytes > variable.size) {
    return error(from.place, fmt::format("'{}' is {} bytes long: {} bytes at offset {} are outside", variable.name,
                                         variable.size, bytes, offset));
  }
  if (const auto at = bank_offset_.find(from.index); at != bank_offset_.end()) {
    const auto bank = static_cast<std::uint32_t>(kParameterBase + at->second + static_cast<std::uint64_t>(offset));
    if (isa::size_of(load.type) >= 4) {
      for (unsigned e = 0; e < load.vector; ++e) {
        isa::Instruction i = make(Opcode::mov, p);
        i.type = load.type;
        i.dst[0] = load.dst[e];
        const bool wide = isa::size_of(load.type) == 8;
        i.src[0].kind = wide ? Operand::Kind::constant_wide : Operand::Kind::constant;
        i.src[0].index = bank + e * isa::size_of(load.type);
        if (load.dst[e].wide() && !wide) {  // a 32-bit parameter into a 64-bit register
          i.op = Opcode::cvt;
          i.source_type = load.type;
          i.type = isa::is_signed(load.type) ? Type::s64 : Type::u64;
        }
        emit(i);
      }
      return;
    }
    isa::Instruction i = load;
    i.src[0] = {};
    i.offset = bank;
    return emit(i);
  }
  if (const auto at = frame_offset_.find(from.index); at != frame_offset_.end()) {
    isa::Instruction i = load;
    i.space = Space::local;
    i.src[0] = frame_base();
    i.offset = static_cast<std::int64_t>(at->second) + offset;
    return emit(i);
  }
  for (unsigned e = 0; e < load.vector; ++e) {
    isa::Instruction i = make(Opcode::cvt, p);
    i.source_type = load.type;
    i.type = load.type;
    i.dst[0] = load.dst[e];
    i.src[0] = parameter_piece(from.index, static_cast<std::uint64_t>(offset) + e * isa::size_of(load.type), load.type);
    const bool extends = isa::size_of(load.type) < 4 || load.dst[e].wide() != i.src[0].wide();
    if (!extends || isa::is_float(load.type)) i.op = Opcode::mov;
    if (extends && !isa::is_float(load.type)) {
      // An extending load: convert between integer types of the piece's and the register's size.
      const bool is_signed = isa::is_signed(load.type);
      const unsigned size = isa::size_of(load.type);
      i.source_type = size == 1   ? (is_signed ? Type::s8 : Type::u8)
                      : size == 2 ? (is_signed ? Type::s16 : Type::u16)
                                  : (is_signed ? Type::s32 : Type::u32);
      i.type = load.dst[e].wide() ? (is_signed ? Type::s64 : Type::u64) : (is_signed ? Type::s32 : Type::u32);
    }
    emit(i);
  }
}

void Lowerer::store_parameter(const ptx::Instruction& p, const isa::Instruction& store) {
  const ptx::Operand& to = p.operands[0];
  if (to.kind != ptx::Operand::Kind::address || to.base != ptx::Operand::Base::variable) {
    return unsupported(p, "a parameter is stored to by name");
  }
  const ptx::Variable& variable = module_.variables[to.index];
  const std::uint64_t bytes = std::uint64_t{isa::size_of(store.type)} * store.vector;
  if (to.offset < 0 || static_cast<std::uint64_t>(to.offset) + bytes > variable.size) {
    return error(to.place, fmt::format("'{}' is {} bytes long: {} bytes at offset {} are outside", variable.name,
                                       variable.size, bytes, to.offset));
  }
  if (bank_offset_.contains(to.index)) return unsupported(p, "kernel parameters cannot be stored to");
  if (const auto at = frame_offset_.find(to.index); at != frame_offset_.end()) {
    isa::Instruction i = store;
    i.space = Space::local;
    i.src[0] = frame_base();
    i.offset = static_cast<std::int64_t>(at->second) + to.offset;
    return emit(i);
  }
  for (unsigned e = 0; e < store.vector; ++e) {
    isa::Instruction i = make(Opcode::mov, p);
    i.type = store.type;
    i.dst[0] =
        parameter_piece(to.index, static_cast<std::uint64_t>(to.offset) + e * isa::size_of(store.type), store.type);
    i.src[0] = store.src[e + 1];
    if (i.src[0].wide() && !i.dst[0].wide()) {
      i.op = Opcode::cvt;
      i.type = Type::u32;
      i.source_type = Type::u32;
    }
    emit(i);
  }
}

}  // namespace heddle::compile
