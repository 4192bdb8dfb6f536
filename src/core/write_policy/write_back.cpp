// Write-back, allocate on write: a store stays in the L1; dirty sectors go to the L2 when their line is replaced, at a
// fence that other SMs may observe, and at the end of the kernel. Nothing is fetched on a write: as in the L2 here, a
// written sector is valid as a whole, which is how hardware with byte masks behaves for timing.
#include "core/write_policy.h"

namespace heddle::core {
namespace {

class WriteBack final : public WritePolicy {
 public:
  [[nodiscard]] StoreAction store(const StoreQuestion& question) const override {
    return question.around ? StoreAction::forward : StoreAction::keep;
  }
};

[[maybe_unused]] const bool kRegisteredWriteBack =
    WritePolicyRegistry::instance().add<WriteBack>("write-back", "Keep dirty data in the L1, taking a line for it.");

}  // namespace
}  // namespace heddle::core
