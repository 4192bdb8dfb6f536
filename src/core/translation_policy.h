// Plug point: what an SM's TLB lets go on while page walks are under way.
//
// A policy answers four questions; the translation unit (core/translation_unit.h) does the rest. It is asked once.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/registry.h"

namespace heddle::core {

struct TranslationRules {
  bool hits_under_walks = false;    ///< an instruction whose pages all hit may use the TLB while walks are under way
  bool misses_under_walks = false;  ///< one with a page that misses may, too
  bool hits_go_on = false;          ///< lines whose page hit go to the L1 while other pages of the instruction miss
  bool pages_go_on_alone = false;   ///< lines of a page go on when its walk has ended, not when all walks have
};

class TranslationPolicy {
 public:
  virtual ~TranslationPolicy() = default;
  [[nodiscard]] virtual TranslationRules rules() const = 0;
};

using TranslationPolicyRegistry = sim::Registry<TranslationPolicy>;

}  // namespace heddle::core
