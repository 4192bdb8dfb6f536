// TLB-aware CCWS (Pichai, section 4.2): CCWS in which a victim tag weighs more if the translation missed the TLB as
// well. Weights are powers of two, which shifters apply; 4:1 is what the thesis quotes results for.
#include <fmt/format.h>

#include <bit>

#include "base/diagnostics.h"
#include "core/scheduler/cache_conscious.h"

namespace heddle::core {
namespace {

class TlbAwareCcws final : public CacheConscious {
 public:
  struct Parameters : LostLocalityParameters {
    Parameters(sim::ParameterGroup& parent, std::string key, std::string text)
        : LostLocalityParameters(parent, std::move(key), std::move(text), 16) {}
    sim::Parameter<unsigned> tlb_miss{
        *this, "tlb_miss", 4, {1, 64}, "times", "What a victim tag weighs whose translation missed; a power of two."};
    sim::Parameter<unsigned> tlb_hit{
        *this, "tlb_hit", 1, {1, 64}, "times", "What a victim tag weighs whose translation hit; a power of two."};
    sim::Flag every_miss{*this, "every_miss", false,
                         "A TLB miss raises the score of its warp without a victim tag, too (the captions' reading)."};
  };
  TlbAwareCcws(const sim::Context& context, const SchedulerSetup& setup)
      : CacheConscious(context, context.parameters<Parameters>(), setup, weights(context.parameters<Parameters>())),
        p_(context.parameters<Parameters>()) {}

 private:
  static Weights weights(const Parameters& p) {
    for (const auto* weight : {&p.tlb_miss, &p.tlb_hit}) {
      if (!std::has_single_bit(weight->get()))
        throw UserError(fmt::format("{}.{} = {}: must be a power of two", p.path(), weight->key(), weight->get()));
    }
    return {p.tlb_miss, p.tlb_hit};
  }
  void tlb(const TlbLookup& lookup) override {
    if (lookup.hit || !p_.every_miss) return;
    ++statistics_.raised;
    scores_.raise(lookup.warp, p_.tlb_miss, lookup.now);
  }

  const Parameters& p_;
};

[[maybe_unused]] const bool kRegisteredTaCcws = SchedulerRegistry::instance().add<TlbAwareCcws>(
    "ta-ccws", "CCWS in which a lost line weighs more if its translation missed the TLB.");

}  // namespace
}  // namespace heddle::core
