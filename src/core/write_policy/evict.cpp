// Write-evict, no allocate: a global store writes to the L2 and its line leaves the L1. Local memory is written
// through, because its copies cannot be stale.
#include "core/write_policy.h"

namespace heddle::core {
namespace {

class Evict final : public WritePolicy {
 public:
  [[nodiscard]] StoreAction store(const StoreQuestion& question) const override {
    return question.local ? StoreAction::forward : StoreAction::forward_evict;
  }
};

[[maybe_unused]] const bool kRegisteredEvict =
    WritePolicyRegistry::instance().add<Evict>("evict", "Write to the L2 and drop the line.");

}  // namespace
}  // namespace heddle::core
