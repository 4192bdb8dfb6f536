#include "ptx/interner.h"

#include <functional>

namespace heddle::ptx {
namespace {

std::uint64_t hash_of(std::string_view text) { return std::hash<std::string_view>{}(text); }

}  // namespace

Interner::Interner() : slots_(512, kFree) {}

std::size_t Interner::slot_of(std::string_view text, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash & mask;; slot = (slot + 1) & mask) {
    if (slots_[slot] == kFree) return slot;
    const Name& name = names_[slots_[slot]];
    if (name.hash == hash && name.text == text) return slot;
  }
}

NameId Interner::intern(std::string_view text) {
  const std::uint64_t hash = hash_of(text);
  std::size_t slot = slot_of(text, hash);
  if (slots_[slot] != kFree) return slots_[slot];
  if (2 * (names_.size() + 1) > slots_.size()) {
    grow();
    slot = slot_of(text, hash);
  }
  slots_[slot] = static_cast<NameId>(names_.size());
  names_.push_back({text, hash});
  return slots_[slot];
}

std::optional<NameId> Interner::find(std::string_view text) const {
  const NameId name = slots_[slot_of(text, hash_of(text))];
  return name == kFree ? std::nullopt : std::optional<NameId>(name);
}

void Interner::grow() {
  slots_.assign(2 * slots_.size(), kFree);
  const std::size_t mask = slots_.size() - 1;
  for (NameId name = 0; name < names_.size(); ++name) {
    std::size_t slot = names_[name].hash & mask;
    while (slots_[slot] != kFree) slot = (slot + 1) & mask;
    slots_[slot] = name;
  }
}

}  // namespace heddle::ptx
