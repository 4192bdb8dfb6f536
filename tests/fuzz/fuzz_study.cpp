// Sweeps, experiments, claims, conditions: whatever is in the file, the answer is a value or a UserError.
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "base/diagnostics.h"
#include "results/filter.h"
#include "study/experiment.h"
#include "study/sweep_file.h"

namespace {

template <typename Read>
void attempt(const Read& read) {
  try {
    read();
  } catch (const heddle::UserError&) {
    // A message is what bad input gets.
  }
}

/// One about an order, one about a number.
const std::map<std::string, heddle::study::Claim>& some_claims() {
  static const auto claims = [] {
    std::map<std::string, heddle::study::Claim> made;
    made["o"].id = "o";
    made["n"].id = "n";
    made["n"].relation = heddle::study::Relation::at_most;
    made["n"].high = 1;
    return made;
  }();
  return claims;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0:
      attempt([&] { (void)heddle::study::parse_sweep(text, "s.toml"); });
      break;
    case 1:
      attempt([&] { (void)heddle::study::parse_experiment(text, "p/e.toml", some_claims()); });
      break;
    case 2:
      attempt([&] { (void)heddle::study::parse_claims(text, "c.toml"); });
      break;
    default:
      attempt([&] { (void)heddle::results::Filter(text).matches({}); });
      attempt([&] { (void)heddle::results::Filter(text).sql(); });
  }
  return 0;
}
