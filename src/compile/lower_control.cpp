// Lowering of control flow and calls (PTX ISA, "Control Flow", "Abstracting the ABI").
//
// The machine's calling convention: arguments and results are at the start of the callee's frame in local memory,
// which begins where the caller's frame ends. The stack pointer (R1) is the address of the running function's frame;
// a kernel's frame is at 0. The caller saves what it needs after the call: see save_around_calls.cpp.
#include <fmt/format.h>

#include "compile/lower.h"

namespace heddle::compile {

using isa::Opcode;
using isa::Operand;
using isa::Space;
using isa::Type;
using Kind = ptx::Operand::Kind;

const Lowerer::Table& Lowerer::control_table() {
  static const Table table = {
      {"bra", &Lowerer::lower_bra},
      {"brx", &Lowerer::lower_brx},
      {"call", &Lowerer::lower_call},
      {"ret", &Lowerer::lower_ret},
      {"exit", &Lowerer::lower_simple},
      {"trap", &Lowerer::lower_simple},
      {"brkpt", &Lowerer::lower_simple},
      {"pmevent", &Lowerer::lower_simple},
      {"griddepcontrol", &Lowerer::lower_simple},
      {"nanosleep", &Lowerer::lower_nanosleep},
  };
  return table;
}

void Lowerer::lower_bra(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  isa::Instruction i = make(Opcode::bra, p);
  i.uniform = m.take("uni");
  m.finish();
  if (!expect_operands(p, 1, 1)) return;
  if (p.operands[0].kind != Kind::label) return error(p.operands[0].place, "a branch needs a label");
  i.target = p.operands[0].index;
  emit(i);
}

void Lowerer::lower_brx(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  isa::Instruction i = make(Opcode::brx, p);
  m.take("idx");
  i.uniform = m.take("uni");
  m.finish();
  if (!expect_operands(p, 2, 2)) return;
  if (p.operands[1].kind != Kind::targets) return error(p.operands[1].place, "brx.idx needs a .branchtargets list");
  i.src[0] = source(p.operands[0], Type::u32);
  i.target = p.operands[1].index;
  if (function_.target_lists[i.target].labels.empty())
    return error(p.operands[1].place, "the list of branch targets is empty");
  emit(i);
}

void Lowerer::lower_ret(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  isa::Instruction i = make(function_.is_entry ? Opcode::exit : Opcode::ret, p);
  i.uniform = m.take("uni");
  m.finish();
  if (!function_.is_entry) {
    for (std::size_t r = 0; r < function_.return_registers.size(); ++r) {
      const ptx::RegisterId reg = function_.return_registers[r];
      if (reg == ptx::kNoId) continue;
      isa::Instruction store = make(Opcode::st, p);
      store.space = Space::local;
      store.type = machine_type(function_.registers[reg].type);
      store.src[0] = frame_base();
      store.src[1] = register_operand(isa::size_of(store.type) == 8 ? RegisterClass::pair : RegisterClass::gpr,
                                      first_register_[reg]);
      store.offset = static_cast<std::int64_t>(frame_offset_[function_.returns[r]]);
      emit(store);
    }
  }
  emit(i);
}

void Lowerer::lower_simple(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  if (p.opcode == "exit") {
    m.finish();
    return emit(make(Opcode::exit, p));
  }
  if (p.opcode == "trap" || p.opcode == "brkpt") {
    m.finish();
    return emit(make(Opcode::trap, p));
  }
  // pmevent and griddepcontrol have no effect on what a program computes here.
  emit(make(Opcode::nop, p));
}

void Lowerer::lower_nanosleep(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  isa::Instruction i = make(Opcode::nanosleep, p);
  i.type = m.type();
  m.finish();
  if (!expect_operands(p, 1, 1)) return;
  i.src[0] = source(p.operands[0], Type::u32);
  emit(i);
}

bool Lowerer::lower_system_call(const ptx::Instruction& p, const ptx::Function& callee) {
  struct Row {
    std::string_view name;
    isa::SystemCall call;
    std::size_t arguments;
  };
  static constexpr Row kCalls[] = {
      {"vprintf", isa::SystemCall::vprintf, 2},
      {"malloc", isa::SystemCall::malloc, 1},
      {"free", isa::SystemCall::free, 1},
      {"__assertfail", isa::SystemCall::assertfail, 5},
  };
  for (const Row& row : kCalls) {
    if (callee.name != row.name) continue;
    isa::Instruction i = make(Opcode::syscall, p);
    i.system_call = row.call;
    const auto& arguments = p.operands[2].elements;
    if (arguments.size() != row.arguments) {
      unsupported(p, fmt::format("{} takes {} arguments", row.name, row.arguments));
      return true;
    }
    for (std::size_t a = 0; a < arguments.size(); ++a) {
      if (arguments[a].kind == Kind::variable) {
        const ptx::Variable& variable = module_.variables[arguments[a].index];
        i.src[a] = parameter_piece(arguments[a].index, 0, variable.size == 8 ? Type::b64 : Type::b32);
      } else {
        i.src[a] = source(arguments[a], row.call == isa::SystemCall::assertfail && a == 2 ? Type::b32 : Type::b64);
      }
    }
    const auto& returns = p.operands[0].elements;
    if (!returns.empty()) {
      const bool wide = row.call == isa::SystemCall::malloc;
      i.type = wide ? Type::b64 : Type::b32;
      i.dst[0] = returns[0].kind == Kind::variable ? parameter_piece(returns[0].index, 0, i.type)
                                                   : destination(returns[0], i.type);
    }
    emit(i);
    return true;
  }
  return false;
}

void Lowerer::lower_call(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  m.take("uni");
  m.finish();
  if (p.operands.size() < 3) return unsupported(p, "the call is incomplete");
  std::vector<const ptx::Variable*> returns;
  std::vector<const ptx::Variable*> parameters;
  const ptx::Operand& target = p.operands[1];
  if (target.kind == Kind::function) {
    const ptx::Function& callee = module_.functions[target.index];
    if (callee.is_entry) return unsupported(p, fmt::format("'{}' is a kernel and cannot be called", callee.name));
    if (!callee.has_body) {
      if (lower_system_call(p, callee)) return;
      return unsupported(p, fmt::format("'{}' is declared but not defined in this module", callee.name));
    }
    for (const ptx::SymbolId s : callee.returns) returns.push_back(&module_.variables[s]);
    for (const ptx::SymbolId s : callee.parameters) parameters.push_back(&module_.variables[s]);
    return lower_call_abi(p, returns, parameters, target.index);
  }
  if (p.operands.size() < 4) return unsupported(p, "an indirect call needs a prototype or a list of targets");
  const ptx::Operand& kind = p.operands[3];
  if (kind.kind == Kind::prototype) {
    const ptx::Prototype& prototype = function_.prototypes[kind.index];
    for (const ptx::Variable& v : prototype.returns) returns.push_back(&v);
    for (const ptx::Variable& v : prototype.parameters) parameters.push_back(&v);
  } else if (kind.kind == Kind::targets && !function_.target_lists[kind.index].functions.empty()) {
    const ptx::Function& callee = module_.functions[function_.target_lists[kind.index].functions[0]];
    for (const ptx::SymbolId s : callee.returns) returns.push_back(&module_.variables[s]);
    for (const ptx::SymbolId s : callee.parameters) parameters.push_back(&module_.variables[s]);
  } else {
    return error(kind.place, "an indirect call needs a prototype or a list of targets");
  }
  lower_call_abi(p, returns, parameters, ptx::kNoId);
}

void Lowerer::lower_call_abi(const ptx::Instruction& p, const std::vector<const ptx::Variable*>& returns,
                             const std::vector<const ptx::Variable*>& parameters, std::uint32_t direct_target) {
  MachineFunction& f = out_.function;
  const auto& result_operands = p.operands[0].elements;
  const auto& argument_operands = p.operands[2].elements;
  if (result_operands.size() != returns.size() || argument_operands.size() != parameters.size()) {
    return error(p.place,
                 fmt::format("the call passes {} arguments and takes {} results; the function has {} and {}",
                             argument_operands.size(), result_operands.size(), parameters.size(), returns.size()));
  }
  const CallLayout layout = call_layout(returns, parameters);
  f.outgoing_bytes = std::max(f.outgoing_bytes, layout.bytes);
  f.makes_calls = true;
  const auto frame_access = [&](Opcode op, std::uint64_t offset, Type type) {
    isa::Instruction i = make(op, p);
    i.space = Space::local;
    i.type = type;
    i.src[0] = frame_base();
    i.offset = static_cast<std::int64_t>(offset);
    i.immediate = kFromFrameEnd;
    return i;
  };
  for (std::size_t a = 0; a < parameters.size(); ++a) {
    const ptx::Operand& argument = argument_operands[a];
    if (argument.kind == Kind::variable && module_.variables[argument.index].space == ptx::Space::param) {
      // Send every piece that was stored so far.
      for (auto piece = pieces_.lower_bound({argument.index, 0});
           piece != pieces_.end() && piece->first.first == argument.index; ++piece) {
        isa::Instruction store =
            frame_access(Opcode::st, layout.parameters[a] + piece->first.second, piece->second.type);
        store.src[1] = parameter_piece(argument.index, piece->first.second, piece->second.type);
        emit(store);
      }
    } else {
      const Type type = machine_type(parameters[a]->type);
      isa::Instruction store = frame_access(Opcode::st, layout.parameters[a], type);
      store.src[1] = source(argument, type);
      emit(store);
    }
  }
  // R1 = the callee's frame; callees leave it as it was.
  isa::Instruction push = make(f.is_entry ? Opcode::mov : Opcode::iadd, p);
  if (f.stack_pointer == isa::kNoRegister) f.stack_pointer = f.new_register(RegisterClass::gpr);
  const Operand stack = register_operand(RegisterClass::gpr, f.stack_pointer);
  push.type = Type::u32;
  push.guard = {};  // harmless for lanes that do not call, and the callee may use the guard's register
  push.immediate = kFromFrameEnd;
  push.dst[0] = stack;
  push.src[f.is_entry ? 0 : 1] = immediate_operand(0, false);
  if (!f.is_entry) push.src[0] = stack;
  emit(push);

  isa::Instruction call = make(direct_target != ptx::kNoId ? Opcode::call : Opcode::callx, p);
  if (direct_target != ptx::kNoId) {
    call.target = direct_target;
  } else {
    call.src[0] = source(p.operands[1], Type::b64);
  }
  call.src[1] = stack;  // the callee reads it
  emit(call);

  if (!f.is_entry) {
    isa::Instruction pop = push;
    pop.op = Opcode::isub;
    emit(pop);
  }
  for (std::size_t r = 0; r < returns.size(); ++r) {
    const ptx::Operand& result = result_operands[r];
    const ptx::Variable& variable = *returns[r];
    if (result.kind == Kind::sink) continue;
    const bool is_param = result.kind == Kind::variable;
    // A result is loaded in the pieces in which the body reads it; those are found by looking ahead.
    if (!is_param) {
      const Type type = machine_type(variable.type);
      isa::Instruction load = frame_access(Opcode::ld, layout.returns[r], type);
      load.dst[0] = destination(result, type);
      emit(load);
      continue;
    }
    for (const ptx::Instruction& later : function_.body) {
      if (later.opcode != "ld" || later.operands.size() < 2) continue;
      const ptx::Operand& from = later.operands[1];
      if (from.kind != Kind::address || from.base != ptx::Operand::Base::variable || from.index != result.index)
        continue;
      Diagnostics ignored("");
      Modifiers lm(later, ignored);
      const unsigned vector = lm.vector();
      const Type type = lm.type();
      if (type == Type::none || from.offset < 0) continue;
      for (unsigned e = 0; e < vector; ++e) {
        const std::uint64_t offset = static_cast<std::uint64_t>(from.offset) + e * isa::size_of(type);
        isa::Instruction load = frame_access(Opcode::ld, layout.returns[r] + offset, type);
        load.dst[0] = parameter_piece(result.index, offset, type);
        emit(load);
      }
    }
  }
}

}  // namespace heddle::compile
