#include "memory/dram_address_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace heddle::memory {

namespace {

constexpr std::array<const char*, DramAddressMap::kFields> kNames = {"row", "rank", "bankgroup", "bank", "column"};
constexpr unsigned kRowBits = 32;

unsigned log2_of(unsigned size) { return static_cast<unsigned>(std::countr_zero(size)); }

/// The parts as written, most significant first.
std::vector<DramAddressMap::Part> parse(const std::string& text, std::string& error) {
  std::vector<DramAddressMap::Part> parts;
  std::array<unsigned, DramAddressMap::kFields> open{};
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    const std::string item = text.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t digits = std::min(item.find_first_of("0123456789"), item.size());
    const std::string name = item.substr(0, digits);
    const std::string number = item.substr(digits);
    const auto field = std::find(kNames.begin(), kNames.end(), name);
    const bool whole = number.empty();
    const bool number_ok = number.size() <= 2 && number.find_first_not_of("0123456789") == std::string::npos &&
                           (whole || std::stoi(number) > 0);
    if (field == kNames.end() || !number_ok) {
      error = fmt::format("unknown field '{}'", item);
      return {};
    }
    const auto index = static_cast<DramAddressMap::Field>(field - kNames.begin());
    if (whole && ++open[index] > 1) {
      error = fmt::format("'{}' appears twice without a number of bits", name);
      return {};
    }
    if (parts.size() == 32) {
      error = "too many fields";
      return {};
    }
    parts.push_back({index, whole ? 0 : static_cast<unsigned>(std::stoi(number))});
  }
  if (open[DramAddressMap::kRow] == 0) error = "'row' without a number of bits must appear";
  return parts;
}

}  // namespace

std::string check_mapping_text(const std::string& text) {
  std::string error;
  (void)parse(text, error);
  return error;
}

std::vector<DramAddressMap::Part> DramAddressMap::cut(const DramParameters& parameters, std::string& error) {
  Widths width{};
  width[kRow] = kRowBits;
  width[kRank] = log2_of(parameters.ranks);
  width[kBankGroup] = log2_of(parameters.bank_groups);
  width[kBank] = log2_of(parameters.banks_per_group);
  width[kColumn] = log2_of(parameters.row_bytes / parameters.burst_bytes());

  std::vector<Part> parts = parse(parameters.mapping.get(), error);
  if (!error.empty()) return {};
  std::reverse(parts.begin(), parts.end());
  Widths named{};
  Widths open{};
  for (const Part& part : parts) {
    named[part.field] += part.bits;
    if (part.bits == 0) open[part.field] = 1;
  }
  for (unsigned field = 0; field < kFields; ++field) {
    if (named[field] > width[field] || (open[field] == 0 && named[field] != width[field])) {
      error =
          fmt::format("'{}' has {} bits here and {} in the organisation", kNames[field], named[field], width[field]);
      return {};
    }
  }
  unsigned shift = log2_of(parameters.burst_bytes());
  Widths offset{};
  for (Part& part : parts) {
    if (part.bits == 0) part.bits = width[part.field] - named[part.field];
    part.shift = shift;
    part.offset = offset[part.field];
    shift += part.bits;
    offset[part.field] += part.bits;
  }
  std::erase_if(parts, [](const Part& part) { return part.bits == 0 || part.shift >= 64; });
  return parts;
}

std::string DramAddressMap::check(const DramParameters& parameters) {
  std::string error;
  (void)cut(parameters, error);
  return error;
}

DramAddressMap::DramAddressMap(const DramParameters& parameters)
    : bank_bits_(log2_of(parameters.banks_per_group)),
      group_bits_(log2_of(parameters.bank_groups)),
      hash_(parameters.bank_hash) {
  std::string error;
  parts_ = cut(parameters, error);
  HEDDLE_CHECK(error.empty(), error);
}

DramPlace DramAddressMap::place(std::uint64_t address) const {
  std::array<std::uint32_t, kFields> value{};
  for (const Part& part : parts_) {
    const std::uint64_t mask = (std::uint64_t{1} << part.bits) - 1;
    value[part.field] |= static_cast<std::uint32_t>((address >> part.shift & mask) << part.offset);
  }
  DramPlace place{value[kRow], value[kColumn], value[kRank], value[kBankGroup], value[kBank]};
  if (hash_) hash(place);
  return place;
}

std::uint64_t DramAddressMap::address(const DramPlace& place) const {
  DramPlace plain = place;
  if (hash_) hash(plain);
  const std::array<std::uint32_t, kFields> value = {plain.row, plain.rank, plain.group, plain.bank, plain.column};
  std::uint64_t address = 0;
  for (const Part& part : parts_) {
    const std::uint64_t mask = (std::uint64_t{1} << part.bits) - 1;
    address |= (value[part.field] >> part.offset & mask) << part.shift;
  }
  return address;
}

// Its own inverse, because the row is left as it is. The group takes the lowest row bits, the bank the next.
void DramAddressMap::hash(DramPlace& place) const {
  place.group ^= place.row & ((1u << group_bits_) - 1);
  place.bank ^= place.row >> group_bits_ & ((1u << bank_bits_) - 1);
}

}  // namespace heddle::memory
