#include "vm/iommu_pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace heddle::vm {

using sim::Cycle;

IommuPipeline::IommuPipeline(const Setup& setup)
    : setup_(setup.shared),
      p_(setup.parameters),
      statistics_(setup.statistics),
      second_level_(setup.second_level),
      page_size_(setup_.memory.parameters().page_size()),
      channels_(*setup_.channels),
      asker_(setup_.asker),
      tlb_(setup_.parameters.tlb),
      walker_(setup_.parameters.walker.kind.make(
          statistics_.walker, "",
          Walker::Setup{setup_.parameters.walker, statistics_.walker, *this, setup_.applications})),
      queues_(p_.banks) {}

void IommuPipeline::read(const EntryRead& entry) {
  memory::DramRequest request;
  request.token = entry.id;
  request.application = entry.space;
  request.traffic = memory::Traffic::walk;
  request.level = static_cast<std::uint8_t>(entry.level);
  request.warp = entry.warp;
  request.sm = setup_.index;
  if (bursts_.size() <= entry.id) bursts_.resize(entry.id + 1);
  bursts_[entry.id] =
      channels_.transfer(memory::line_around(entry.address, setup_.line_bytes),
                         walker_->sectors(entry.address, setup_.line_bytes), request, asker_, reads_at_);
}

void IommuPipeline::add(const Job& job, Cycle now) {
  statistics_.arrived(job.space, now, p_.window);
  queue_of(job.page).push_back({job, now});
  statistics_.most_waiting.at_least(++queued_);
}

Cycle IommuPipeline::collect() {
  answers_.erase(answers_.begin(), answers_.begin() + static_cast<std::ptrdiff_t>(head_));
  head_ = 0;
  return channels_.answers(asker_).collect(answers_);
}

void IommuPipeline::step(Cycle now, std::vector<Result>& done, std::vector<WalkJob>& faults) {
  reads_at_ = now;
  for (; head_ < answers_.size() && answers_[head_].arrival <= now; ++head_) {
    const std::uint32_t id = answers_[head_].token;
    if ((id & kOwners) != 0) {
      others_.push_back(id);
      continue;
    }
    if (--bursts_[id] == 0) walker_->answer(id, false, now);
  }
  take_walks(now, done, faults);
  bool idle_bank = false;
  for (Ring<Waiting>& queue : queues_) {
    idle_bank = idle_bank || queue.empty();
    const unsigned most = setup_.parameters.intake;
    for (unsigned taken = 0; !queue.empty() && (most == 0 || taken < most) && !walker_->full(); ++taken) {
      const Waiting waiting = queue.front();
      queue.pop_front();
      --queued_;
      look_up(waiting, now);
    }
  }
  if (idle_bank && queued_ != 0) statistics_.bank_conflicts += queued_;
  while (!timed_.empty() && timed_.front().ready <= now) {
    const Timed first = timed_.front();
    timed_.pop_front();
    if (first.missed) {
      miss(first.result.job, now);
    } else {
      done.push_back(first.result);
    }
  }
  if (walker_->wakes_at() <= now) {
    walker_->tick(now);
    take_walks(now, done, faults);
  }
}

void IommuPipeline::look_up(const Waiting& waiting, Cycle now) {
  const Job& job = waiting.job;
  statistics_.waited[job.space] += now - waiting.arrival;
  const Cycle ready = now + setup_.parameters.tlb.latency;
  if (const auto hit = tlb_.find(job.space, job.page)) {
    ++statistics_.tlb_hits[job.space];
    push({{job, hit->mapping}, ready});
    return;
  }
  ++statistics_.tlb_misses[job.space];
  push({{job, {}}, ready, true});
}

void IommuPipeline::miss(const Job& job, Cycle now) {
  Cycle starts_at = now;
  if (second_level_ != nullptr) {
    starts_at += second_level_->latency();
    if (const auto found = second_level_->find(job.space, job.page)) {
      ++statistics_.second_level_hits[job.space];
      (void)tlb_.insert(job.space, *found, job.sm);
      push({{job, *found, true}, starts_at});
      return;
    }
  }
  std::vector<Job>& waiting = walking_[key(job.space, job.page)];
  waiting.push_back(job);
  if (waiting.size() > 1) {
    ++statistics_.merged[job.space];
    return;
  }
  walker_->add({&setup_.memory.space(job.space), job.page, 0, job.missed_at, starts_at, job.warp});
}

void IommuPipeline::take_walks(Cycle now, std::vector<Result>& done, std::vector<WalkJob>& faults) {
  if (walker_->finished().empty()) return;
  for (const WalkResult& result : walker_->finished()) {
    const SpaceId space = result.job.space->id();
    const auto found = walking_.find(key(space, result.job.page));
    if (outdated_.erase(key(space, result.job.page)) != 0 && found != walking_.end()) {
      WalkJob again = result.job;
      again.starts_at = now;
      walker_->add(again);
      continue;
    }
    if (found == walking_.end()) continue;  // taken back
    if (result.fault) {
      faults.push_back(result.job);
      continue;
    }
    (void)tlb_.insert(space, result.mapping, found->second.front().sm);
    for (const Job& job : found->second) done.push_back({job, result.mapping, false, true});
    ++statistics_.walks[space];
    statistics_.latency[space] += now - result.job.missed_at;
    walking_.erase(found);
  }
  walker_->finished().clear();
}

Cycle IommuPipeline::next(Cycle from) const {
  if (queued_ != 0 && !walker_->full()) return from;
  Cycle next = walker_->wakes_at();
  if (!timed_.empty()) next = std::min(next, timed_.front().ready);
  if (head_ < answers_.size()) next = std::min(next, answers_[head_].arrival);
  return std::max(next, from);
}

void IommuPipeline::flush() {
  ++statistics_.flushes;
  tlb_.flush();
  walker_->flush();
  // What was found and is not used yet is looked up again.
  for (std::size_t i = 0; i < timed_.size(); ++i) timed_[i].missed = true;
}

void IommuPipeline::forget(SpaceId space, VirtPage page) {
  // Of a large page, parts may have come from the second level.
  tlb_.flush(space, page, page_size_);
  // Walks of other pages go on: whoever shoots pages down faster than a walk ends would let none end.
  if (walking_.contains(key(space, page))) outdated_.insert(key(space, page));
}

void IommuPipeline::take_back(SpaceId space, VirtPage page, std::vector<Job>& out) {
  const auto found = walking_.find(key(space, page));
  if (found == walking_.end()) return;
  out.insert(out.end(), found->second.begin(), found->second.end());
  walking_.erase(found);
}

void IommuPipeline::retry(WalkJob job, Cycle now) {
  if (!walking_.contains(key(job.space->id(), job.page))) return;  // taken back
  job.starts_at = now;
  walker_->add(job);
}

std::string IommuPipeline::describe() const {
  return fmt::format(
      "IOMMU: {} requests wait for their lookup, {} for a second level or a walk, {} pages walked ({} "
      "walks under way)\n",
      queued_, timed_.size(), walking_.size(), walker_->active());
}

}  // namespace heddle::vm
