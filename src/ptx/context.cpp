#include "ptx/context.h"

#include <fmt/format.h>

namespace heddle::ptx {

bool Context::declare(const Token& name, Declaration::Kind kind, std::uint32_t index) {
  const NameId id = names.intern(name.text);
  if (const Declaration* other = names.find_in_current_scope(id)) {
    return tokens.error(name.place, fmt::format("{} is declared twice in this scope, first in line {}",
                                                quote(name.text), other->place.line));
  }
  names.declare(id, {kind, index, name.place});
  return true;
}

const Declaration* Context::find(NameId name) {
  if (const RegisterRange* range = names.find_in_range(name)) {
    auto& registers = current_function().registers;
    const auto index = static_cast<RegisterId>(registers.size());
    registers.push_back({std::string(names.text_of(name)), range->type, range->vector});
    names.declare_from_range(name, index);
  }
  return names.find(name);
}

std::string Context::hint(std::string_view name) {
  // Looking for the nearest name visits all of them, so only the first few mistakes get it.
  constexpr std::size_t kHints = 20;
  return hints_given++ < kHints ? names.hint(name) : std::string();
}

bool Context::expand(SourcePlace place, std::uint64_t count) {
  if (count > expansion_budget)
    return tokens.error(place, fmt::format("{} names are more than this text can use", count));
  expansion_budget -= count;
  return true;
}

void Context::close_scope() {
  names.close_scope([this](std::string_view name, SourcePlace place) {
    tokens.error(place, fmt::format("{} is declared twice in this scope: alone and as part of a range", quote(name)));
  });
}

}  // namespace heddle::ptx
