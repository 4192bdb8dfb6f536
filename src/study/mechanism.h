// What is built of a paper: experiments/mechanisms/PAPER.toml, by the ids of the paper's catalogue.
//
//   paper = "power"
//   [[mechanism]]
//   id = "page_walk_cache"
//   says = "A cache of page-table entries by physical address."   # one sentence
//   state = "built"                                               # or "partly", or "not built"
//   source = "src/vm/page_walk_cache.cpp"                         # the file that is it; of what is built, in full or
//   partly test = "tests/vm/walker_test.cpp"                             # the test that shows it reason = "..." # of
//   what is not built, or not all of it: why
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::study {

enum class BuildState : std::uint8_t { built, partly, not_built };
[[nodiscard]] std::string_view to_string(BuildState state);

struct Mechanism {
  std::string id;
  std::string says;
  BuildState state = BuildState::not_built;
  std::string source;
  std::string test;
  std::string reason;
};

/// In the order of the file. Throws UserError with every mistake.
[[nodiscard]] std::vector<Mechanism> parse_mechanisms(const std::string& text, const std::string& name);

}  // namespace heddle::study
