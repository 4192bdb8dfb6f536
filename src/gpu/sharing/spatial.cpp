// Each application has SMs of its own, next to each other; blocks go breadth first within them.
#include <numeric>
#include <vector>

#include "base/diagnostics.h"
#include "gpu/sharing_policy.h"

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

class Spatial final : public SharingPolicy {
 public:
  struct Parameters : sim::ParameterGroup {
    using ParameterGroup::ParameterGroup;
    sim::Text split{*this,
                    "split",
                    "even",
                    [](const std::string& text) {
                      return text == "even" || !parse_shares(text).empty() ? std::string() : std::string("not a split");
                    },
                    "even, or numbers joined by ':'",
                    "SMs of each application, as shares (15:15, 1:3)."};
  };
  explicit Spatial(const sim::Context& context) : split_(context.parameters<Parameters>().split.get()) {}

  void dispatch(Floor& floor, sim::Cycle /*now*/) override {
    if (ranges_.empty()) divide(floor);
    for (std::size_t k = 0; k < floor.kernels(); ++k) {
      const unsigned application = floor.kernel(k).application;
      const SmRange range = ranges_[application];
      while (!floor.kernel(k).dispatched()) {
        const auto sm = floor.room(k, range, next_[application]);
        if (!sm) break;
        floor.start(k, *sm);
        next_[application] = *sm + 1 == range.last ? range.first : *sm + 1;
      }
    }
  }

 private:
  void divide(const Floor& floor) {
    std::vector<unsigned> shares(floor.applications(), 1);
    if (split_ != "even") shares = parse_shares(split_);
    if (shares.size() != floor.applications()) {
      throw UserError("sharing.spatial.split = " + split_ + ": " + std::to_string(floor.applications()) +
                      " applications need as many shares");
    }
    const unsigned all = std::accumulate(shares.begin(), shares.end(), 0u);
    unsigned sum = 0;
    for (const unsigned share : shares) {
      const unsigned first = floor.sms() * sum / all;
      sum += share;
      ranges_.push_back({first, floor.sms() * sum / all});
      next_.push_back(first);
      if (ranges_.back().first == ranges_.back().last)
        throw UserError("sharing.spatial.split = " + split_ + ": an application has no SM");
    }
  }

  std::string split_;
  std::vector<SmRange> ranges_;  ///< by application
  std::vector<unsigned> next_;
};

[[maybe_unused]] const bool kRegistered =
    SharingPolicies::instance().add<Spatial>("spatial", "Each application has SMs of its own.");

}  // namespace
}  // namespace heddle::gpu
