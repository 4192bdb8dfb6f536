#include "ptx/nearest.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ptx/token_stream.h"

namespace heddle::ptx {
namespace {

constexpr std::size_t kLongest = 48;

/// Number of single-character edits between two names no longer than kLongest.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::array<std::size_t, kLongest + 1> row{};
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

NearestName::NearestName(std::string_view mistyped)
    : mistyped_(mistyped), best_distance_(std::clamp<std::size_t>(mistyped.size() / 3, 1, 3) + 1) {
  if (mistyped.size() > kLongest) budget_ = 0;
}

void NearestName::consider(std::string_view candidate) {
  if (budget_ == 0) return;
  --budget_;
  const std::size_t longer = std::max(candidate.size(), mistyped_.size());
  const std::size_t shorter = std::min(candidate.size(), mistyped_.size());
  if (candidate.size() > kLongest || longer - shorter >= best_distance_) return;
  const std::size_t distance = edit_distance(candidate, mistyped_);
  if (distance < best_distance_ && distance < shorter + 1) {
    best_distance_ = distance;
    best_ = candidate;
  }
}

std::string NearestName::hint() const {
  return best_.empty() ? std::string() : fmt::format(" (did you mean {}?)", quote(best_));
}

}  // namespace heddle::ptx
