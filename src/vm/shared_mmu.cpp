#include "vm/shared_mmu.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace heddle::vm {

using sim::Cycle;

SharedMmu::SharedMmu(const Setup& setup)
    : SharedTranslation(setup),
      setup_(setup),
      statistics_(setup.statistics),
      port_(setup.network, setup.map, setup.index),
      tlb_(setup.parameters.tlb),
      fill_(setup.parameters.fill.make(statistics_, "", TlbFillSetup{setup.board, setup.applications})),
      walker_(setup.parameters.walker.kind.make(
          statistics_.walker, "",
          Walker::Setup{setup.parameters.walker, statistics_.walker, *this, setup.applications})) {
  statistics_.divide(setup.applications);
}

void SharedMmu::read(const EntryRead& entry) {
  memory::Request request;
  request.line = memory::LineTag(memory::line_around(entry.address, setup_.line_bytes));
  request.sectors = walker_->sectors(entry.address, setup_.line_bytes);
  request.id = entry.id;
  request.application = entry.space;
  request.warp = entry.warp;
  request.level = static_cast<std::uint8_t>(entry.level);
  request.kind = memory::RequestKind::read;
  request.bytes = static_cast<std::uint16_t>(std::popcount(request.sectors) * memory::kSectorUnit);
  request.traffic = memory::Traffic::walk;
  port_.push(request);
}

void SharedMmu::receive() {
  input_.erase(input_.begin(), input_.begin() + static_cast<std::ptrdiff_t>(head_));
  head_ = 0;
  wake_by(setup_.messages.requests().collect(input_));
  responses_.erase(responses_.begin(), responses_.begin() + static_cast<std::ptrdiff_t>(response_head_));
  response_head_ = 0;
  wake_by(setup_.network.responses(setup_.index).collect(responses_));
  wake_by(port_.collect_credits());
}

Cycle SharedMmu::next_work() const {
  Cycle next = std::min(port_.next(clock_ - 1), walker_->wakes_at());
  if (head_ < input_.size()) next = std::min(next, input_[head_].arrival);
  if (response_head_ < responses_.size()) next = std::min(next, responses_[response_head_].arrival);
  return std::max(next, clock_);
}

void SharedMmu::run(Cycle begin, Cycle end) {
  clock_ = std::max(clock_, begin);
  while (clock_ < end) {
    step(clock_);
    ++clock_;
    wake_ = next_work();
    clock_ = std::min(wake_, end);
  }
  reports_ = !faults_.empty();
}

void SharedMmu::step(Cycle now) {
  port_.take_credits(now);
  while (response_head_ < responses_.size() && responses_[response_head_].arrival <= now) {
    const memory::Response& response = responses_[response_head_++];
    port_.answered();
    walker_->answer(response.id, !response.missed, now);
  }
  finish_walks(now);
  unsigned taken = 0;
  while (head_ < input_.size() && input_[head_].arrival <= now && !walker_->full() &&
         (setup_.parameters.intake == 0 || taken < setup_.parameters.intake)) {
    take(input_[head_++], now);
    ++taken;
  }
  if (walker_->wakes_at() <= now) {
    walker_->tick(now);
    finish_walks(now);
  }
  (void)port_.send(now, statistics_.bytes_out);
}

void SharedMmu::answer(const TranslationRequest& request, const Mapping& mapping, bool walked, Cycle now) {
  setup_.messages.answers(request.sm)
      .send({mapping, request.token, epoch_, walked, now + setup_.parameters.latency / 2});
}

void SharedMmu::take(const TranslationRequest& request, Cycle now) {
  ++statistics_.requests[request.space];
  if (tlb_.exists()) {
    if (const auto hit = tlb_.find(request.space, request.page)) {
      fill_->looked_up(request, true);
      ++statistics_.tlb_hits[request.space];
      add_sharer(key(request.space, request.page), request.sm);
      answer(request, hit->mapping, false, now);
      return;
    }
    const auto beside = fill_->find(request.space, request.page);
    fill_->looked_up(request, beside.has_value());
    if (beside) {
      ++statistics_.tlb_hits[request.space];
      answer(request, *beside, false, now);
      return;
    }
    ++statistics_.tlb_misses[request.space];
  }
  if (take_from_buffer(request, now)) return;
  Waiting& waiting = waiting_[key(request.space, request.page)];
  const bool walking = !waiting.requests.empty() || waiting.prefetch;
  if (waiting.requests.capacity() == 0 && !spare_.empty()) {
    waiting.requests = std::move(spare_.back());
    spare_.pop_back();
  }
  waiting.requests.push_back(request);
  if (walking) {
    ++statistics_.merged[request.space];
  } else {
    walk(request, now);
  }
  prefetch_after(request.space, request.page, now);
}

void SharedMmu::walk(const TranslationRequest& request, Cycle now) {
  if (setup_.board != nullptr) setup_.board->walk_begins(request.space);
  walker_->add({&setup_.memory.space(request.space), request.page, 0, request.missed_at, now, request.warp});
}

