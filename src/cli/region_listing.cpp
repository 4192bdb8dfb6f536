#include "cli/region_listing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace heddle::cli {
namespace {

std::string_view word_for(isa::RegionEnd end) {
  switch (end) {
    case isa::RegionEnd::block:
      return "the block ends";
    case isa::RegionEnd::meeting:
      return "the warp may wait here";
    case isa::RegionEnd::load:
      return "a load and its first use are kept apart";
    case isa::RegionEnd::registers:
      return "more registers do not fit";
  }
  return "";
}

std::string registers_to(const isa::Region& region, isa::Prepare what, std::string_view verb) {
  std::string text;
  for (const isa::PreparedRegister& entry : region.list) {
    if (entry.what == what) text += fmt::format("{}R{}", text.empty() ? "" : ", ", entry.reg);
  }
  return text.empty() ? text : fmt::format("  ; {} {}\n", verb, text);
}

}  // namespace

std::string region_head(const isa::RegionCode& code, std::uint32_t pc) {
  const isa::Region& region = code.at(pc);
  return fmt::format(
             "  ; region {}: {} instructions, {} of metadata; needs {} registers, by bank {}; ends because {}\n",
             code.region_of[pc], region.size(), region.start_words + region.flag_words, region.live,
             fmt::join(region.need, " "), word_for(region.ends)) +
         registers_to(region, isa::Prepare::preload, "preload") +
         registers_to(region, isa::Prepare::preload_last, "preload, last time") +
         registers_to(region, isa::Prepare::invalidate, "invalidate");
}

std::string last_use_note(const isa::RegionCode& code, std::uint32_t pc) {
  std::string erased;
  std::string evicted;
  for (const isa::LastUse& use : code.last_uses_at(pc)) {
    std::string& text = use.erase ? erased : evicted;
    text += fmt::format("{}R{}", text.empty() ? "" : ", ", use.reg);
  }
  return (erased.empty() ? "" : "  // erase " + erased) + (evicted.empty() ? "" : "  // evict " + evicted);
}

std::string region_summary(const isa::RegionCode& code, std::uint32_t begin, std::uint32_t end) {
  double count = 0;
  double instructions = 0;
  double words = 0;
  double preloads = 0;
  double live = 0;
  double live_squares = 0;
  double interior = 0;
  double values = 0;
  for (std::uint32_t pc = begin; pc < end; pc = code.at(pc).end) {
    const isa::Region& region = code.at(pc);
    ++count;
    instructions += region.size();
    words += region.start_words + region.flag_words;
    preloads += region.inputs;
    live += region.live;
    live_squares += static_cast<double>(region.live) * region.live;
    interior += region.interior;
    values += region.interior + region.inputs + region.outputs;
  }
  if (count == 0) return "";
  const double mean = live / count;
  return fmt::format(
      "  {} regions: {:.1f} instructions, {:.1f} preloads, {:.1f} registers live at once (standard deviation {:.1f}); "
      "{:.0f} % of values are interior; metadata makes the code {:.0f} % larger\n",
      count, instructions / count, preloads / count, mean, std::sqrt(std::max(0.0, live_squares / count - mean * mean)),
      values == 0 ? 0 : 100 * interior / values, 100 * words / instructions);
}

}  // namespace heddle::cli
