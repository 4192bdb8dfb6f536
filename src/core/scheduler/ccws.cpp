// Cache-conscious wavefront scheduling, CCWS (Rogers et al., MICRO 2012; Pichai, section 4.1): 16 victim tags in 8 ways
// for each warp; loads of warps beyond the cutoff are held back.
#include "core/scheduler/cache_conscious.h"

namespace heddle::core {
namespace {

class Ccws final : public CacheConscious {
 public:
  struct Parameters : LostLocalityParameters {
    Parameters(sim::ParameterGroup& parent, std::string key, std::string text)
        : LostLocalityParameters(parent, std::move(key), std::move(text), 16) {}
  };
  Ccws(const sim::Context& context, const SchedulerSetup& setup)
      : CacheConscious(context, context.parameters<Parameters>(), setup, {}) {}
};

[[maybe_unused]] const bool kRegisteredCcws = SchedulerRegistry::instance().add<Ccws>(
    "ccws", "Cache-conscious: warps that lose most of what they bring to the L1 may load, others wait.");

}  // namespace
}  // namespace heddle::core
