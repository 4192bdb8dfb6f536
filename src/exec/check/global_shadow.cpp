#include "exec/check/global_shadow.h"

#include <algorithm>

namespace heddle::exec {
namespace {

constexpr std::uint64_t kBits = 64;

/// Calls f(word, mask) for the words of a bit set that a range of bits lies in.
template <typename Function>
void for_each_word(std::uint64_t first, std::uint64_t count, Function&& f) {
  for (std::uint64_t bit = first; bit < first + count;) {
    const std::uint64_t in_word = std::min(kBits - bit % kBits, first + count - bit);
    const std::uint64_t mask =
        in_word == kBits ? ~std::uint64_t{0} : ((std::uint64_t{1} << in_word) - 1) << bit % kBits;
    f(bit / kBits, mask);
    bit += in_word;
  }
}

}  // namespace

void GlobalShadow::allocated(std::uint64_t address, std::uint64_t bytes) {
  last_ = nullptr;
  freed_.erase(freed_.lower_bound(address), freed_.lower_bound(address + std::max<std::uint64_t>(bytes, 1)));
  live_[address] = {address, bytes, {}, {}, false};
}

void GlobalShadow::released(std::uint64_t address, const std::optional<ThreadPlace>& by, std::uint64_t launches) {
  last_ = nullptr;
  const auto found = live_.find(address);
  if (found == live_.end()) return;
  freed_[address] = {address, found->second.bytes, by, launches};
  live_.erase(found);
}

void GlobalShadow::name(std::uint64_t address, std::uint64_t bytes, const std::string& name) {
  last_ = nullptr;
  live_[address] = {address, bytes, name, {}, true};
}

GlobalShadow::Region* GlobalShadow::find(std::uint64_t address, std::uint64_t bytes) {
  if (last_ != nullptr && last_->contains(address, bytes)) return last_;
  auto next = live_.upper_bound(address);
  if (next == live_.begin()) return nullptr;
  Region& region = std::prev(next)->second;
  if (!region.contains(address, bytes)) return nullptr;
  return last_ = &region;
}

const GlobalShadow::Region* GlobalShadow::nearest(std::uint64_t address) const {
  if (live_.empty()) return nullptr;
  const auto next = live_.upper_bound(address);
  if (next == live_.begin()) return &next->second;
  const Region& before = std::prev(next)->second;
  const std::uint64_t past = address - std::min(address, before.address + before.bytes);
  return next != live_.end() && next->first - address < past ? &next->second : &before;
}

const GlobalShadow::Freed* GlobalShadow::find_freed(std::uint64_t address) const {
  const auto next = freed_.upper_bound(address);
  if (next == freed_.begin()) return nullptr;
  const Freed& freed = std::prev(next)->second;
  return address - freed.address < std::max<std::uint64_t>(freed.bytes, 1) ? &freed : nullptr;
}

void GlobalShadow::wrote(std::uint64_t address, std::uint64_t bytes) {
  if (Region* region = find(address, bytes); region != nullptr) mark_written(*region, address, bytes);
}

bool GlobalShadow::is_written(const Region& region, std::uint64_t address, std::uint64_t bytes) {
  if (region.all_written) return true;
  if (region.written.empty()) return false;
  bool all = true;
  for_each_word(address - region.address, bytes,
                [&](std::uint64_t word, std::uint64_t mask) { all = all && (region.written[word] & mask) == mask; });
  return all;
}

void GlobalShadow::mark_written(Region& region, std::uint64_t address, std::uint64_t bytes) {
  if (region.all_written) return;
  if (bytes == region.bytes) {
    region.all_written = true;
    region.written = {};
    return;
  }
  if (region.written.empty()) region.written.resize((region.bytes + kBits - 1) / kBits);
  for_each_word(address - region.address, bytes,
                [&](std::uint64_t word, std::uint64_t mask) { region.written[word] |= mask; });
}

}  // namespace heddle::exec
