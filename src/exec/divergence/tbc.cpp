// Thread block compaction as it is: threads of a block are put together whatever pages they need.
#include "exec/divergence/compaction.h"

namespace heddle::exec {
namespace {

class TbcUnit final : public CompactionUnit {
 public:
  using Parameters = CompactionParameters;
  explicit TbcUnit(const sim::Context& context) : CompactionUnit(context, context.parameters<Parameters>()) {}
};

[[maybe_unused]] const bool kRegisteredTbc = DivergenceRegistry::instance().add<TbcUnit>(
    "tbc", "Thread block compaction: one stack for a block, whose threads are put into new warps where they diverge.");

}  // namespace
}  // namespace heddle::exec
