// TLB-aware thread block compaction (Pichai, section 5.2): a thread joins a dynamic warp only if its warp has used the
// same pages as each warp that is in already, as often as the counters of the common page matrix reach. Threads of one
// warp need no counter between them. Without a TLB nothing is ever counted, and no warps are mixed.
#include "core/divergence/common_pages.h"
#include "exec/divergence/compaction.h"

namespace heddle::core {
namespace {

class TlbAwareUnit final : public exec::CompactionUnit, public MemoryObserver {
 public:
  struct Parameters : exec::CompactionParameters {
    using CompactionParameters::CompactionParameters;
    sim::Parameter<unsigned> bits{*this,  "bits", 3,
                                  {1, 8}, "bits", "Width of a counter; a thread joins if it is full."};
    sim::Parameter<unsigned> flush{*this,           "flush",       500,
                                   {0, 1000000000}, "core cycles", "Counters are cleared this often; 0: never."};
    sim::Parameter<unsigned> history{*this,  "history", 2,
                                     {1, 8}, "warps",   "Warps that used a TLB entry last and are remembered with it."};
    sim::Flag symmetric{*this, "symmetric", false, "A hit counts for both warps, not only for the one that hits."};
  };
  struct Matrix : sim::StatisticGroup {
    explicit Matrix(sim::StatisticGroup& parent) : StatisticGroup(parent, "matrix") {}
    sim::Counter asked{*this, "asked", "times", "Times that a thread wanted to join threads of another warp."};
    sim::Counter admitted{*this, "admitted", "times", "Of those, allowed to."};
    sim::Counter empty{*this, "empty", "times", "Of those asked, while no counter of the SM was full."};
    sim::Counter bits{*this, "bits", "bits", "Storage of the counters of an SM.", sim::Counter::Merge::most};
    sim::Counter history_bits{*this, "history_bits", "bits", "Storage of the history of one TLB entry.",
                              sim::Counter::Merge::most};
  };
  explicit TlbAwareUnit(const sim::Context& context)
      : CompactionUnit(context, context.parameters<Parameters>()),
        matrix_(statistics),
        pages_(shape(context.parameters<Parameters>())) {
    constexpr unsigned kWarps = 48;  // of the thesis' SM; names of 6 bits
    constexpr unsigned kNameBits = 6;
    const auto& p = context.parameters<Parameters>();
    matrix_.bits.at_least(CommonPages::storage_bits(kWarps, p.bits));
    matrix_.history_bits.at_least(std::uint64_t{p.history} * kNameBits);
  }

  [[nodiscard]] bool gates() const override { return true; }
  [[nodiscard]] bool may_join(unsigned context, unsigned present, std::uint64_t now) override {
    ++matrix_.asked;
    if (!pages_.any_saturated(now)) ++matrix_.empty;
    const bool may = pages_.saturated(context, present, now);
    if (may) ++matrix_.admitted;
    return may;
  }
  void started(unsigned context) override { pages_.forget(context); }

 private:
  static CommonPages::Shape shape(const Parameters& p) { return {p.bits, p.flush, p.history, p.symmetric, 64}; }
  static std::uint64_t key(vm::SpaceId space, vm::VirtPage page) { return page.number | std::uint64_t{space} << 40; }

  void tlb(const TlbLookup& lookup) override {
    pages_.looked_up(key(lookup.space, lookup.page), lookup.hit, lookup.homes, lookup.now);
  }
  void tlb_evicted(vm::SpaceId space, vm::VirtPage page, unsigned /*owner*/) override {
    pages_.evicted(key(space, page));
  }

  Matrix matrix_;
  CommonPages pages_;
};

[[maybe_unused]] const bool kRegisteredTbcTlb = exec::DivergenceRegistry::instance().add<TlbAwareUnit>(
    "tbc-tlb", "Thread block compaction that puts only threads together whose warps use the same pages.");

}  // namespace
}  // namespace heddle::core
