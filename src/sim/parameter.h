// Parameters that describe themselves.
//
// A part of the machine declares each of its parameters once, as a member: key, default, range, unit, one sentence.
// Reading a configuration, checking it, printing it and the reference page all walk those declarations.
//
//   struct CacheParameters : ParameterGroup {
//     using ParameterGroup::ParameterGroup;
//     Parameter<unsigned> ways{*this, "ways", 4, {1, 64}, "ways", "Associativity."};
//   };
//
// Groups nest; a parameter's path is the keys joined by dots ("sm.l1.ways").
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/diagnostics.h"

namespace heddle::sim {

/// A value as configuration files and the command line write it.
using ParameterValue = std::variant<bool, std::int64_t, double, std::string>;
[[nodiscard]] std::string to_string(const ParameterValue& value);

class ParameterGroup;

class ParameterBase {
 public:
  ParameterBase(ParameterGroup& group, std::string key, std::string unit, std::string description);
  virtual ~ParameterBase() = default;
  ParameterBase(const ParameterBase&) = delete;
  ParameterBase& operator=(const ParameterBase&) = delete;

  [[nodiscard]] const std::string& key() const { return key_; }
  [[nodiscard]] const std::string& unit() const { return unit_; }
  [[nodiscard]] const std::string& description() const { return description_; }
  [[nodiscard]] virtual ParameterValue value() const = 0;
  [[nodiscard]] virtual ParameterValue default_value() const = 0;
  /// What values are allowed, for messages and the reference: "1 to 64", "true or false", "gto or lrr".
  [[nodiscard]] virtual std::string allowed() const = 0;
  /// Takes a value, or returns what is wrong with it.
  [[nodiscard]] virtual std::string set(const ParameterValue& value) = 0;

 private:
  std::string key_;
  std::string unit_;
  std::string description_;
};

class ParameterGroup {
 public:
  /// The root of a machine description.
  ParameterGroup() = default;
  /// A group inside another, e.g. "l1" in "sm".
  ParameterGroup(ParameterGroup& parent, std::string key, std::string description);
  virtual ~ParameterGroup() = default;
  ParameterGroup(const ParameterGroup&) = delete;
  ParameterGroup& operator=(const ParameterGroup&) = delete;

  [[nodiscard]] const std::string& key() const { return key_; }
  [[nodiscard]] const std::string& description() const { return description_; }
  [[nodiscard]] std::string path() const;
  [[nodiscard]] const std::vector<ParameterBase*>& parameters() const { return parameters_; }
  [[nodiscard]] const std::vector<ParameterGroup*>& groups() const { return groups_; }

  /// Sets "sm.l1.ways". Throws UserError that names the path, the value and what is allowed, with the nearest known
  /// key.
  void set(std::string_view path, const ParameterValue& value);
  /// Like set() with the value as text from a command line ("sm.l1.ways=8" split by the caller).
  void set_text(std::string_view path, std::string_view text);

 private:
  friend class ParameterBase;
  std::string key_;
  std::string description_;
  ParameterGroup* parent_ = nullptr;
  std::vector<ParameterBase*> parameters_;
  std::vector<ParameterGroup*> groups_;
};

template <typename T>
struct Range {
  T least;
  T most;
};

/// A number. T is an integer or floating type.
template <typename T>
class Parameter final : public ParameterBase {
  static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>);

 public:
  Parameter(ParameterGroup& group, std::string key, T initial, Range<T> range, std::string unit,
            std::string description)
      : ParameterBase(group, std::move(key), std::move(unit), std::move(description)),
        value_(initial),
        default_(initial),
        range_(range) {}

  operator T() const { return value_; }  // NOLINT(google-explicit-constructor): reads like the number it is
  [[nodiscard]] T get() const { return value_; }
  [[nodiscard]] ParameterValue value() const override { return wrap(value_); }
  [[nodiscard]] ParameterValue default_value() const override { return wrap(default_); }
  [[nodiscard]] std::string allowed() const override {
    return to_string(wrap(range_.least)) + " to " + to_string(wrap(range_.most));
  }
  [[nodiscard]] std::string set(const ParameterValue& value) override;

