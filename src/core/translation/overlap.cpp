// Pichai et al., section 3.3: hit under miss, and lines whose page hit go to the L1 while the others are walked.
#include "core/translation_policy.h"

namespace heddle::core {
namespace {

class Overlap final : public TranslationPolicy {
 public:
  [[nodiscard]] TranslationRules rules() const override { return {.hits_under_walks = true, .hits_go_on = true}; }
};

[[maybe_unused]] const bool kRegisteredOverlap = TranslationPolicyRegistry::instance().add<Overlap>(
    "overlap", "Hit under miss; lines whose page hit go to the L1 while other pages of the instruction are walked.");

}  // namespace
}  // namespace heddle::core
