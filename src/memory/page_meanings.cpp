#include "memory/page_meanings.h"

#include <algorithm>

namespace heddle::memory {

using sim::Cycle;

void PageMeanings::means(PageName page, PageName owner, Cycle now) {
  std::vector<Meaning>& all = meanings_[page];
  if (!all.empty()) all.back().until = now;
  all.push_back({owner, now});
}

void PageMeanings::guards(PageName page, bool guarded, Cycle now) {
  std::vector<Guard>& all = guards_[page];
  const bool is_guarded = !all.empty() && all.back().until == sim::kNever;
  if (guarded == is_guarded) return;
  if (guarded) {
    all.push_back({now});
  } else {
    all.back().until = now;
  }
}

void PageMeanings::forgets(PageName page, Cycle now) {
  // Reads are judged when their quantum is over: only of that is more than the last to be known.
  constexpr std::size_t kMost = 64;
  std::vector<Cycle>& all = forgotten_[page];
  if (all.size() == kMost) all.erase(all.begin(), all.begin() + kMost / 2);
  all.push_back(now);
}

std::optional<std::uint64_t> PageMeanings::frame_under(PageName page) const {
  const auto found = leading_.find(page);
  return found == leading_.end() ? std::nullopt : std::optional(found->second);
}

bool PageMeanings::meant(PageName page, PageName owner, Cycle from, Cycle until) const {
  const auto found = meanings_.find(page);
  if (found == meanings_.end()) return true;
  return std::any_of(found->second.begin(), found->second.end(), [&](const Meaning& meaning) {
    return meaning.owner == owner && meaning.from <= until && meaning.until >= from;
  });
}

bool PageMeanings::writable(PageName page, Cycle at) const {
  const auto found = guards_.find(page);
  if (found == guards_.end()) return true;
  return std::none_of(found->second.begin(), found->second.end(),
                      [&](const Guard& guard) { return at >= guard.from && at < guard.until; });
}

Cycle PageMeanings::forgotten(PageName page, Cycle at) const {
  const auto found = forgotten_.find(page);
  if (found == forgotten_.end()) return 0;
  const auto last =
      std::find_if(found->second.rbegin(), found->second.rend(), [&](Cycle forgotten) { return forgotten <= at; });
  return last == found->second.rend() ? 0 : *last;
}

}  // namespace heddle::memory
