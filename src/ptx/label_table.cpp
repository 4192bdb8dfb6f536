#include "ptx/label_table.h"

namespace heddle::ptx {

void LabelTable::open_scope() { scopes_.push_back({static_cast<std::uint32_t>(references_.size()), {}}); }

void LabelTable::close_scope() {
  const Scope scope = std::move(scopes_.back());
  scopes_.pop_back();
  for (const Definition& definition : scope.definitions) {
    const auto chain = newest_.find(definition.name);
    if (chain == newest_.end()) continue;
    std::uint32_t& reference = chain->second;
    while (reference != kNoId && reference >= scope.first_reference) {
      references_[reference].target = definition.target;
      reference = references_[reference].previous;
    }
  }
}

void LabelTable::define(NameId name, Target target) { scopes_.back().definitions.push_back({name, target}); }

std::uint32_t LabelTable::refer(NameId name, SourcePlace place) {
  const auto number = static_cast<std::uint32_t>(references_.size());
  const auto [chain, is_first] = newest_.try_emplace(name, kNoId);
  references_.push_back({name, place, {}, chain->second});
  chain->second = number;
  return number;
}

void LabelTable::clear() {
  references_.clear();
  newest_ = {};  // clear() would visit the buckets of the largest function again for every later one
  scopes_.clear();
}

}  // namespace heddle::ptx
