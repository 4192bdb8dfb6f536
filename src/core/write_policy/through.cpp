// Write-through, no allocate: every store writes to the L2; a copy in the L1 is updated.
#include "core/write_policy.h"

namespace heddle::core {
namespace {

class Through final : public WritePolicy {
 public:
  [[nodiscard]] StoreAction store(const StoreQuestion& /*question*/) const override { return StoreAction::forward; }
};

[[maybe_unused]] const bool kRegisteredThrough =
    WritePolicyRegistry::instance().add<Through>("through", "Write to the L2 and update the line if it is there.");

}  // namespace
}  // namespace heddle::core
