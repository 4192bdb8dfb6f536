// Whether a module keeps what module.h promises: every index in range, every part that must be there, there.
#pragma once

#include <string>

#include "ptx/module.h"

namespace heddle::ptx {

/// What is wrong with an operand of `function`, or "".
inline std::string inconsistency_of(const Operand& operand, const Function& function, const Module& module) {
  const auto in = [&](const auto& table) { return operand.index < table.size(); };
  bool good = true;
  switch (operand.kind) {
    case Operand::Kind::none:
      return "an operand has no kind";
    case Operand::Kind::reg:
      good = in(function.registers);
      break;
    case Operand::Kind::variable:
      good = in(module.variables);
      break;
    case Operand::Kind::function:
      good = in(module.functions);
      break;
    case Operand::Kind::label:
      good = in(function.labels);
      break;
    case Operand::Kind::prototype:
      good = in(function.prototypes);
      break;
    case Operand::Kind::targets:
      good = in(function.target_lists);
      break;
    case Operand::Kind::address:
      if (operand.base == Operand::Base::none) return "an address has no base";
      if (operand.base == Operand::Base::reg) good = in(function.registers);
      if (operand.base == Operand::Base::variable) good = in(module.variables);
      break;
    default:
      break;
  }
  if (!good) return "an index is out of range";
  const bool has_register = operand.kind == Operand::Kind::reg ||
                            (operand.kind == Operand::Kind::address && operand.base == Operand::Base::reg);
  if (has_register && operand.component >= function.registers[operand.index].vector) return "no such component";
  for (const Operand& element : operand.elements) {
    if (std::string problem = inconsistency_of(element, function, module); !problem.empty()) return problem;
  }
  return "";
}

inline std::string inconsistency_of(const Function& function, const Module& module) {
  if (function.parameters.size() != function.parameter_registers.size() ||
      function.returns.size() != function.return_registers.size()) {
    return "the registers of a signature are not parallel to it";
  }
  for (const auto* symbols : {&function.parameters, &function.returns, &function.locals}) {
    for (const SymbolId symbol : *symbols) {
      if (symbol >= module.variables.size() || module.functions.data() + module.variables[symbol].owner != &function) {
        return "a variable does not know its function";
      }
    }
  }
  for (const Label& label : function.labels) {
    if (label.position > function.body.size()) return "a label stands outside its body";
  }
  for (const TargetList& list : function.target_lists) {
    for (const LabelId label : list.labels) {
      if (label >= function.labels.size()) return "a branch target is no label";
    }
    for (const FunctionId target : list.functions) {
      if (target >= module.functions.size()) return "a call target is no function";
    }
  }
  for (const Instruction& instruction : function.body) {
    if (instruction.guard && instruction.guard->reg >= function.registers.size()) return "a guard is no register";
    if (instruction.opcode == "call" && instruction.operands.size() < 3) return "a call lacks operands";
    for (const Operand& operand : instruction.operands) {
      if (std::string problem = inconsistency_of(operand, function, module); !problem.empty()) return problem;
    }
  }
  return "";
}

inline std::string inconsistency_of(const Module& module) {
  for (const Variable& variable : module.variables) {
    if (variable.initial.size() > variable.size) return "more initial bytes than the variable has";
    if (variable.align == 0 || (variable.align & (variable.align - 1)) != 0) return "an alignment is no power of two";
    for (const Relocation& relocation : variable.relocations) {
      if (relocation.symbol >= (relocation.is_function ? module.functions.size() : module.variables.size())) {
        return "a relocation names nothing";
      }
      if (relocation.offset + relocation.size > variable.size) return "a relocation lies outside its variable";
    }
  }
  for (const Function& function : module.functions) {
    if (std::string problem = inconsistency_of(function, module); !problem.empty())
      return problem + " in " + function.name;
  }
  return "";
}

}  // namespace heddle::ptx
