#include "base/named_counters.h"

#include <algorithm>
#include <stdexcept>

#include "base/check.h"

namespace heddle {
namespace {

constexpr unsigned kBits = 7;
constexpr std::uint8_t kMore = 1u << kBits;

std::uint64_t take(const std::uint8_t*& at) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += kBits) {
    const std::uint8_t byte = *at++;
    value |= std::uint64_t{byte & (kMore - 1u)} << shift;
    if (byte < kMore) return value;
  }
}

}  // namespace

NamedCounters::NamedCounters(Names names, std::span<const std::uint64_t> values) : names_(std::move(names)) {
  HEDDLE_CHECK(names_ && names_->size() == values.size(), "a value for every name");
  std::size_t bytes = 0;
  for (std::uint64_t value : values) {
    do ++bytes;
    while ((value >>= kBits) != 0);
  }
  packed_.resize(bytes);
  std::uint8_t* at = packed_.data();
  for (std::uint64_t value : values) {
    for (; value >= kMore; value >>= kBits) *at++ = static_cast<std::uint8_t>(value | kMore);
    *at++ = static_cast<std::uint8_t>(value);
  }
}

NamedCounters::NamedCounters(const std::map<std::string, std::uint64_t>& values) {
  auto names = std::make_shared<std::vector<std::string>>();
  std::vector<std::uint64_t> numbers;
  for (const auto& [name, value] : values) {
    names->push_back(name);
    numbers.push_back(value);
  }
  *this = NamedCounters(std::move(names), numbers);
}

const std::vector<std::string>& NamedCounters::names() const {
  static const std::vector<std::string> none;
  return names_ ? *names_ : none;
}

std::optional<std::uint64_t> NamedCounters::get(std::string_view name) const {
  const auto found = std::lower_bound(names().begin(), names().end(), name);
  if (found == names().end() || *found != name) return std::nullopt;
  const std::uint8_t* at = packed_.data();
  for (auto before = names().begin(); before != found; ++before) (void)take(at);
  return take(at);
}

std::uint64_t NamedCounters::at(std::string_view name) const {
  if (const auto found = get(name)) return *found;
  throw std::out_of_range("there is no counter '" + std::string(name) + "'");
}

std::vector<std::uint64_t> NamedCounters::values() const {
  std::vector<std::uint64_t> values(size());
  const std::uint8_t* at = packed_.data();
  for (std::uint64_t& value : values) value = take(at);
  return values;
}

std::map<std::string, std::uint64_t> NamedCounters::all() const {
  std::map<std::string, std::uint64_t> all;
  const std::uint8_t* at = packed_.data();
  for (const std::string& name : names()) all.emplace_hint(all.end(), name, take(at));
  return all;
}

}  // namespace heddle
