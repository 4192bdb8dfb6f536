// A CPU-style TLB (Pichai et al., section 3.2): while a walk is under way it takes no lookups.
#include "core/translation_policy.h"

namespace heddle::core {
namespace {

class Blocking final : public TranslationPolicy {
 public:
  [[nodiscard]] TranslationRules rules() const override { return {}; }
};

[[maybe_unused]] const bool kRegisteredBlocking = TranslationPolicyRegistry::instance().add<Blocking>(
    "blocking", "While a walk is under way, no instruction looks anything up.");

}  // namespace
}  // namespace heddle::core
