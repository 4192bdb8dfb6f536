// Pichai et al., section 3.3: instructions whose pages all hit pass those that wait for walks.
#include "core/translation_policy.h"

namespace heddle::core {
namespace {

class HitUnderMiss final : public TranslationPolicy {
 public:
  [[nodiscard]] TranslationRules rules() const override { return {.hits_under_walks = true}; }
};

[[maybe_unused]] const bool kRegisteredHitUnderMiss = TranslationPolicyRegistry::instance().add<HitUnderMiss>(
    "hit-under-miss", "Instructions whose pages all hit pass those that wait for walks.");

}  // namespace
}  // namespace heddle::core
