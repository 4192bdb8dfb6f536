#include "study/claim.h"

#include <fmt/format.h>

#include "base/files.h"
#include "study/toml_reader.h"

namespace heddle::study {
namespace {

std::optional<Relation> relation_of(const std::string& text) {
  if (text == "approx") return Relation::approximately;
  if (text == "eq") return Relation::exactly;
  if (text == "range") return Relation::range;
  if (text == "at_least") return Relation::at_least;
  if (text == "at_most") return Relation::at_most;
  if (text == "ordinal") return Relation::ordinal;
  return std::nullopt;
}

/// The bounds that a relation needs.
bool has_bounds(const Claim& claim) {
  switch (claim.relation) {
    case Relation::ordinal:
      return true;
    case Relation::at_least:
      return claim.low.has_value();
    case Relation::at_most:
      return claim.high.has_value();
    default:
      return claim.low && claim.high && *claim.low <= *claim.high;
  }
}

}  // namespace

std::map<std::string, Claim> parse_claims(const std::string& text, const std::string& name) {
  const toml::table parsed = parse_toml(text, name);
  Diagnostics diagnostics(name);
  TomlTable file(parsed, "", diagnostics);
  (void)file.text("paper");
  (void)file.text("title");
  std::map<std::string, Claim> claims;
  for (const toml::table* table : file.tables("claim")) {
    TomlTable entry(*table, "claim", diagnostics);
    Claim claim;
    claim.id = entry.text("id");
    claim.statement = entry.text("statement");
    claim.section = entry.text("section");
    claim.unit = entry.text("unit", "");
    claim.kind = entry.text("kind", "supporting");
    claim.low = entry.number("lo");
    claim.high = entry.number("hi");
    claim.neutral = entry.number("neutral");
    claim.untested = entry.text("untested", "");
    const std::string relation = entry.text("relation");
    if (const auto known = relation_of(relation)) {
      claim.relation = *known;
      if (!has_bounds(claim)) entry.error("relation", fmt::format("'{}' needs its bounds lo and hi", relation));
    } else {
      entry.error("relation", "must be approx, eq, range, at_least, at_most or ordinal");
    }
    entry.finish();
    const std::string id = claim.id;
    if (!claims.emplace(id, std::move(claim)).second) entry.error("id", fmt::format("'{}' is there twice", id));
  }
  file.finish();
  diagnostics.throw_if_errors();
  return claims;
}

std::map<std::string, Claim> read_claims(const std::string& path) { return parse_claims(read_file(path), path); }

std::string title_of(const std::string& path) {
  const toml::table parsed = parse_toml(read_file(path), path);
  return parsed["title"].value_or(std::string());
}

std::string value_text(const Claim& claim) {
  const auto with_unit = [&](const std::string& text) {
    if (claim.unit.empty() || claim.unit == "none" || claim.unit == "count") return text;
    return text + " " + (claim.unit == "ratio" ? "times" : claim.unit);
  };
  switch (claim.relation) {
    case Relation::ordinal:
      return "an order";
    case Relation::at_least:
      return with_unit(fmt::format("at least {:g}", *claim.low));
    case Relation::at_most:
      return with_unit(fmt::format("at most {:g}", *claim.high));
    case Relation::range:
      return with_unit(fmt::format("{:g} to {:g}", *claim.low, *claim.high));
    case Relation::exactly:
      return with_unit(fmt::format("{:g}", *claim.low));
    case Relation::approximately:
      return with_unit(*claim.low == *claim.high ? fmt::format("about {:g}", *claim.low)
                                                 : fmt::format("about {:g} to {:g}", *claim.low, *claim.high));
  }
  return "";
}

}  // namespace heddle::study
