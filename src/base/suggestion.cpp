#include "base/suggestion.h"

#include <algorithm>

namespace heddle {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the optimal string alignment table.
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::string nearest(std::string_view name, const std::vector<std::string>& known) {
  if (name.size() > 100) return "";  // no key is that long; a hostile one would cost quadratic time
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string known_names(std::string_view name, const std::vector<std::string>& known) {
  std::string all = "known: ";
  for (std::size_t i = 0; i < known.size(); ++i) all += (i == 0 ? "" : ", ") + known[i];
  if (known.empty()) all += "none";
  const std::string meant = nearest(name, known);
  return meant.empty() ? all : all + "; did you mean '" + meant + "'?";
}

}  // namespace heddle
