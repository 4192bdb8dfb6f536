// Which declaration a name means, by PTX's scoping: blocks nest, inner names hide outer ones.
//
// A name is interned once; each name holds a chain of its visible declarations, innermost first, so a lookup costs one
// hash whatever the nesting. A register range (`%r<100>`) is one entry under its prefix: its members become
// declarations when they are first used.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/interner.h"
#include "ptx/module.h"

namespace heddle::ptx {

struct Declaration {
  enum class Kind : std::uint8_t { reg, special, variable, function, label, prototype, targets };
  Kind kind = Kind::reg;
  std::uint32_t index = 0;  ///< register, row of special_registers(), symbol, function, label, ...
  SourcePlace place;
};

struct RegisterRange {
  ScalarType type = ScalarType::none;
  std::uint8_t vector = 1;
  std::uint32_t count = 0;
  SourcePlace place;
};

class NameTable {
 public:
  NameTable();

  [[nodiscard]] NameId intern(std::string_view text);
  [[nodiscard]] std::string_view text_of(NameId name) const { return ids_.text_of(name); }

  void open_scope();
  /// Forgets the scope's names. Calls `duplicate(text, place)` for each register that a range of the scope covers too.
  template <typename Function>
  void close_scope(Function&& duplicate) {
    for (const Clash& clash : end_scope()) duplicate(text_of(clash.name), clash.place);
  }

  /// The declaration a name means here, or null. A range that has it must be asked for with `find_in_range` first.
  [[nodiscard]] const Declaration* find(NameId name) const;
  /// The declaration of this name in the current scope, or null.
  [[nodiscard]] const Declaration* find_in_current_scope(NameId name) const;
  /// Declares a name in the current scope, where it must not be declared yet (specials may be hidden anywhere).
  void declare(NameId name, Declaration declaration);

  /// The range that declares `name` more closely than any declaration that `find` knows; null if none does.
  [[nodiscard]] const RegisterRange* find_in_range(NameId name) const;
  /// Makes `name` a declaration of the scope whose range it was just found in.
  void declare_from_range(NameId name, std::uint32_t register_index);
  /// False if the current scope has a range with this prefix already.
  [[nodiscard]] bool declare_range(NameId prefix, const RegisterRange& range);

  /// For a name that means nothing: " (…)" with the range it falls out of or the nearest visible name, or "".
  [[nodiscard]] std::string hint(std::string_view text) const;

 private:
  static constexpr std::uint32_t kNone = 0xffffffffu;

  struct Name {
    std::uint32_t declaration = kNone;  ///< innermost, index into declarations_
    std::uint32_t range = kNone;        ///< innermost range with this prefix, index into ranges_
  };
  struct Entry {
    Declaration declaration;
    std::uint32_t depth = 0;
    std::uint32_t outer = kNone;
    bool from_range = false;
  };
  struct RangeEntry {
    RegisterRange range;
    std::uint32_t depth = 0;
    std::uint32_t outer = kNone;
  };
  struct Scope {
    std::vector<NameId> names;
    std::vector<NameId> prefixes;
    std::uint32_t deepest_range = 0;  ///< depth of the innermost scope, this or outside, that has a range; 0: none
  };
  struct Clash {
    NameId name;
    SourcePlace place;
  };

  [[nodiscard]] std::vector<Clash> end_scope();
  [[nodiscard]] std::uint32_t depth() const { return static_cast<std::uint32_t>(scopes_.size() - 1); }
  [[nodiscard]] std::uint32_t range_of(std::string_view text, std::uint32_t deeper_than) const;
  void push(NameId name, const Declaration& declaration, std::uint32_t depth, bool from_range);

  Interner ids_;
  std::vector<Name> names_;  ///< by NameId
  std::vector<Entry> declarations_;
  std::vector<RangeEntry> ranges_;
  std::vector<Scope> scopes_;
  std::uint64_t prefix_lengths_ = 0;  ///< bit n: some range has a prefix of n characters (63: or more)
};

}  // namespace heddle::ptx
