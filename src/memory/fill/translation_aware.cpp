// Translation-aware bypass (MASK, ASPLOS 2018, section 5.3): reads of page-table entries of a level go past the L2
// while that level hits less often than data do.
//
// Hits and accesses are counted over all slices and begin anew with every epoch; nothing goes past before the level and
// data have each been looked up often enough in the epoch, so that a level can come back (catalogue: l2bypass_window,
// l2bypass_scope). What was looked up is known to others with the next quantum.
#include "memory/fill_policy.h"
#include "sim/statistic.h"

namespace heddle::memory {
namespace {

class TranslationAware final : public FillPolicy {
 public:
  struct Parameters : sim::ParameterGroup {
    using ParameterGroup::ParameterGroup;
    sim::Parameter<unsigned> least{
        *this,       "least",    100,
        {1, 100000}, "accesses", "Accesses of a level and of data in an epoch before the level may go past."};
    sim::Parameter<unsigned> sample{
        *this,     "sample", 0,
        {0, 4096}, "reads",  "Of so many reads that would go past, one looks into the L2 all the same; 0: none does."};
    sim::Parameter<unsigned> fixed_levels{
        *this,
        "fixed_levels",
        0,
        {0, 4},
        "levels",
        "So many levels, from the leaf of small pages on, always go past and others never; 0: hit rates say."};
  };
  struct Statistics : sim::StatisticGroup {
    using StatisticGroup::StatisticGroup;
    sim::Counter level4{*this, "level4", "requests", "Reads of level 4, the root, that went past the L2."};
    sim::Counter level3{*this, "level3", "requests", "Of level 3."};
    sim::Counter level2{*this, "level2", "requests", "Of level 2."};
    sim::Counter level1{*this, "level1", "requests", "Of level 1."};
    sim::Counter sampled{*this, "sampled", "requests", "Reads that looked into the L2 although their level goes past."};
  };

  TranslationAware(const sim::Context& context, const FillPolicySetup& setup)
      : p_(context.parameters<Parameters>()), statistics_(context), board_(setup.board), slice_(setup.slice) {
    if (board_ != nullptr) board_->use();
  }

  [[nodiscard]] Fill admit(const Request& /*request*/) override { return Fill::allocate; }
  void served(const Request& request, bool hit) override {
    if (board_ != nullptr) board_->looked_up(slice_, request, hit);
  }
  [[nodiscard]] bool lets_past() const override { return true; }
  [[nodiscard]] bool goes_past(const Request& request) override {
    if (!bypasses(request.level)) return false;
    if (p_.sample != 0 && ++past_ % p_.sample == 0) {
      ++statistics_.sampled;
      return false;
    }
    sim::Counter* const counters[] = {&statistics_.level1, &statistics_.level2, &statistics_.level3,
                                      &statistics_.level4};
    ++*counters[request.level - 1];
    return true;
  }

 private:
  [[nodiscard]] bool bypasses(unsigned level) const {
    if (level == 0 || level >= SharingBoard::kClasses) return false;
    if (p_.fixed_levels != 0) return level <= p_.fixed_levels;
    if (board_ == nullptr) return false;
    const SharingBoard::Rate& data = board_->rates()[0];
    const SharingBoard::Rate& own = board_->rates()[level];
    return data.accesses >= p_.least && own.accesses >= p_.least && own.below(data);
  }

  const Parameters& p_;
  Statistics statistics_;
  SharingBoard* board_;
  std::uint16_t slice_;
  std::uint64_t past_ = 0;
};

[[maybe_unused]] const bool kRegisteredTranslationAware = FillPolicies::instance().add<TranslationAware>(
    "translation-aware", "Levels of page tables that hit less often than data go past the L2.");

}  // namespace
}  // namespace heddle::memory
