// Numbers the names of a text: equal names have one number, and comparing numbers is comparing names.
//
// Open addressing over views into the text: looking up a name is the parser's most frequent step, and a node per name
// (std::unordered_map) cost more than all other steps together.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace heddle::ptx {

using NameId = std::uint32_t;

class Interner {
 public:
  Interner();

  /// The number of a name, a new one if it was not seen before: numbers are dense from 0. The text must outlive this.
  [[nodiscard]] NameId intern(std::string_view text);
  [[nodiscard]] std::optional<NameId> find(std::string_view text) const;
  [[nodiscard]] std::string_view text_of(NameId name) const { return names_[name].text; }
  [[nodiscard]] std::size_t size() const { return names_.size(); }

 private:
  static constexpr NameId kFree = 0xffffffffu;

  struct Name {
    std::string_view text;
    std::uint64_t hash;
  };

  /// The slot that holds `text`, or the free one where it belongs.
  [[nodiscard]] std::size_t slot_of(std::string_view text, std::uint64_t hash) const;
  void grow();

  std::vector<Name> names_;
  std::vector<NameId> slots_;  ///< a power of two of them, at most half taken
};

}  // namespace heddle::ptx
