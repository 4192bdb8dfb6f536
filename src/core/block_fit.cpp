#include "core/block_fit.h"

#include <fmt/format.h>

namespace heddle::core {

std::string misfit(const SmParameters& sm, const exec::LaunchConfig& config) {
  std::string text;
  const auto check = [&](const char* what, const char* parameter, std::uint64_t needed, std::uint64_t there) {
    if (needed <= there) return;
    text += fmt::format("{}{} {}, and an SM has {} ({}): {} too many", text.empty() ? "" : "; ", needed, what, there,
                        parameter, needed - there);
  };
  const std::uint64_t warps = (config.block.count() + kWarpSize - 1) / kWarpSize;
  const std::uint64_t granule = sm.register_granule;
  const std::uint64_t per_warp = (std::uint64_t{config.registers} * kWarpSize + granule - 1) / granule * granule;
  check("warps", "sm.warps", warps, sm.warps);
  // Other ways to keep operands may have room for more than there are registers.
  if (sm.operands.is("file")) check("registers", "sm.registers", warps * per_warp, sm.registers);
  if (sm.operands.is("spill"))
    check("warps with a share of registers", "sm.spill.entries", warps, sm.spill.shares(sm.warps));
  check("bytes of shared memory", "sm.shared_kib", config.shared_bytes, std::uint64_t{sm.shared_kib} * 1024);
  return text;
}

}  // namespace heddle::core