 private:
  static ParameterValue wrap(T v) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<std::int64_t>(v);
    } else {
      return static_cast<double>(v);
    }
  }
  T value_;
  T default_;
  Range<T> range_;
};

/// A text with a syntax of its own, e.g. an address mapping.
class Text final : public ParameterBase {
 public:
  /// Says what is wrong with a text; empty if nothing is.
  using Checker = std::function<std::string(const std::string&)>;
  Text(ParameterGroup& group, std::string key, std::string initial, Checker check, std::string allowed,
       std::string description)
      : ParameterBase(group, std::move(key), "", std::move(description)),
        value_(initial),
        default_(std::move(initial)),
        check_(std::move(check)),
        allowed_(std::move(allowed)) {}
  [[nodiscard]] const std::string& get() const { return value_; }
  [[nodiscard]] ParameterValue value() const override { return value_; }
  [[nodiscard]] ParameterValue default_value() const override { return default_; }
  [[nodiscard]] std::string allowed() const override { return allowed_; }
  [[nodiscard]] std::string set(const ParameterValue& value) override;

 private:
  std::string value_;
  std::string default_;
  Checker check_;
  std::string allowed_;
};

/// A switch.
class Flag final : public ParameterBase {
 public:
  Flag(ParameterGroup& group, std::string key, bool initial, std::string description)
      : ParameterBase(group, std::move(key), "", std::move(description)), value_(initial), default_(initial) {}
  operator bool() const { return value_; }  // NOLINT(google-explicit-constructor)
  [[nodiscard]] ParameterValue value() const override { return value_; }
  [[nodiscard]] ParameterValue default_value() const override { return default_; }
  [[nodiscard]] std::string allowed() const override { return "true or false"; }
  [[nodiscard]] std::string set(const ParameterValue& value) override;

 private:
  bool value_;
  bool default_;
};

/// One of several names.
class Choice final : public ParameterBase {
 public:
  Choice(ParameterGroup& group, std::string key, std::string initial, std::vector<std::string> names,
         std::string description)
      : ParameterBase(group, std::move(key), "", std::move(description)),
        value_(initial),
        default_(std::move(initial)),
        names_(std::move(names)) {}
  [[nodiscard]] const std::string& get() const { return value_; }
  [[nodiscard]] bool is(std::string_view name) const { return value_ == name; }
  [[nodiscard]] ParameterValue value() const override { return value_; }
  [[nodiscard]] ParameterValue default_value() const override { return default_; }
  [[nodiscard]] std::string allowed() const override;
  [[nodiscard]] std::string set(const ParameterValue& value) override;

 private:
  std::string value_;
  std::string default_;
  std::vector<std::string> names_;
};

template <typename T>
std::string Parameter<T>::set(const ParameterValue& value) {
  double number = 0;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    number = static_cast<double>(*integer);
    if constexpr (std::is_integral_v<T>) {
      const bool below = std::is_unsigned_v<T> && *integer < 0;
      if (below || static_cast<double>(*integer) < static_cast<double>(range_.least) ||
          static_cast<double>(*integer) > static_cast<double>(range_.most))
        return "out of range";
      value_ = static_cast<T>(*integer);
      return "";
    }
  } else if (const auto* real = std::get_if<double>(&value); real != nullptr && std::is_floating_point_v<T>) {
    number = *real;
  } else {
    return std::is_integral_v<T> ? "not an integer" : "not a number";
  }
  if (!(number >= static_cast<double>(range_.least) && number <= static_cast<double>(range_.most)))
    return "out of range";
  value_ = static_cast<T>(number);
  return "";
}

}  // namespace heddle::sim
