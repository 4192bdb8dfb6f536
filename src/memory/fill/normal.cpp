// Everything that is fetched is kept.
#include "memory/fill_policy.h"

namespace heddle::memory {
namespace {

class NormalFill final : public FillPolicy {
 public:
  [[nodiscard]] Fill admit(const Request&) override { return Fill::allocate; }
  void served(const Request&, bool) override {}
};

[[maybe_unused]] const bool kRegisteredNormalFill =
    FillPolicies::instance().add<NormalFill>("normal", "Everything that is fetched is kept.");

}  // namespace
}  // namespace heddle::memory
