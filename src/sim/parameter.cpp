// Finding and setting parameters by path, and the messages for what is not there or not allowed.
#include "sim/parameter.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "base/check.h"
#include "base/suggestion.h"

namespace heddle::sim {

namespace {

constexpr const char* kOutOfRange = "out of range";

std::string quoted(const ParameterValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return '"' + *text + '"';
  return to_string(value);
}

std::string joined(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : path + "." + std::string(key);
}

[[noreturn]] void throw_unknown(const ParameterGroup& group, std::string_view key) {
  std::vector<std::string> known;
  for (const ParameterBase* parameter : group.parameters()) known.push_back(parameter->key());
  for (const ParameterGroup* child : group.groups()) known.push_back(child->key());
  const std::string place = group.path().empty() ? "" : group.path() + ": ";
  throw UserError(fmt::format("{}unknown key '{}' ({})", place, key, known_names(key, known)));
}

[[noreturn]] void throw_refused(const std::string& path, const std::string& value, const ParameterBase& parameter,
                                const std::string& reason) {
  const std::string unit = parameter.unit().empty() ? "" : " " + parameter.unit();
  const std::string why = reason == kOutOfRange ? "" : reason + "; ";
  throw UserError(fmt::format("{} = {}: {}must be {}{}", path, value, why, parameter.allowed(), unit));
}

struct Found {
  ParameterGroup* group = nullptr;
  ParameterBase* parameter = nullptr;
};

Found find(ParameterGroup& root, std::string_view path) {
  ParameterGroup* group = &root;
  while (true) {
    const std::size_t dot = path.find('.');
    const std::string_view key = path.substr(0, dot);
    const auto& groups = group->groups();
    if (dot == std::string_view::npos) {
      const auto& parameters = group->parameters();
      const auto parameter =
          std::find_if(parameters.begin(), parameters.end(), [&](const ParameterBase* p) { return p->key() == key; });
      if (parameter != parameters.end()) return {group, *parameter};
      if (std::any_of(groups.begin(), groups.end(), [&](const ParameterGroup* g) { return g->key() == key; })) {
        throw UserError(fmt::format("{}: is a group of parameters, not a parameter", joined(group->path(), key)));
      }
      throw_unknown(*group, key);
    }
    const auto child =
        std::find_if(groups.begin(), groups.end(), [&](const ParameterGroup* g) { return g->key() == key; });
    if (child == groups.end()) throw_unknown(*group, key);
    group = *child;
    path.remove_prefix(dot + 1);
  }
}

/// What a text from a command line can mean, the most specific meaning first.
std::vector<ParameterValue> readings(std::string_view text) {
  std::vector<ParameterValue> all;
  const char* end = text.data() + text.size();
  std::int64_t integer = 0;
  const bool hexadecimal = text.starts_with("0x");
  const auto whole = std::from_chars(text.data() + (hexadecimal ? 2 : 0), end, integer, hexadecimal ? 16 : 10);
  if (whole.ec == std::errc() && whole.ptr == end) all.emplace_back(integer);
  double real = 0;
  const auto fraction = std::from_chars(text.data(), end, real);
  if (fraction.ec == std::errc() && fraction.ptr == end) all.emplace_back(real);
  if (text == "true" || text == "false") all.emplace_back(text == "true");
  all.emplace_back(std::string(text));
  return all;
}

}  // namespace

std::string to_string(const ParameterValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  if (const auto* real = std::get_if<double>(&value)) return fmt::format("{}", *real);
  return std::get<std::string>(value);
}

ParameterBase::ParameterBase(ParameterGroup& group, std::string key, std::string unit, std::string description)
    : key_(std::move(key)), unit_(std::move(unit)), description_(std::move(description)) {
  for (const ParameterBase* other : group.parameters_)
    HEDDLE_CHECK(other->key() != key_, "two parameters are called '" + key_ + "'");
  group.parameters_.push_back(this);
}

ParameterGroup::ParameterGroup(ParameterGroup& parent, std::string key, std::string description)
    : key_(std::move(key)), description_(std::move(description)), parent_(&parent) {
  for (const ParameterGroup* other : parent.groups_)
    HEDDLE_CHECK(other->key() != key_, "two groups are called '" + key_ + "'");
  parent.groups_.push_back(this);
}

std::string ParameterGroup::path() const {
  if (parent_ == nullptr) return key_;
  return joined(parent_->path(), key_);
}

void ParameterGroup::set(std::string_view path, const ParameterValue& value) {
  const Found found = find(*this, path);
  const std::string reason = found.parameter->set(value);
  if (!reason.empty())
    throw_refused(joined(found.group->path(), found.parameter->key()), quoted(value), *found.parameter, reason);
}

void ParameterGroup::set_text(std::string_view path, std::string_view text) {
  const Found found = find(*this, path);
  std::string reason;
  for (const ParameterValue& reading : readings(text)) {
    const std::string answer = found.parameter->set(reading);
    if (answer.empty()) return;
    // "out of range" says more than "not an integer" does of the same text read as another type.
    if (reason.empty() || answer == kOutOfRange) reason = answer;
  }
  throw_refused(joined(found.group->path(), found.parameter->key()), std::string(text), *found.parameter, reason);
}

std::string Flag::set(const ParameterValue& value) {
  if (!std::holds_alternative<bool>(value)) return kOutOfRange;
  value_ = std::get<bool>(value);
  return "";
}

std::string Text::set(const ParameterValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return "not a text";
  std::string wrong = check_(*text);
  if (wrong.empty()) value_ = *text;
  return wrong;
}

std::string Choice::allowed() const {
  std::string all;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (i != 0) all += i + 1 == names_.size() ? " or " : ", ";
    all += names_[i];
  }
  return all;
}

std::string Choice::set(const ParameterValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr || std::find(names_.begin(), names_.end(), *text) == names_.end()) return kOutOfRange;
  value_ = *text;
  return "";
}

}  // namespace heddle::sim
