// The TLB of an SM: one for all lanes, or one for each (Pichai, section 3.1, which names that as the fastest and the
// dearest way). With one for each, all lanes look up at once, a page is known if it is to every lane that needs it, and
// a walk fills the TLBs of the lanes that asked.
#pragma once

#include <bit>
#include <optional>
#include <vector>

#include "base/types.h"
#include "vm/tlb.h"

namespace heddle::core {

class SmTlb {
 public:
  SmTlb(const vm::TlbParameters& parameters, bool per_lane) {
    for (unsigned t = 0; t < (per_lane ? kWarpSize : 1); ++t) tlbs_.emplace_back(parameters);
  }

  [[nodiscard]] bool per_lane() const { return tlbs_.size() > 1; }
  void count_depth() {
    for (vm::Tlb& tlb : tlbs_) tlb.count_depth();
  }
  /// What is known of the page to all these lanes; the depth is that of the deepest.
  [[nodiscard]] std::optional<vm::Tlb::Hit> find(vm::SpaceId space, vm::VirtPage page, LaneMask lanes) {
    if (!per_lane()) return tlbs_[0].find(space, page);
    std::optional<vm::Tlb::Hit> worst;
    bool all = true;
    each(tlbs_, lanes, [&](vm::Tlb& tlb) {
      const auto hit = tlb.find(space, page);
      all = all && hit.has_value();
      if (!hit) return;
      const bool dirty = hit->dirty && (!worst || worst->dirty);
      if (!worst || hit->depth > worst->depth) worst = hit;
      worst->dirty = dirty;
    });
    return all ? worst : std::nullopt;
  }
  [[nodiscard]] bool contains(vm::SpaceId space, vm::VirtPage page, LaneMask lanes) const {
    bool all = true;
    each(tlbs_, lanes, [&](const vm::Tlb& tlb) { all = all && tlb.contains(space, page); });
    return all;
  }
  void set_dirty(vm::SpaceId space, vm::VirtPage page, LaneMask lanes) {
    each(tlbs_, lanes, [&](vm::Tlb& tlb) { tlb.set_dirty(space, page); });
  }
  /// Calls f(evicted) for each translation that had to go.
  template <typename Function>
  void insert(vm::SpaceId space, const vm::Mapping& mapping, unsigned owner, LaneMask lanes, Function&& f) {
    each(tlbs_, lanes, [&](vm::Tlb& tlb) {
      if (const auto evicted = tlb.insert(space, mapping, owner)) f(*evicted);
    });
  }
  template <typename... Which>
  void flush(Which... which) {
    for (vm::Tlb& tlb : tlbs_) tlb.flush(which...);
  }

 private:
  template <typename Tlbs, typename Function>
  static void each(Tlbs& tlbs, LaneMask lanes, Function&& f) {
    if (tlbs.size() == 1) return f(tlbs[0]);
    for (; lanes != 0; lanes &= lanes - 1) f(tlbs[static_cast<std::size_t>(std::countr_zero(lanes))]);
  }

  std::vector<vm::Tlb> tlbs_;  ///< one, or by lane
};

}  // namespace heddle::core
