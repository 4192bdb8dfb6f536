#include "core/operands/regless/staging_unit.h"

#include <algorithm>

#include "base/check.h"

namespace heddle::core {

StagingUnit::StagingUnit(unsigned lines_per_bank, unsigned warps)
    : lines_(std::size_t{lines_per_bank} * isa::kRegionBanks), tags_(std::size_t{warps} * 256, kNone) {
  for (Line line = 0; line < lines_.size(); ++line) {
    lines_[line].bank = static_cast<std::uint8_t>(line % isa::kRegionBanks);
    banks_[lines_[line].bank].free.push_back(line);
  }
}

StagingUnit::Line StagingUnit::allocate(unsigned bank, StagedName name, Victim& victim) {
  Bank& b = banks_[bank];
  std::deque<Line>& list = !b.free.empty() ? b.free : !b.clean.empty() ? b.clean : b.dirty;
  HEDDLE_CHECK(!list.empty(), "every line of a bank is owned by regions that promised to need fewer");
  const Line line = list.front();
  list.pop_front();
  Entry& entry = lines_[line];
  victim.dirty = entry.used && entry.dirty;
  if (victim.dirty) {
    victim.name = entry.name;
    victim.value = entry.value;
  }
  if (entry.used) forget(line);
  entry.name = name;
  entry.owned = true;
  entry.dirty = false;
  entry.used = true;
  entry.value.fill(0);
  tags_[tag(name)] = line;
  return line;
}

void StagingUnit::own(Line line) {
  Entry& entry = lines_[line];
  std::deque<Line>& list = entry.dirty ? banks_[entry.bank].dirty : banks_[entry.bank].clean;
  list.erase(std::find(list.begin(), list.end(), line));
  entry.owned = true;
}

void StagingUnit::forget(Line line) {
  Entry& entry = lines_[line];
  tags_[tag(entry.name)] = kNone;
  entry.used = entry.owned = entry.dirty = false;
}

void StagingUnit::release(Line line, bool erase) {
  Entry& entry = lines_[line];
  Bank& bank = banks_[entry.bank];
  entry.owned = false;
  if (erase) {
    forget(line);
    bank.free.push_back(line);
  } else {
    (entry.dirty ? bank.dirty : bank.clean).push_back(line);
  }
}

void StagingUnit::drop(Line line) {
  own(line);
  release(line, true);
}

void StagingUnit::drop_warp(std::uint8_t warp) {
  for (std::size_t t = std::size_t{warp} * 256; t < (std::size_t{warp} + 1) * 256; ++t) {
    const Line line = tags_[t];
    if (line == kNone) continue;
    if (!lines_[line].owned) own(line);
    release(line, true);
  }
}

}  // namespace heddle::core
