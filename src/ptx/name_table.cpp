#include "ptx/name_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "ptx/nearest.h"
#include "ptx/special_registers.h"
#include "ptx/token_stream.h"

namespace heddle::ptx {
namespace {

std::uint64_t length_bit(std::size_t length) { return std::uint64_t{1} << std::min<std::size_t>(length, 63); }

}  // namespace

NameTable::NameTable() : scopes_(1) {
  const auto specials = special_registers();
  for (std::uint32_t i = 0; i < specials.size(); ++i) {
    declare(intern(specials[i].name), {Declaration::Kind::special, i, {}});
  }
}

NameId NameTable::intern(std::string_view text) {
  const NameId name = ids_.intern(text);
  if (name == names_.size()) names_.emplace_back();
  return name;
}

void NameTable::open_scope() {
  Scope scope;
  scope.deepest_range = scopes_.back().deepest_range;
  scopes_.push_back(std::move(scope));
}

std::vector<NameTable::Clash> NameTable::end_scope() {
  std::vector<Clash> clashes;
  const Scope scope = std::move(scopes_.back());
  for (const NameId name : scope.names) {
    const Entry& entry = declarations_[names_[name].declaration];
    if (!entry.from_range && entry.declaration.kind == Declaration::Kind::reg && !scope.prefixes.empty() &&
        range_of(text_of(name), depth() - 1) != kNone) {
      clashes.push_back({name, entry.declaration.place});
    }
    names_[name].declaration = entry.outer;
  }
  for (const NameId prefix : scope.prefixes) names_[prefix].range = ranges_[names_[prefix].range].outer;
  scopes_.pop_back();
  return clashes;
}

const Declaration* NameTable::find(NameId name) const {
  const std::uint32_t entry = names_[name].declaration;
  return entry == kNone ? nullptr : &declarations_[entry].declaration;
}

const Declaration* NameTable::find_in_current_scope(NameId name) const {
  const std::uint32_t entry = names_[name].declaration;
  if (entry == kNone || declarations_[entry].depth != depth()) return nullptr;
  if (declarations_[entry].declaration.kind == Declaration::Kind::special) return nullptr;
  return &declarations_[entry].declaration;
}

void NameTable::push(NameId name, const Declaration& declaration, std::uint32_t depth, bool from_range) {
  declarations_.push_back({declaration, depth, names_[name].declaration, from_range});
  names_[name].declaration = static_cast<std::uint32_t>(declarations_.size() - 1);
  scopes_[depth].names.push_back(name);
}

void NameTable::declare(NameId name, Declaration declaration) { push(name, declaration, depth(), false); }

const RegisterRange* NameTable::find_in_range(NameId name) const {
  const std::uint32_t entry = names_[name].declaration;
  const std::uint32_t known = entry == kNone ? 0 : declarations_[entry].depth;
  if (scopes_.back().deepest_range <= known) return nullptr;
  const std::uint32_t range = range_of(text_of(name), known);
  return range == kNone ? nullptr : &ranges_[range].range;
}

void NameTable::declare_from_range(NameId name, std::uint32_t register_index) {
  const std::uint32_t entry = names_[name].declaration;
  const RangeEntry& found = ranges_[range_of(text_of(name), entry == kNone ? 0 : declarations_[entry].depth)];
  push(name, {Declaration::Kind::reg, register_index, found.range.place}, found.depth, true);
}

// A prefix may itself end in digits (`r1<5>` declares r10..r14), so every split of the trailing digits is tried; ten
// are enough for any 32-bit count. The innermost range wins.
std::uint32_t NameTable::range_of(std::string_view text, std::uint32_t deeper_than) const {
  std::uint32_t best = kNone;
  for (std::size_t digits = 1; digits <= 10 && digits < text.size(); ++digits) {
    const std::size_t split = text.size() - digits;
    if (text[split] < '0' || text[split] > '9') break;
    if (text[split] == '0' && digits > 1) continue;  // %r01 is no member of %r<100>
    if ((prefix_lengths_ & length_bit(split)) == 0) continue;
    const auto prefix = ids_.find(text.substr(0, split));
    if (!prefix) continue;
    std::uint64_t number = 0;
    std::from_chars(text.data() + split, text.data() + text.size(), number);
    for (std::uint32_t range = names_[*prefix].range; range != kNone; range = ranges_[range].outer) {
      if (ranges_[range].depth <= deeper_than) break;
      if (number >= ranges_[range].range.count) continue;  // an outer range may be longer
      deeper_than = ranges_[range].depth;
      best = range;
      break;
    }
  }
  return best;
}

bool NameTable::declare_range(NameId prefix, const RegisterRange& range) {
  const std::uint32_t outer = names_[prefix].range;
  if (outer != kNone && ranges_[outer].depth == depth()) return false;
  ranges_.push_back({range, depth(), outer});
  names_[prefix].range = static_cast<std::uint32_t>(ranges_.size() - 1);
  scopes_.back().prefixes.push_back(prefix);
  scopes_.back().deepest_range = depth();
  prefix_lengths_ |= length_bit(text_of(prefix).size());
  return true;
}

std::string NameTable::hint(std::string_view text) const {
  const std::size_t prefix_length = text.find_last_not_of("0123456789") + 1;
  if (const auto prefix = ids_.find(text.substr(0, prefix_length)); prefix && prefix_length < text.size()) {
    const std::uint32_t range = names_[*prefix].range;
    if (range != kNone) {
      return fmt::format(" ({} declares numbers below {})",
                         quote(fmt::format("{}<{}>", text.substr(0, prefix_length), ranges_[range].range.count)),
                         ranges_[range].range.count);
    }
  }
  NearestName nearest(text);
  for (NameId name = 0; name < names_.size() && !nearest.exhausted(); ++name) {
    if (names_[name].declaration != kNone) nearest.consider(text_of(name));
  }
  return nearest.hint();
}

}  // namespace heddle::ptx
