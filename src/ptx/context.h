// What the parts of the parser share while one module is read.
//
// The parser is one recursive descent split by subject: module.cpp (what stands at module level), variables.cpp,
// initialisers.cpp, functions.cpp, statements.cpp, operands.cpp, calls.cpp, directives.cpp (debug data, pragmas).
// A parsing function returns false after it has reported an error; the nearest statement or directive resynchronises.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ptx/label_table.h"
#include "ptx/module.h"
#include "ptx/name_table.h"
#include "ptx/token_stream.h"

namespace heddle::ptx {

struct Context {
  Context(std::string_view text, Diagnostics& diagnostics)
      : tokens(text, diagnostics),
        text_size(text.size()),
        gap_budget(64 * text.size()),
        expansion_budget(text.size()) {}

  TokenStream tokens;
  NameTable names;
  LabelTable labels;
  Module module;
  std::size_t text_size;

  FunctionId function = kNoId;            ///< whose body is being read
  std::vector<std::uint32_t> unresolved;  ///< instructions of that body whose operands refer to labels
  std::uint32_t source_file = 0;          ///< of the last `.loc`
  std::uint32_t source_line = 0;
  std::vector<std::pair<FunctionId, FunctionId>> aliases;  ///< `.alias first, second`

  // Short text must not ask for much memory: what these run out of is refused.
  std::uint64_t gap_budget;        ///< zero bytes between the explicit values of initialisers
  std::uint64_t expansion_budget;  ///< variables and labels written as name<count>

  std::size_t hints_given = 0;
  std::deque<std::string> made_names;  ///< names that are not in the text: the members of name<count>

  [[nodiscard]] Function& current_function() { return module.functions[function]; }

  /// Declares a name in the current scope; reports and refuses a second declaration there.
  bool declare(const Token& name, Declaration::Kind kind, std::uint32_t index);
  /// The declaration that a name means here, or null without a message. Creates the register if it is one of a range.
  [[nodiscard]] const Declaration* find(NameId name);
  /// " (did you mean 'x'?)" for the first mistakes of a module, "" when there have been many.
  [[nodiscard]] std::string hint(std::string_view name);
  /// Takes `count` from the budget for name<count>; false with a message when the text is too short for so many.
  bool expand(SourcePlace place, std::uint64_t count);
  void close_scope();
};

}  // namespace heddle::ptx
