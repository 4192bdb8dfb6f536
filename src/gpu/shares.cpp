#include "gpu/shares.h"

#include <fmt/format.h>

#include <numeric>

#include "base/diagnostics.h"

namespace heddle::gpu {
namespace {

/// The numbers of "15:15"; nothing if the text is not of that form or sums up to nothing.
std::vector<unsigned> parse_shares(const std::string& text) {
  std::vector<unsigned> shares;
  unsigned number = 0;
  unsigned digits = 0;
  for (const char c : text + ":") {
    if (c >= '0' && c <= '9' && digits < 4) {
      number = number * 10 + static_cast<unsigned>(c - '0');
      ++digits;
    } else if (c == ':' && digits != 0) {
      shares.push_back(number);
      number = digits = 0;
    } else {
      return {};
    }
  }
  if (std::accumulate(shares.begin(), shares.end(), 0u) == 0) return {};
  return shares;
}

}  // namespace

std::vector<unsigned> shares_of(const std::string& parameter, const std::string& text, unsigned applications) {
  std::vector<unsigned> shares(applications, 1);
  if (text != "even" && applications > 1) shares = parse_shares(text);
  if (shares.size() != applications)
    throw UserError(fmt::format("{} = {}: {} applications need as many shares", parameter, text, applications));
  return shares;
}

sim::Text shares_text(sim::ParameterGroup& group, const std::string& key, const std::string& description) {
  const auto check = [](const std::string& text) {
    return text == "even" || !parse_shares(text).empty() ? std::string() : std::string("not a split");
  };
  return {group, key, "even", check, "even, or numbers joined by ':'", description};
}

}  // namespace heddle::gpu
