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
};

/// By id. Throws UserError with every mistake.
[[nodiscard]] std::map<std::string, Claim> read_claims(const std::string& path);
[[nodiscard]] std::map<std::string, Claim> parse_claims(const std::string& text, const std::string& name);

enum class Verdict : std::uint8_t { reproduced, same_direction, not_reproduced, not_run };
[[nodiscard]] std::string_view to_string(Verdict verdict);
/// "about 30 percent", "20 to 50 percent", "at most 2 percent".
[[nodiscard]] std::string value_text(const Claim& claim);

/// How a value compares with a numeric claim. "About" and "exactly" allow a tenth of the value: papers round, and
/// figures are read.
[[nodiscard]] Verdict judge(const Claim& claim, double value);

}  // namespace heddle::study
