#include "ptx/special_registers.h"

#include <fmt/format.h>

#include <deque>
#include <string>
#include <vector>

namespace heddle::ptx {
namespace {

using enum SpecialRegister;

constexpr SpecialRegisterName kSingle[] = {
    {"%tid", tid, 0, true},
    {"%ntid", ntid, 0, true},
    {"%ctaid", ctaid, 0, true},
    {"%nctaid", nctaid, 0, true},
    {"%laneid", laneid},
    {"%warpid", warpid},
    {"%nwarpid", nwarpid},
    {"%smid", smid},
    {"%nsmid", nsmid},
    {"%gridid", gridid},
    {"%lanemask_eq", lanemask_eq},
    {"%lanemask_le", lanemask_le},
    {"%lanemask_lt", lanemask_lt},
    {"%lanemask_ge", lanemask_ge},
    {"%lanemask_gt", lanemask_gt},
    {"%clock", clock},
    {"%clock_hi", clock_hi},
    {"%clock64", clock64},
    {"%globaltimer", globaltimer},
    {"%globaltimer_lo", globaltimer_lo},
    {"%globaltimer_hi", globaltimer_hi},
    {"%total_smem_size", total_smem_size},
    {"%dynamic_smem_size", dynamic_smem_size},
    {"%aggr_smem_size", aggr_smem_size},
    {"%reserved_smem_offset_begin", reserved_smem_offset, 0},
    {"%reserved_smem_offset_end", reserved_smem_offset, 1},
    {"%reserved_smem_offset_cap", reserved_smem_offset, 2},
    {"%reserved_smem_offset_0", reserved_smem_offset, 3},
    {"%reserved_smem_offset_1", reserved_smem_offset, 4},
    {"%clusterid", clusterid, 0, true},
    {"%nclusterid", nclusterid, 0, true},
    {"%cluster_ctaid", cluster_ctaid, 0, true},
    {"%cluster_nctaid", cluster_nctaid, 0, true},
    {"%cluster_ctarank", cluster_ctarank},
    {"%cluster_nctarank", cluster_nctarank},
    {"%is_explicit_cluster", is_explicit_cluster},
};

struct Table {
  std::vector<SpecialRegisterName> rows;
  std::deque<std::string> names;  ///< of the numbered ones

  void numbered(std::string name, SpecialRegister which, unsigned number) {
    rows.push_back({names.emplace_back(std::move(name)), which, static_cast<std::uint16_t>(number), false});
  }

  Table() : rows(std::begin(kSingle), std::end(kSingle)) {
    for (unsigned i = 0; i < 32; ++i) numbered(fmt::format("%envreg{}", i), envreg, i);
    for (unsigned i = 0; i < 8; ++i) {
      numbered(fmt::format("%pm{}", i), pm, i);
      numbered(fmt::format("%pm{}_64", i), pm, 64 + i);
    }
  }
};

}  // namespace

std::span<const SpecialRegisterName> special_registers() {
  static const Table table;
  return table.rows;
}

}  // namespace heddle::ptx
