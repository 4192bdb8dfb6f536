// Every translation that was walked for enters the TLB.
#include "vm/tlb_fill_policy.h"

namespace heddle::vm {
namespace {

class AllFill final : public TlbFillPolicy {
 public:
  [[nodiscard]] bool admit(std::span<const TranslationRequest> /*requests*/, const Mapping& /*mapping*/) override {
    return true;
  }
};

[[maybe_unused]] const bool kRegisteredAll =
    TlbFillPolicies::instance().add<AllFill>("all", "Every translation that was walked for enters the TLB.");

}  // namespace
}  // namespace heddle::vm
