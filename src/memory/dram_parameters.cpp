#include "memory/dram_parameters.h"

#include <fmt/format.h>

#include <bit>

#include "memory/dram_address_map.h"

namespace heddle::memory {

void DramParameters::check() const {
  std::string wrong;
  const auto require = [&](bool holds, const std::string& message) {
    if (!holds) wrong += fmt::format("{}{}: {}", wrong.empty() ? "" : "\n", path().empty() ? "dram" : path(), message);
  };
  for (const Parameter<unsigned>* size :
       {&bus_bytes, &burst_length, &ranks, &bank_groups, &banks_per_group, &row_bytes}) {
    require(std::has_single_bit(size->get()), fmt::format("{} = {}: must be a power of two", size->key(), size->get()));
  }
  require(banks() <= 64, fmt::format("{} banks over all ranks: must be at most 64", banks()));
  require(row_bytes >= burst_bytes(),
          fmt::format("row_bytes = {}: must be at least one burst ({} bytes)", row_bytes.get(), burst_bytes()));
  require(tRC >= tRAS, fmt::format("tRC = {}: must be at least tRAS ({})", tRC.get(), tRAS.get()));
  require(tCCD_L >= tCCD_S && tRRD_L >= tRRD_S && tWTR_L >= tWTR_S,
          "tCCD_L, tRRD_L and tWTR_L: must be at least their _S");
  require(tREFI == 0 || tREFI > 2 * (tRFC + tRP + tRAS),
          fmt::format("tREFI = {}: must be 0 or well above tRFC ({})", tREFI.get(), tRFC.get()));
  require(drain_low < drain_high,
          fmt::format("drain_low = {}: must be below drain_high ({})", drain_low.get(), drain_high.get()));
  require(drain_high <= write_queue,
          fmt::format("drain_high = {}: must be at most write_queue ({})", drain_high.get(), write_queue.get()));
  require(drain_idle <= drain_high,
          fmt::format("drain_idle = {}: must be at most drain_high ({})", drain_idle.get(), drain_high.get()));
  if (wrong.empty()) {
    const std::string mapping_error = DramAddressMap::check(*this);
    require(mapping_error.empty(), fmt::format("mapping = \"{}\": {}", mapping.get(), mapping_error));
  }
  if (!wrong.empty()) throw UserError(wrong);
}

}  // namespace heddle::memory
