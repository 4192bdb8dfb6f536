// Power et al., section 4.4: every access is translated on its own, and only its instruction waits.
#include "core/translation_policy.h"

namespace heddle::core {
namespace {

class Independent final : public TranslationPolicy {
 public:
  [[nodiscard]] TranslationRules rules() const override {
    return {.hits_under_walks = true, .misses_under_walks = true, .hits_go_on = true, .pages_go_on_alone = true};
  }
};

[[maybe_unused]] const bool kRegisteredIndependent = TranslationPolicyRegistry::instance().add<Independent>(
    "independent", "Every access is translated on its own; misses under misses.");

}  // namespace
}  // namespace heddle::core
