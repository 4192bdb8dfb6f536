#include "compile/layout.h"

#include <algorithm>
#include <set>

namespace heddle::compile {
namespace {

std::uint64_t alignment_of(const ptx::Variable& variable) { return std::max<std::uint32_t>(variable.align, 1); }

/// Adds to `found` the shared variables that a function's instructions name.
void collect_shared(const ptx::Module& module, const ptx::Operand& operand, std::set<ptx::SymbolId>& found) {
  const bool names_variable =
      operand.kind == ptx::Operand::Kind::variable ||
      (operand.kind == ptx::Operand::Kind::address && operand.base == ptx::Operand::Base::variable);
  if (names_variable && operand.index < module.variables.size() &&
      module.variables[operand.index].space == ptx::Space::shared) {
    found.insert(operand.index);
  }
  for (const ptx::Operand& element : operand.elements) collect_shared(module, element, found);
}

bool is_dynamic(const ptx::Variable& variable) {
  return variable.linkage == ptx::Linkage::extern_ || variable.size == 0;
}

/// Shared memory: what functions name comes first, at the same place in every kernel; then each kernel's own.
void place_shared(const ptx::Module& module, ModuleLayout& layout) {
  std::set<ptx::SymbolId> common;
  std::vector<std::set<ptx::SymbolId>> own(module.functions.size());
  for (std::size_t f = 0; f < module.functions.size(); ++f) {
    std::set<ptx::SymbolId>& into = module.functions[f].is_entry ? own[f] : common;
    for (const ptx::Instruction& instruction : module.functions[f].body) {
      for (const ptx::Operand& operand : instruction.operands) collect_shared(module, operand, into);
    }
  }
  // A module-scope variable may be named by several kernels: one place for all of them as well.
  std::set<ptx::SymbolId> seen;
  for (const auto& set : own) {
    for (const ptx::SymbolId symbol : set) {
      if (module.variables[symbol].owner == ptx::kNoId && !seen.insert(symbol).second) common.insert(symbol);
    }
  }
  std::uint64_t base = 0;
  const auto place = [&](ptx::SymbolId symbol, std::uint64_t& at) {
    const ptx::Variable& variable = module.variables[symbol];
    if (is_dynamic(variable)) {
      layout.dynamic_shared[symbol] = true;
      return;
    }
    at = align_up(at, alignment_of(variable));
    layout.address[symbol] = at;
    at += variable.size;
  };
  for (const ptx::SymbolId symbol : common) place(symbol, base);
  for (std::size_t f = 0; f < module.functions.size(); ++f) {
    std::uint64_t at = base;
    for (const ptx::SymbolId symbol : own[f]) {
      if (!common.contains(symbol)) place(symbol, at);
    }
    layout.static_shared[f] = static_cast<std::uint32_t>(std::min<std::uint64_t>(align_up(at, 16), 0xffffffffu));
  }
}

}  // namespace

ModuleLayout lay_out(const ptx::Module& module, std::uint64_t data_address, std::uint64_t managed_alignment) {
  ModuleLayout layout;
  layout.address.assign(module.variables.size(), kUnplaced);
  layout.dynamic_shared.assign(module.variables.size(), false);
  layout.static_shared.assign(module.functions.size(), 0);
  const auto place_data = [&](std::size_t i) {
    const ptx::Variable& variable = module.variables[i];
    layout.data_bytes = align_up(layout.data_bytes, std::max<std::uint64_t>(alignment_of(variable), 16));
    layout.address[i] = data_address + layout.data_bytes;
    layout.data.push_back({variable.name, layout.data_bytes, variable.size, variable.space == ptx::Space::const_});
    layout.data_bytes += variable.size;
  };
  const auto apart = [&](const ptx::Variable& variable) { return variable.managed && managed_alignment != 0; };
  bool any_apart = false;
  for (std::size_t i = 0; i < module.variables.size(); ++i) {
    const ptx::Variable& variable = module.variables[i];
    if (variable.space != ptx::Space::global && variable.space != ptx::Space::const_) continue;
    any_apart = any_apart || apart(variable);
    if (!apart(variable)) place_data(i);
  }
  if (any_apart) {
    layout.data_bytes = layout.managed_offset = align_up(layout.data_bytes, managed_alignment);
    for (std::size_t i = 0; i < module.variables.size(); ++i) {
      if (apart(module.variables[i]) && module.variables[i].space == ptx::Space::global) place_data(i);
    }
    layout.managed_bytes = layout.data_bytes - layout.managed_offset;
  }
  place_shared(module, layout);
  return layout;
}

std::uint64_t data_segment_bytes(const ptx::Module& module, std::uint64_t managed_alignment) {
  return lay_out(module, 0, managed_alignment).data_bytes;
}

CallLayout call_layout(const std::vector<const ptx::Variable*>& returns,
                       const std::vector<const ptx::Variable*>& parameters) {
  CallLayout layout;
  const auto place = [&](const ptx::Variable* variable) {
    layout.bytes = align_up(layout.bytes, alignment_of(*variable));
    const std::uint64_t offset = layout.bytes;
    layout.bytes += variable->size;
    return offset;
  };
  for (const ptx::Variable* variable : returns) layout.returns.push_back(place(variable));
  for (const ptx::Variable* variable : parameters) layout.parameters.push_back(place(variable));
  layout.bytes = align_up(layout.bytes, 16);
  return layout;
}

std::uint64_t parameter_bytes(const ptx::Module& module, const ptx::Function& kernel) {
  constexpr std::uint64_t kAbsurd = std::uint64_t{1} << 40;  // sizes stop counting here, so that no sum overflows
  std::uint64_t bytes = 0;
  for (const ptx::SymbolId symbol : kernel.parameters) {
    const ptx::Variable& variable = module.variables[symbol];
    bytes = align_up(bytes, alignment_of(variable)) + std::min<std::uint64_t>(variable.size, kAbsurd);
    if (bytes >= kAbsurd) return bytes;
  }
  return bytes;
}

std::vector<Parameter> kernel_parameters(const ptx::Module& module, const ptx::Function& kernel) {
  std::vector<Parameter> parameters;
  std::uint64_t offset = 0;
  for (const ptx::SymbolId symbol : kernel.parameters) {
    const ptx::Variable& variable = module.variables[symbol];
    offset = align_up(offset, alignment_of(variable));
    parameters.push_back({variable.name, static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(variable.size),
                          static_cast<std::uint32_t>(alignment_of(variable))});
    offset += variable.size;
  }
  return parameters;
}

}  // namespace heddle::compile
