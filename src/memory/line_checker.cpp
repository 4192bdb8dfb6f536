#include "memory/line_checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/diagnostics.h"

namespace heddle::memory {

using sim::Cycle;

namespace {

constexpr unsigned kSpaceShift = 47;  // a unit's number has 43 bits, with 48 bits of address

}  // namespace

std::uint32_t LineChecker::open(const LineName& name, Cycle now) {
  const std::scoped_lock lock(mutex_);
  std::uint32_t record = 0;
  if (free_.empty()) {
    record = static_cast<std::uint32_t>(records_.size());
    records_.emplace_back();
  } else {
    record = free_.back();
    free_.pop_back();
  }
  records_[record] = {.name = name, .asked_at = now, .meant = name};
  return record;
}

LineRecord& LineChecker::at(std::uint32_t record) {
  const std::scoped_lock lock(mutex_);
  return records_[record];
}

void LineChecker::close(std::uint32_t record) {
  const std::scoped_lock lock(mutex_);
  free_.push_back(record);
}

Version LineChecker::next(std::uint16_t sm) {
  const std::scoped_lock lock(mutex_);
  return next_version(sm);
}

void LineChecker::wrote(const LineRecord& record, std::uint32_t units, Cycle now) {
  const std::scoped_lock lock(mutex_);
  note_write(record.meant, units, record.versions, now);
}

void LineChecker::note_write(const LineName& name, std::uint32_t units, const Versions& versions, Cycle now) {
  for_each_unit(units, [&](unsigned u) {
    const Unit unit = unit_of(name, u);
    std::vector<Write>& writes = history_[unit];
    const auto place =
        std::upper_bound(writes.begin(), writes.end(), now, [](Cycle at, const Write& write) { return at < write.at; });
    writes.insert(place, {versions[u], now});
    served_[versions[u]] = {unit, now};
  });
}

void LineChecker::read(const Read& read) {
  const std::scoped_lock lock(mutex_);
  reads_.push_back(read);
}

void LineChecker::store(PhysLine line, std::uint32_t units, const Versions& versions) {
  const std::scoped_lock lock(mutex_);
  write_memory(line, units, versions);
}

void LineChecker::write_memory(PhysLine line, std::uint32_t units, const Versions& versions) {
  Frame& frame = memory_[line.address >> kFrameBits];
  const std::uint64_t first = line.address / kSectorUnit % kUnitsOfPage;
  for_each_unit(units, [&](unsigned u) { frame.write(first + u, versions[u]); });
}

void LineChecker::load(PhysLine line, std::uint32_t units, Versions& versions) {
  const std::scoped_lock lock(mutex_);
  const std::uint64_t number = line.address >> kFrameBits;
  const std::uint64_t first = line.address / kSectorUnit % kUnitsOfPage;
  const auto frame = memory_.find(number);
  const auto owners = owners_.find(number);
  for_each_unit(units, [&](unsigned u) {
    if (frame != memory_.end() && frame->second.written[first + u]) {
      versions[u] = frame->second.versions[first + u];
    } else if (owners == owners_.end()) {
      versions[u] = 0;
    } else {
      const auto& [space, page] = owners->second.back();
      versions[u] = initial({page * kUnitsOfPage + first + u, space});
    }
  });
}

void LineChecker::host_writes(PhysLine line, std::uint32_t units, Cycle now) {
  const std::scoped_lock lock(mutex_);
  const auto owner = owner_of(line.address >> kFrameBits);
  if (!owner) return;
  Versions versions{};
  versions.fill(next_version(kHostWriter));
  const auto& [space, page] = *owner;
  note_write({VirtLine{page << kFrameBits | (line.address & ((1u << kFrameBits) - 1))}, space}, units, versions, now);
  write_memory(line, units, versions);
}

std::optional<PageName> LineChecker::owner_of(std::uint64_t frame) const {
  const auto owners = owners_.find(frame);
  if (owners == owners_.end()) return std::nullopt;
  const auto present = frames_.find(owners->second.back());
  return present != frames_.end() && present->second == frame ? std::optional(owners->second.back()) : std::nullopt;
}

void LineChecker::serves(LineRecord& record, LineTag line, bool write, Cycle now) {
  const std::scoped_lock lock(mutex_);
  const std::uint64_t address = line.virtual_line().address;
  const auto frame = meanings_.frame_under({line.space(), address >> kFrameBits});
  const auto owner = frame ? owner_of(*frame) : std::nullopt;
  if (!owner) {
    wrong_ = fmt::format("in cycle {} a virtual L2 serves {:#x} of address space {}, {}", now, address, line.space(),
                         frame ? "and its frame is nobody's" : "and its table does not know the page");
    return;
  }
  const auto& [space, page] = *owner;
  record.meant = {VirtLine{page << kFrameBits | (address & ((1u << kFrameBits) - 1))}, space};
  if (!write) return;
  const Page named{record.name.space, record.name.line.address >> kFrameBits};
  if (!meanings_.writable(named, now)) {
    wrong_ = fmt::format("in cycle {} {:#x} of address space {} is written, and its page must not be", now,
                         record.name.line.address, record.name.space);
  } else if (!meanings_.meant(named, *owner, now, now)) {
    wrong_ = fmt::format("in cycle {} {:#x} of address space {} is written to {:#x}, which it does not mean", now,
                         record.name.line.address, record.name.space, record.meant.line.address);
  }
}

void LineChecker::leads(std::uint16_t space, std::uint64_t page, std::uint64_t frame) {
  const std::scoped_lock lock(mutex_);
  meanings_.leads({space, page}, frame);
}

void LineChecker::leads_no_more(std::uint16_t space, std::uint64_t page) {
  const std::scoped_lock lock(mutex_);
  meanings_.leads_no_more({space, page});
}

void LineChecker::leaves(LineTag line) {
  const std::scoped_lock lock(mutex_);
  ++leaving_[line.bits()];
}

void LineChecker::left(LineTag line) {
  const std::scoped_lock lock(mutex_);
  if (const auto found = leaving_.find(line.bits()); --found->second == 0) leaving_.erase(found);
}

bool LineChecker::is_leaving(LineTag line) {
  const std::scoped_lock lock(mutex_);
  return leaving_.contains(line.bits());
}

std::uint32_t LineChecker::count_leaving(LineTag page, unsigned bits) {
  const std::scoped_lock lock(mutex_);
  std::uint32_t sum = 0;
  for (const auto& [tag, count] : leaving_) sum += LineTag::from_bits(tag).in_page_of(page, bits) ? count : 0;
  return sum;
}

void LineChecker::forgets(std::uint16_t space, std::uint64_t page, Cycle now) {
  const std::scoped_lock lock(mutex_);
  meanings_.forgets({space, page}, now);
}

void LineChecker::renames(std::uint16_t space, std::uint64_t page, std::uint64_t owner) {
  meanings_.means({space, page}, {space, owner}, now_);
}

void LineChecker::guards(std::uint16_t space, std::uint64_t page, bool guarded) {
  meanings_.guards({space, page}, guarded, now_);
}

void LineChecker::give(std::uint64_t frame, std::uint16_t space, std::uint64_t page) {
  memory_.erase(frame);
  owners_[frame].emplace_back(space, page);
  frames_[{space, page}] = frame;
  meanings_.means({space, page}, {space, page}, now_);
  // What was there before under this name is forgotten.
  const auto first = history_.lower_bound({page * kUnitsOfPage, 0});
  const auto last = history_.lower_bound({(page + 1) * kUnitsOfPage, 0});
  for (auto at = first; at != last;) at = at->first.space == space ? history_.erase(at) : std::next(at);
}

void LineChecker::move(std::uint64_t frame, std::uint16_t space, std::uint64_t page, std::optional<std::uint64_t> old) {
  memory_.erase(frame);
  if (old) {
    if (const auto found = memory_.find(*old); found != memory_.end()) {
      const Frame copy = found->second;
      memory_.emplace(frame, copy);
    }
  } else {
    const auto last = history_.lower_bound({(page + 1) * kUnitsOfPage, 0});
    for (auto at = history_.lower_bound({page * kUnitsOfPage, 0}); at != last; ++at) {
      if (at->first.space == space && !at->second.empty())
        memory_[frame].write(at->first.number % kUnitsOfPage, at->second.back().version);
    }
  }
  owners_[frame].emplace_back(space, page);
  frames_[{space, page}] = frame;
}

Version LineChecker::initial(const Unit& unit) const {
  return frames_.contains(page_of(unit)) ? kHost | Version{unit.space} << kSpaceShift | unit.number : 0;
}

bool LineChecker::is_left_over(Version version, const Unit& unit) const {
  Page page;
  if ((version & kHost) != 0) {
    page = page_of({version & ((Version{1} << 43) - 1), static_cast<std::uint16_t>((version & ~kHost) >> kSpaceShift)});
  } else {
    const auto served = served_.find(version);
    if (served == served_.end()) return false;
    page = page_of(served->second.first);
  }
  const auto frame = frames_.find(page_of(unit));
  if (frame == frames_.end()) return false;
  const std::vector<Page>& owners = owners_.at(frame->second);
  // A page that has come back to a frame of its own may find what it left there.
  return std::find(owners.begin(), owners.end() - 1, page) != owners.end() - 1;
}

std::string LineChecker::describe(Version version) const {
  if (version == 0) return "what the host left";
  if ((version & kHost) != 0) {
    return fmt::format("what the host left at {:#x} of address space {}",
                       (version & ((Version{1} << 43) - 1)) * kSectorUnit, (version & ~kHost) >> kSpaceShift);
  }
  const auto served = served_.find(version);
  const std::string where = served == served_.end() ? "not at the L2 yet"
                                                    : fmt::format("to {:#x} of address space {}, in cycle {}",
                                                                  served->second.first.number * kSectorUnit,
                                                                  served->second.first.space, served->second.second);
  const std::uint64_t number = version & ((Version{1} << kSmShift) - 1);
  if (version >> kSmShift == kHostWriter) return fmt::format("write {} of the host ({})", number, where);
  return fmt::format("write {} of SM {} ({})", number, version >> kSmShift, where);
}

void LineChecker::judge(const Read& read, unsigned u) const {
  const Unit unit = unit_of(read.meant.value_or(read.name), u);
  const Version got = read.versions[u];
  const auto found = history_.find(unit);
  static const std::vector<Write> kNone;
  const std::vector<Write>& writes = found == history_.end() ? kNone : found->second;
  auto next = std::find_if(writes.begin(), writes.end(), [&](const Write& write) { return write.version == got; });
  if (next != writes.end()) {
    ++next;
  } else {
    const bool is_own = (got & kHost) == 0 && got >> kSmShift == read.sm && got != 0 && !served_.contains(got);
    if (is_own) return;  // it is still in this SM
    if (got != initial(unit) && !is_left_over(got, unit)) {
      throw InvariantError(fmt::format("wrong data: in cycle {} SM {} read {:#x} of address space {} and got {}",
                                       read.until, read.sm, unit.number * kSectorUnit, unit.space, describe(got)));
    }
    next = writes.begin();
  }
  if (next == writes.end() || next->at >= read.from) return;
  throw InvariantError(fmt::format(
      "stale data: in cycle {} SM {} read {:#x} of address space {} and got {}; from cycle {} on it must see {}",
      read.until, read.sm, unit.number * kSectorUnit, unit.space, describe(got), read.from, describe(next->version)));
}

void LineChecker::judge_meaning(const Read& read) const {
  const Page named{read.name.space, read.name.line.address >> kFrameBits};
  const LineName bytes = read.meant.value_or(read.name);
  const Page meant{bytes.space, bytes.line.address >> kFrameBits};
  if (meanings_.meant(named, meant, read.is_here ? read.until : read.from, read.until)) return;
  throw InvariantError(fmt::format(
      "wrong page: in cycle {} SM {} read {:#x} of address space {} and got {:#x} of address space {}, which "
      "it does not mean",
      read.until, read.sm, read.name.line.address, read.name.space, bytes.line.address, bytes.space));
}

void LineChecker::judge() {
  if (!wrong_.empty()) throw InvariantError(wrong_);
  for (Read& read : reads_) {
    judge_meaning(read);
    if (read.is_here) {
      const Page named{read.name.space, read.name.line.address >> kFrameBits};
      read.from = std::max(read.from, meanings_.forgotten(named, read.until));
    }
    for_each_unit(read.units, [&](unsigned u) { judge(read, u); });
    judged_ += static_cast<unsigned>(std::popcount(read.units));
  }
  reads_.clear();
}

}  // namespace heddle::memory
