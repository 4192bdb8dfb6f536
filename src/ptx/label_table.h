// Labels of one function: which one each reference means, decided when the scope it could be in ends.
//
// A label may be used before it stands, and an inner block's label hides an outer one even for uses before it, so no
// reference can be resolved at once. References of one name form a chain, newest first; a scope that ends takes from
// the chains of its own labels what was referred to inside it. Every reference is touched once.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ptx/module.h"
#include "ptx/name_table.h"

namespace heddle::ptx {

class LabelTable {
 public:
  /// What a label stands for: a place in the code, a call prototype or a list of targets.
  struct Target {
    Operand::Kind kind = Operand::Kind::none;
    std::uint32_t index = kNoId;
  };
  struct Reference {
    NameId name;
    SourcePlace place;
    Target target;  ///< kind none: no such label
    std::uint32_t previous;
  };

  void open_scope();
  void close_scope();
  void define(NameId name, Target target);
  /// Records a use; the number is the position in `references()`.
  [[nodiscard]] std::uint32_t refer(NameId name, SourcePlace place);

  [[nodiscard]] const std::vector<Reference>& references() const { return references_; }
  /// Forgets everything, for the next function.
  void clear();

 private:
  struct Definition {
    NameId name;
    Target target;
  };
  struct Scope {
    std::uint32_t first_reference;
    std::vector<Definition> definitions;
  };

  std::vector<Reference> references_;
  std::unordered_map<NameId, std::uint32_t> newest_;  ///< unresolved reference of each name
  std::vector<Scope> scopes_;
};

}  // namespace heddle::ptx
