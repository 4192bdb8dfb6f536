// What many counters counted in one launch, by name. Programs launch kernels by the million: the names are shared, and
// the values are packed into as few bytes as each needs.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle {

class NamedCounters {
 public:
  using Names = std::shared_ptr<const std::vector<std::string>>;  ///< in alphabetical order

  NamedCounters() = default;
  NamedCounters(Names names, std::span<const std::uint64_t> values);
  NamedCounters(const std::map<std::string, std::uint64_t>& values);  // NOLINT(google-explicit-constructor)
  NamedCounters(std::initializer_list<std::pair<const std::string, std::uint64_t>> values)
      : NamedCounters(std::map<std::string, std::uint64_t>(values)) {}

  [[nodiscard]] std::optional<std::uint64_t> get(std::string_view name) const;
  [[nodiscard]] bool contains(std::string_view name) const { return get(name).has_value(); }
  /// Throws std::out_of_range that names it.
  [[nodiscard]] std::uint64_t at(std::string_view name) const;
  [[nodiscard]] std::size_t size() const { return names_ ? names_->size() : 0; }
  [[nodiscard]] const std::vector<std::string>& names() const;
  /// In the order of names().
  [[nodiscard]] std::vector<std::uint64_t> values() const;
  [[nodiscard]] std::map<std::string, std::uint64_t> all() const;
  friend bool operator==(const NamedCounters& a, const NamedCounters& b) { return a.all() == b.all(); }

 private:
  Names names_;
  std::vector<std::uint8_t> packed_;  ///< seven bits to a byte, the lowest first; the top bit: more follow
};

}  // namespace heddle
