#include "vm/host_traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>

namespace heddle::vm {

using sim::Cycle;

namespace {

constexpr std::array<const char*, 8> kOperationNames{"read", "write", "shootdown", "flush",
                                                     "move", "remap", "protect",   "evict"};

std::optional<HostOperation> operation_named(const std::string& name) {
  const auto found = std::find(kOperationNames.begin(), kOperationNames.end(), name);
  if (found == kOperationNames.end()) return std::nullopt;
  return static_cast<HostOperation>(found - kOperationNames.begin());
}

/// An address in any base that C has; nothing if the text is none.
std::optional<std::uint64_t> address_in(const std::string& text) {
  try {
    std::size_t read = 0;
    const std::uint64_t address = std::stoull(text, &read, 0);
    return read == text.size() ? std::optional(address) : std::nullopt;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

/// The steps of a script; what is wrong with it in `wrong`.
std::deque<HostTraffic::Planned> parse_script(const std::string& text, std::string& wrong) {
  std::deque<HostTraffic::Planned> steps;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ';');) {
    std::istringstream words(part);
    std::string name;
    HostTraffic::Planned step;
    if (!(words >> step.at >> name) || !operation_named(name)) {
      wrong = fmt::format("'{}' is not a cycle and an operation", part);
      return {};
    }
    step.operation = *operation_named(name);
    const auto read_address = [&](std::uint64_t& to) {
      std::string word;
      words >> word;
      const auto address = address_in(word);
      to = address.value_or(0);
      return address.has_value();
    };
    if (step.operation != HostOperation::flush && !read_address(step.address)) {
      wrong = fmt::format("'{}' has no address", part);
      return {};
    }
    if (step.operation == HostOperation::remap && !read_address(step.target)) {
      wrong = fmt::format("'{}' does not say whose memory the page is to name", part);
      return {};
    }
    steps.push_back(step);
  }
  return steps;
}

}  // namespace

std::string check_host_script(const std::string& text) {
  std::string wrong;
  (void)parse_script(text, wrong);
  return wrong;
}

std::string check_host_operations(const std::string& text) {
  std::istringstream words(text);
  bool any = false;
  for (std::string word; words >> word; any = true) {
    if (!operation_named(word)) return fmt::format("there is no operation '{}'", word);
  }
  return any ? "" : "there is none";
}

HostTraffic::HostTraffic(const HostParameters& parameters) : p_(parameters), random_(parameters.seed) {
  std::string wrong;
  script_ = parse_script(p_.script.get(), wrong);
  std::stable_sort(script_.begin(), script_.end(), [](const Planned& a, const Planned& b) { return a.at < b.at; });
  std::istringstream words(p_.operations.get());
  for (std::string word; words >> word;) choices_.push_back(*operation_named(word));
  if (p_.interval != 0) next_random_ = p_.interval;
}

Cycle HostTraffic::next() const { return std::min(script_.empty() ? sim::kNever : script_.front().at, next_random_); }

HostTraffic::Planned HostTraffic::take(Cycle now) {
  if (!script_.empty() && script_.front().at <= now) {
    const Planned step = script_.front();
    script_.pop_front();
    return step;
  }
  next_random_ = now + p_.interval;
  const HostOperation operation = choices_[random_() % choices_.size()];
  return {now, operation, 0, 0, true, random_()};
}

}  // namespace heddle::vm
