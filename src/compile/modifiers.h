// Reads an instruction's dotted modifiers. Each lowering takes what its instruction allows; what nobody took is an
// error that points at it. So a modifier is never silently ignored.
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "isa/instruction.h"
#include "ptx/module.h"

namespace heddle::compile {

class Modifiers {
 public:
  Modifiers(const ptx::Instruction& instruction, Diagnostics& diagnostics)
      : instruction_(instruction), diagnostics_(diagnostics), taken_(instruction.modifiers.size(), false) {}

  /// Takes the modifier if it is there.
  bool take(std::string_view text);
  /// Takes the first modifier that starts with `prefix`.
  bool take_prefix(std::string_view prefix);
  [[nodiscard]] bool has(std::string_view text) const;

  /// Takes the first one of the table's names that is there.
  template <typename Value>
  std::optional<Value> take_from(std::initializer_list<std::pair<std::string_view, Value>> table) {
    for (std::size_t i = 0; i < taken_.size(); ++i) {
      if (taken_[i]) continue;
      for (const auto& [text, value] : table) {
        if (instruction_.modifiers[i].text == text) {
          taken_[i] = true;
          return value;
        }
      }
    }
    return std::nullopt;
  }

  /// Takes the next type (`.u32`); reports an error and returns none if there is no type the machine has.
  isa::Type type();
  [[nodiscard]] bool has_type() const;
  std::optional<isa::Rounding> rounding();
  isa::Scope scope();
  std::optional<isa::Space> space();
  /// `.v2`, `.v4`; 1 if absent.
  unsigned vector();

  /// Reports every modifier that was not taken.
  void finish();

 private:
  const ptx::Instruction& instruction_;
  Diagnostics& diagnostics_;
  std::vector<bool> taken_;
};

[[nodiscard]] isa::Type machine_type(ptx::ScalarType type);

}  // namespace heddle::compile
