#include "ptx/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace heddle::ptx {
namespace {

/// Adds to every symbol and function number of a module.
class Shift {
 public:
  Shift(std::uint32_t symbols, std::uint32_t functions) : symbols_(symbols), functions_(functions) {}

  void apply(Module& module) const {
    for (Variable& variable : module.variables) {
      if (variable.owner != kNoId) variable.owner += functions_;
      for (Relocation& relocation : variable.relocations) {
        if (relocation.symbol != kNoId) relocation.symbol += relocation.is_function ? functions_ : symbols_;
      }
    }
    for (Function& function : module.functions) {
      for (auto* ids : {&function.returns, &function.parameters, &function.locals}) {
        for (SymbolId& id : *ids) {
          if (id != kNoId) id += symbols_;
        }
      }
      for (TargetList& list : function.target_lists) {
        for (FunctionId& id : list.functions) id += functions_;
      }
      for (Instruction& instruction : function.body) {
        for (Operand& operand : instruction.operands) apply(operand);
      }
    }
  }

 private:
  void apply(Operand& operand) const {
    if (operand.index != kNoId) {
      if (operand.kind == Operand::Kind::function) operand.index += functions_;
      if (operand.kind == Operand::Kind::variable) operand.index += symbols_;
      if (operand.kind == Operand::Kind::address && operand.base == Operand::Base::variable) operand.index += symbols_;
    }
    for (Operand& element : operand.elements) apply(element);
  }

  std::uint32_t symbols_;
  std::uint32_t functions_;
};

/// Replaces symbol and function numbers by those of the definitions.
class Redirect {
 public:
  std::vector<std::uint32_t> symbols;
  std::vector<std::uint32_t> functions;

  void apply(Module& module) const {
    for (Variable& variable : module.variables) {
      for (Relocation& relocation : variable.relocations) {
        if (relocation.symbol == kNoId) continue;
        relocation.symbol = relocation.is_function ? functions[relocation.symbol] : symbols[relocation.symbol];
      }
    }
    for (Function& function : module.functions) {
      for (TargetList& list : function.target_lists) {
        for (FunctionId& id : list.functions) id = functions[id];
      }
      for (Instruction& instruction : function.body) {
        for (Operand& operand : instruction.operands) apply(operand);
      }
    }
  }

 private:
  void apply(Operand& operand) const {
    if (operand.index != kNoId) {
      if (operand.kind == Operand::Kind::function) operand.index = functions[operand.index];
      if (operand.kind == Operand::Kind::variable ||
          (operand.kind == Operand::Kind::address && operand.base == Operand::Base::variable))
        operand.index = symbols[operand.index];
    }
    for (Operand& element : operand.elements) apply(element);
  }
};

enum class Rank : std::uint8_t { declaration, weak, definition };

Rank rank_of(const Variable& variable) {
  if (variable.linkage == Linkage::extern_) return Rank::declaration;
  return variable.linkage == Linkage::visible ? Rank::definition : Rank::weak;
}
Rank rank_of(const Function& function) {
  if (!function.has_body) return Rank::declaration;
  return function.linkage == Linkage::weak ? Rank::weak : Rank::definition;
}

/// Which number each name shall mean; `mine` says whether something has a name that others may use.
template <typename Thing, typename Mine>
std::vector<std::uint32_t> choose(const std::vector<Thing>& things, Mine mine, Diagnostics& diagnostics) {
  std::map<std::string_view, std::uint32_t> chosen;
  for (std::uint32_t i = 0; i < things.size(); ++i) {
    if (!mine(things[i])) continue;
    const auto [place, is_new] = chosen.emplace(things[i].name, i);
    if (is_new) continue;
    const Rank before = rank_of(things[place->second]);
    const Rank now = rank_of(things[i]);
    if (before == Rank::definition && now == Rank::definition)
      diagnostics.error(things[i].place, fmt::format("'{}' is defined in two modules", things[i].name));
    if (now > before) place->second = i;
  }
  std::vector<std::uint32_t> result(things.size());
  for (std::uint32_t i = 0; i < things.size(); ++i) result[i] = mine(things[i]) ? chosen.at(things[i].name) : i;
  return result;
}

template <typename T>
void append(std::vector<T>& to, std::vector<T>& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

/// Instructions name files by their place in a list of their module: the lists become one.
void append_source_files(Module& all, Module& next) {
  const auto before = static_cast<std::uint32_t>(all.source_files.size());
  append(all.source_files, next.source_files);
  for (Function& function : next.functions) {
    for (Instruction& instruction : function.body) {
      if (instruction.source_line != 0) instruction.source_file += before;
    }
  }
}

}  // namespace

Module link(std::vector<Module> modules, Diagnostics& diagnostics) {
  Module all = std::move(modules.front());
  for (std::size_t m = 1; m < modules.size(); ++m) {
    Module& next = modules[m];
    Shift(static_cast<std::uint32_t>(all.variables.size()), static_cast<std::uint32_t>(all.functions.size()))
        .apply(next);
    append_source_files(all, next);
    append(all.variables, next.variables);
    append(all.functions, next.functions);
  }
  // Dynamic shared memory (`extern .shared`) is each kernel's own affair: all such names mean the same place anyway.
  const auto shared_symbol = [](const Variable& variable) {
    return variable.owner == kNoId && variable.linkage != Linkage::none && variable.space != Space::shared;
  };
  const auto shared_function = [](const Function& function) { return function.linkage != Linkage::none; };
  Redirect redirect;
  redirect.symbols = choose(all.variables, shared_symbol, diagnostics);
  redirect.functions = choose(all.functions, shared_function, diagnostics);
  redirect.apply(all);
  // What lost is not there any more: no place in memory, no code, not found by name.
  for (std::uint32_t i = 0; i < all.variables.size(); ++i) {
    if (redirect.symbols[i] == i) continue;
    all.variables[i].name.clear();
    all.variables[i].size = 0;
    all.variables[i].initial.clear();
    all.variables[i].relocations.clear();
  }
  for (std::uint32_t i = 0; i < all.functions.size(); ++i) {
    if (redirect.functions[i] == i) continue;
    all.functions[i].has_body = false;
    all.functions[i].body.clear();
    all.functions[i].labels.clear();
  }
  return all;
}

}  // namespace heddle::ptx
