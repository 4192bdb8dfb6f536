#include "core/operands/regless/compressor.h"

#include <algorithm>

namespace heddle::core {
namespace {

constexpr unsigned kHalfWarp = kWarpSize / 2;

struct PatternForm {
  std::uint32_t stride = 0;
  unsigned run = kWarpSize;  ///< lanes that share a base
};

PatternForm form_of(ValuePattern pattern) {
  switch (pattern) {
    case ValuePattern::constant:
      return {0, kWarpSize};
    case ValuePattern::stride1:
      return {1, kWarpSize};
    case ValuePattern::stride4:
      return {4, kWarpSize};
    case ValuePattern::half_stride1:
      return {1, kHalfWarp};
    case ValuePattern::half_stride4:
      return {4, kHalfWarp};
  }
  return {};
}

constexpr std::array kPatterns{ValuePattern::constant, ValuePattern::stride1, ValuePattern::stride4,
                               ValuePattern::half_stride1, ValuePattern::half_stride4};

}  // namespace

RegisterValue expand(const CompressedValue& value) {
  const PatternForm form = form_of(value.pattern);
  RegisterValue lanes{};
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    lanes[lane] = value.base[lane / form.run] + form.stride * (lane % form.run);
  return lanes;
}

std::optional<CompressedValue> compress(const RegisterValue& value) {
  for (const ValuePattern pattern : kPatterns) {
    const CompressedValue candidate{pattern, {value[0], value[kHalfWarp]}};
    if (expand(candidate) == value) return candidate;
  }
  return std::nullopt;
}

Compressor::Compressor(unsigned lines, unsigned warps)
    : warps_(warps),
      copies_(std::size_t{warps} * 256, Copy::none),
      values_(copies_.size()),
      compressed_in_(copies_.size() / kSlots + 1, 0),
      cache_(lines) {}

void Compressor::set_copy(StagedName name, Copy copy) {
  Copy& now = copies_[index(name)];
  if (now == Copy::compressed) --compressed_in_[line_of(name)];
  if (copy == Copy::compressed) ++compressed_in_[line_of(name)];
  now = copy;
}

Compressor::Cached* Compressor::find(std::uint32_t line) {
  const auto found = std::find_if(cache_.begin(), cache_.end(),
                                  [&](const Cached& cached) { return cached.used && cached.line == line; });
  return found == cache_.end() ? nullptr : &*found;
}

Compressor::Cached* Compressor::victim() {
  Cached* best = nullptr;
  for (Cached& cached : cache_) {
    if (!cached.used) return &cached;
    if (!cached.filling && (best == nullptr || cached.touched < best->touched)) best = &cached;
  }
  return best;
}

}  // namespace heddle::core
