// What a paper says, as data: experiments/claims/PAPER.toml, in our own words.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace heddle::study {

enum class Relation : std::uint8_t { approximately, exactly, range, at_least, at_most, ordinal };

struct Claim {
  std::string id;
  std::string statement;
  std::string section;
  Relation relation = Relation::ordinal;
  std::optional<double> low;
  std::optional<double> high;
  std::string unit;
  /// The value that means "no effect", if there is one: what lies on the other side of it contradicts the claim.
  std::optional<double> neutral;
  std::string kind;
  std::string untested;  ///< why no simulation here can test it; empty: one can
};

/// By id. Throws UserError with every mistake.
[[nodiscard]] std::map<std::string, Claim> read_claims(const std::string& path);
[[nodiscard]] std::string title_of(const std::string& path);
[[nodiscard]] std::map<std::string, Claim> parse_claims(const std::string& text, const std::string& name);

/// "about 30 percent", "20 to 50 percent", "at most 2 percent".
[[nodiscard]] std::string value_text(const Claim& claim);

}  // namespace heddle::study
