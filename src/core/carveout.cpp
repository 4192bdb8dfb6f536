#include "core/carveout.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>

#include "core/parameters.h"

namespace heddle::core {
namespace {

/// Nothing if a word is no number.
std::optional<std::vector<unsigned>> numbers(const std::string& text) {
  std::vector<unsigned> found;
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
    found.push_back(value);
  }
  return found;
}

}  // namespace

std::string CarveoutParameters::check(const std::string& text) {
  const auto sizes = numbers(text);
  if (!sizes) return fmt::format("'{}' is not a list of numbers", text);
  for (std::size_t s = 1; s < sizes->size(); ++s) {
    if ((*sizes)[s] <= (*sizes)[s - 1]) return fmt::format("{} does not come before {}", (*sizes)[s - 1], (*sizes)[s]);
  }
  return "";
}

std::vector<unsigned> CarveoutParameters::sizes() const {
  return numbers(steps.get()).value_or(std::vector<unsigned>{});
}

unsigned carveout_for(const SmParameters& sm, const std::vector<unsigned>& sizes, const exec::LaunchConfig& config) {
  constexpr std::uint64_t kKib = 1024;
  const std::uint64_t warps = (config.block.count() + kWarpSize - 1) / kWarpSize;
  const std::uint64_t granule = sm.register_granule;
  const std::uint64_t registers = (std::uint64_t{config.registers} * kWarpSize + granule - 1) / granule * granule;
  std::uint64_t blocks = std::min<std::uint64_t>(sm.blocks, sm.warps / warps);
  if (registers != 0 && sm.operands.is("file")) blocks = std::min(blocks, sm.registers / (registers * warps));
  const std::uint64_t of_block = config.shared_bytes + std::uint64_t{sm.carveout.reserved_bytes};
  if (of_block != 0) blocks = std::min(blocks, sm.shared_kib * kKib / of_block);
  // What does not fit with what is reserved has the largest, if it fits at all.
  const std::uint64_t wanted =
      std::max<std::uint64_t>(std::max<std::uint64_t>(blocks, 1) * of_block, config.shared_bytes);
  const auto found = std::find_if(sizes.begin(), sizes.end(), [&](unsigned size) { return size * kKib >= wanted; });
  return found == sizes.end() ? sizes.back() : *found;
}

}  // namespace heddle::core