bool SharedMmu::take_from_buffer(const TranslationRequest& request, Cycle now) {
  const auto found = std::find_if(buffer_.begin(), buffer_.end(), [&](const auto& entry) {
    return entry.first == request.space && first_page(request.page, entry.second.size) == entry.second.page;
  });
  if (found == buffer_.end()) return false;
  ++statistics_.prefetch_hits[request.space];
  const Mapping mapping = found->second;
  buffer_.erase(found);
  fill_tlb({&request, 1}, mapping);
  answer(request, mapping, false, now);
  prefetch_after(request.space, request.page, now);
  return true;
}

void SharedMmu::prefetch_after(SpaceId space, VirtPage page, Cycle now) {
  if (setup_.parameters.prefetch == 0 || walker_->free_walks() == 0) return;
  const PageSize size = setup_.memory.parameters().page_size();
  const VirtPage next{first_page(page, size).number + pages_in(size)};
  const bool buffered = std::any_of(buffer_.begin(), buffer_.end(), [&](const auto& entry) {
    return entry.first == space && entry.second.page == next;
  });
  if (buffered || waiting_.contains(key(space, next)) || (tlb_.exists() && tlb_.contains(space, next))) return;
  // A prefetch never faults.
  if (!setup_.memory.space(space).find(next)) return;
  ++statistics_.prefetches[space];
  waiting_[key(space, next)].prefetch = true;
  walk({.page = next, .space = space, .missed_at = now}, now);
}

void SharedMmu::finish_walks(Cycle now) {
  for (const WalkResult& result : walker_->finished()) {
    const SpaceId space = result.job.space->id();
    const auto found = waiting_.find(key(space, result.job.page));
    HEDDLE_CHECK(found != waiting_.end(), "a walk that nobody waits for");
    if (setup_.board != nullptr && (!result.fault || found->second.requests.empty())) setup_.board->walk_ends(space);
    if (result.fault) {
      if (found->second.requests.empty()) {
        waiting_.erase(found);
      } else {
        faults_.push_back(result.job);
      }
      continue;
    }
    if (found->second.requests.empty()) {
      buffer_.emplace_back(space, result.mapping);
      if (buffer_.size() > setup_.parameters.prefetch) buffer_.pop_front();
    } else {
      fill_tlb(found->second.requests, result.mapping);
      for (const TranslationRequest& request : found->second.requests) answer(request, result.mapping, true, now);
      ++statistics_.walks[space];
      statistics_.latency[space] += now - result.job.missed_at;
      found->second.requests.clear();
      spare_.push_back(std::move(found->second.requests));
    }
    waiting_.erase(found);
  }
  walker_->finished().clear();
}

void SharedMmu::fill_tlb(std::span<const TranslationRequest> requests, const Mapping& mapping) {
  if (!tlb_.exists() || !fill_->admit(requests, mapping)) return;
  const SpaceId space = requests.front().space;
  if (const auto evicted = tlb_.insert(space, mapping, requests.front().sm))
    count_sharers(first_key(evicted->space, evicted->page));
  for (const TranslationRequest& request : requests) add_sharer(first_key(space, mapping.page), request.sm);
}

void SharedMmu::count_sharers(Key key) {
  const auto found = sharers_.find(key);
  if (found == sharers_.end()) return;
  int sms = 0;
  for (const std::uint64_t word : found->second) sms += std::popcount(word);
  ++(sms < 2    ? statistics_.entries_1
     : sms < 4  ? statistics_.entries_2_3
     : sms < 8  ? statistics_.entries_4_7
     : sms < 16 ? statistics_.entries_8_15
                : statistics_.entries_16);
  sharers_.erase(found);
}

void SharedMmu::flush() {
  ++statistics_.flushes;
  ++epoch_;
  tlb_.flush();
  fill_->flush();
  buffer_.clear();
  while (!sharers_.empty()) count_sharers(sharers_.begin()->first);
  walker_->flush();
}

void SharedMmu::flush_space(SpaceId space) {
  ++statistics_.flushes;
  ++epoch_;
  tlb_.flush(space);
  fill_->flush(space);
  buffer_.remove_if([&](const auto& entry) { return entry.first == space; });
  std::vector<Key> gone;
  for (const auto& [key, sms] : sharers_) {
    if (space_of(key) == space) gone.push_back(key);
  }
  for (const Key key : gone) count_sharers(key);
  walker_->flush_space(space);
}

void SharedMmu::flush_page(SpaceId space, VirtPage page) {
  ++statistics_.flushes;
  ++epoch_;
  tlb_.flush(space, page);
  fill_->flush(space, page);
  buffer_.remove_if([&](const auto& entry) {
    return entry.first == space && entry.second.page == first_page(page, entry.second.size);
  });
  count_sharers(key(space, page));
  walker_->flush_space(space);
}

void SharedMmu::retry(WalkJob job, Cycle now) {
  job.starts_at = now;
  walker_->add(job);
  wake_by(now);
}

std::string SharedMmu::describe() const {
  return fmt::format("shared translation unit: {} pages being walked ({} walks under way), {} requests waiting\n",
                     waiting_.size(), walker_->active(), input_.size() - head_);
}

namespace {

[[maybe_unused]] const bool kRegisteredSharedMmu = SharedTranslations::instance().add<SharedMmu>(
    "tlb-and-walker", "A second-level TLB, a prefetch buffer and a page-table walker, each if asked for.");

}  // namespace

}  // namespace heddle::vm
