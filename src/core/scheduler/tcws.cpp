// TLB-conscious warp scheduling, TCWS (Pichai, section 4.2): victim tags are pages that the TLB replaced, looked up
// when the TLB misses. So that scores also move without misses, a hit adds to them by how deep in the LRU order of its
// set it was. 8 tags per warp and the weights 1, 2, 4, 8 are best in the thesis (section 4.3); its tags take half of
// what those of CCWS do.
//
// The thesis does not say how a hit's weight compares to a victim tag's. Here a weight is so many parts of what a tag
// gives (`tag_weight`), and hits alone never raise a score above that.
#include <algorithm>
#include <array>

#include "core/scheduler/locality_scheduler.h"

namespace heddle::core {
namespace {

class Tcws final : public LocalityScheduler {
 public:
  struct Parameters : LostLocalityParameters {
    Parameters(sim::ParameterGroup& parent, std::string key, std::string text)
        : LostLocalityParameters(parent, std::move(key), std::move(text), 8) {}
    sim::Parameter<unsigned> weight_0{
        *this, "weight_0", 1, {0, 1024}, "parts", "What a TLB hit weighs at the most recently used entry of its set."};
    sim::Parameter<unsigned> weight_1{*this,     "weight_1", 2,
                                      {0, 1024}, "parts",    "What a TLB hit weighs at the second entry in LRU order."};
    sim::Parameter<unsigned> weight_2{*this,     "weight_2", 4,
                                      {0, 1024}, "parts",    "What a TLB hit weighs at the third entry in LRU order."};
    sim::Parameter<unsigned> weight_3{
        *this, "weight_3", 8, {0, 1024}, "parts", "What a TLB hit weighs at the fourth entry in LRU order or deeper."};
    sim::Parameter<unsigned> tag_weight{
        *this,   "tag_weight",
        0,       {0, 65536},
        "parts", "What a victim tag that is found weighs against these; 0: twice the greatest of them."};
    sim::Parameter<unsigned> points{*this,      "points", 0,
                                    {0, 10000}, "points", "Points of one part; 0: by the worth of a victim tag."};
  };
  Tcws(const sim::Context& context, const SchedulerSetup& setup)
      : LocalityScheduler(context, context.parameters<Parameters>(), setup,
                          {setup.tlb_entries, kAddressBits - vm::kPageBits}),
        p_(context.parameters<Parameters>()),
        weights_{p_.weight_0, p_.weight_1, p_.weight_2, p_.weight_3},
        tag_weight_(p_.tag_weight != 0 ? p_.tag_weight.get()
                                       : std::max(1u, 2 * *std::max_element(weights_.begin(), weights_.end()))) {}

 private:
  static std::uint64_t tag(vm::SpaceId space, vm::VirtPage page) {
    // The first page of a large one has zeros below: what chooses a set comes from above, too.
    return (page.number ^ (page.number >> 9 & 0x1ff)) | std::uint64_t{space} << 40;
  }
  void tlb(const TlbLookup& lookup) override {
    if (lookup.hit) {
      const unsigned weight = weights_[std::min<std::size_t>(lookup.depth, weights_.size() - 1)];
      if (weight == 0) return;
      ++statistics_.raised;
      scores_.add(lookup.warp, weight, tag_weight_, p_.points, lookup.now);
      return;
    }
    if (!tags_.take(lookup.warp, tag(lookup.space, lookup.page))) return;
    ++statistics_.lost;
    ++statistics_.lost_walked;
    scores_.lost(lookup.warp, p_.scoring.is("counters") ? tag_weight_ : 1, lookup.now);
  }
  void tlb_evicted(vm::SpaceId space, vm::VirtPage page, unsigned owner) override {
    tags_.insert(owner, tag(space, page));
  }

  const Parameters& p_;
  std::array<unsigned, 4> weights_;
  unsigned tag_weight_;
};

[[maybe_unused]] const bool kRegisteredTcws = SchedulerRegistry::instance().add<Tcws>(
    "tcws", "TLB-conscious: warps that lose most of what they bring to the TLB may load, others wait.");

}  // namespace
}  // namespace heddle::core
