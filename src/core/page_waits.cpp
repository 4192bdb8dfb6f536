#include "core/page_waits.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/addresses.h"
#include "memory/request.h"

namespace heddle::core {

using sim::Cycle;
using vm::Reach;

Reach PageWaits::reach(const LineGroup& group, const LineRequest& line) const {
  if (is_fixed(line.line)) return Reach::here;
  const bool write = group.kind != MemoryKind::load;
  const Reach found = managed_.reach(group.application, line.line.address, write);
  if (found == Reach::away || remote_.empty()) return found;
  // The page may have come since an earlier line of it went over the link.
  const auto same_page = [&](const LineRequest& other) {
    return vm::page_of(other.line.address).number == vm::page_of(line.line.address).number;
  };
  const bool behind = std::any_of(remote_.begin(), remote_.end(), [&](const Waiting& waiting) {
    const LineGroup& earlier = groups_.at(waiting.group);
    return earlier.application == group.application &&
           std::any_of(earlier.lines.begin(), earlier.lines.end(), same_page);
  });
  return behind ? Reach::remote : found;
}

std::uint32_t PageWaits::part_of(std::uint32_t group, const std::vector<LineRequest>& lines) {
  const std::uint32_t made = groups_.take();
  LineGroup& part = groups_.at(made);
  part = groups_.at(group);
  part.lines.clear();
  for (const LineRequest& line : lines) part.lines.push_back(line);
  return made;
}

bool PageWaits::divide(std::uint32_t index, Cycle now) {
  LineGroup& group = groups_.at(index);
  absent_.clear();
  away_.clear();
  std::vector<LineRequest> here;
  for (const LineRequest& line : group.lines) {
    switch (reach(group, line)) {
      case Reach::here:
        here.push_back(line);
        break;
      case Reach::remote:
        away_.push_back(line);
        break;
      case Reach::away:
        absent_.push_back(line);
        faults_.push_back({group.application, line.line.address, group.kind != MemoryKind::load});
        break;
    }
  }
  if (absent_.empty() && away_.empty()) return true;
  if (!absent_.empty()) waiting_.push_back({part_of(index, absent_), now});
  if (!away_.empty()) {
    remote_.push_back({part_of(index, away_), now});
    ++unasked_;
  }
  LineGroup& rest = groups_.at(index);  // making parts may have moved it
  rest.lines.clear();
  for (const LineRequest& line : here) rest.lines.push_back(line);
  if (!here.empty()) return true;
  groups_.release(index);
  return false;
}

void PageWaits::tell(Cycle now) {
  for (const vm::ManagedFault& fault : faults_) managed_.fault(fault, now);
  faults_.clear();
  for (std::size_t r = remote_.size() - unasked_; r < remote_.size(); ++r) {
    const LineGroup& group = groups_.at(remote_[r].group);
    for (const LineRequest& line : group.lines) {
      const auto bytes = static_cast<std::uint64_t>(std::popcount(line.sectors)) * memory::kSectorUnit;
      answered_ = std::max(answered_, managed_.access_remotely(bytes, group.kind != MemoryKind::load, now));
    }
    remote_[r].until = answered_;
  }
  unasked_ = 0;
}

void PageWaits::let_go(Cycle now, const std::function<void(std::uint32_t)>& queue) {
  std::size_t answered = 0;
  for (; answered < remote_.size() && remote_[answered].until <= now; ++answered) {
    managed_.waited(now - remote_[answered].since);
    queue(remote_[answered].group);
  }
  remote_.erase(remote_.begin(), remote_.begin() + static_cast<std::ptrdiff_t>(answered));
  if (managed_.generation() == seen_) return;
  seen_ = managed_.generation();
  for (const Waiting& waiting : std::exchange(waiting_, {})) {
    managed_.waited(now - waiting.since);
    if (divide(waiting.group, now)) queue(waiting.group);
  }
}

Cycle PageWaits::wakes_at() const { return remote_.empty() ? sim::kNever : remote_.front().until; }

}  // namespace heddle::core
