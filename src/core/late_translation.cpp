#include "core/late_translation.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "base/diagnostics.h"
#include "core/l1_cache.h"

namespace heddle::core {

using memory::Request;
using sim::Cycle;

LateTranslation::LateTranslation(const Setup& setup)
    : setup_(setup),
      p_(setup.parameters),
      statistics_(setup.statistics),
      synonyms_(statistics_),
      page_size_(setup.memory.parameters().page_size()),
      tlb_(p_.tlb),
      second_(p_.tlb2),
      second_latency_(p_.tlb2.entries == 0 ? 0 : p_.tlb2.latency.get()) {
  statistics_.divide(setup.applications);
  synonyms_.divide(setup.applications);
}

Cycle LateTranslation::collect() {
  answers_.erase(answers_.begin(), answers_.begin() + static_cast<std::ptrdiff_t>(head_));
  head_ = 0;
  return setup_.shared.answers(setup_.sm).collect(answers_);
}

bool LateTranslation::tick(Cycle now) {
  const bool was_full = full();
  for (; head_ < answers_.size() && answers_[head_].arrival <= now; ++head_) translated(answers_[head_], now);
  for (unsigned port = 0; port < p_.tlb.ports && !queue_.empty(); ++port) {
    if (!look_up(queue_.front(), now)) break;
    queue_.pop_front();
  }
  for (; !ready_.empty() && ready_.front().at <= now && !setup_.port.full(); ready_.pop_front())
    setup_.port.push(ready_.front().request);
  return was_full && !full();
}

Cycle LateTranslation::next(Cycle now) const {
  Cycle next = sim::kNever;
  if (!queue_.empty()) next = now + 1;
  if (!ready_.empty()) next = std::min(next, ready_.front().at);
  if (head_ < answers_.size()) next = std::min(next, answers_[head_].arrival);
  return next == sim::kNever ? next : std::max(next, now + 1);
}

bool LateTranslation::look_up(const Request& request, Cycle now) {
  if (!request.line.is_virtual()) {
    ready_.insert_ordered({request, now}, [&](const Ready& other) { return other.at <= now; });
    return true;
  }
  const vm::SpaceId space = request.line.space();
  const vm::VirtPage page = page_of(request);
  if (setup_.board != nullptr && request.warp != memory::kNoWarp)
    setup_.board->uses_memory(setup_.sm, space, request.warp);
  const bool write = request.kind != memory::RequestKind::read;
  auto hit = tlb_.find(space, page);
  Cycle ready = now + p_.tlb.latency;
  if (!hit && second_.exists()) {
    hit = second_.find(space, page);
    ready += second_latency_;
    if (hit) {
      ++statistics_.second_hits[space];
      (void)tlb_.insert(space, hit->mapping, 0);
      if (hit->dirty) tlb_.set_dirty(space, page);
    }
  }
  if (hit) {
    ++statistics_.lookups[space];
    ++statistics_.hits[space];
    if (write && !hit->dirty) {
      tlb_.set_dirty(space, page);
      second_.set_dirty(space, page);
      touches_.push_back({space, page, true});
    }
    hit_until_ = std::max(hit_until_, ready);
    pass(request, hit->mapping, hit_until_);
    return true;
  }
  const std::size_t asked = misses_.size() - free_tokens_.size();
  std::vector<Request>& others = pages_[key(space, page)];
  const bool asks = others.empty() || !p_.merge;
  if (asks && (asked >= p_.mshrs || asked >= setup_.per_sm)) {
    ++(asked >= p_.mshrs ? statistics_.stall_mshrs : statistics_.stall_walker)[space];
    return false;
  }
  ++statistics_.lookups[space];
  ++statistics_.misses[space];
  if (!asks) ++statistics_.merged[space];
  statistics_.outstanding[space] += waiting_++;
  statistics_.most_outstanding[space].at_least(waiting_);
  others.push_back(request);
  if (!asks) return true;
  std::uint32_t token = 0;
  if (free_tokens_.empty()) {
    token = static_cast<std::uint32_t>(misses_.size());
    misses_.emplace_back();
  } else {
    token = free_tokens_.back();
    free_tokens_.pop_back();
  }
  misses_[token] = {page, space, now, write, request.warp};
  ask(token, now);
  return true;
}

void LateTranslation::ask(std::uint32_t token, Cycle now) {
  const Miss& miss = misses_[token];
  setup_.shared.requests().send(
      {miss.page, miss.space, miss.warp, setup_.sm, token, miss.missed_at, now + second_latency_ + setup_.to_shared});
}

void LateTranslation::translated(const vm::TranslationAnswer& answer, Cycle now) {
  const Miss& miss = misses_[answer.token];
  if (answer.epoch < epoch_) {
    ++statistics_.stale[miss.space];
    ask(answer.token, now);
    return;
  }
  (void)tlb_.insert(miss.space, answer.mapping, 0);
  (void)second_.insert(miss.space, answer.mapping, 0);
  if (miss.write) {
    tlb_.set_dirty(miss.space, miss.page);
    second_.set_dirty(miss.space, miss.page);
  }
  touches_.push_back({miss.space, miss.page, miss.write});
  statistics_.miss_latency[miss.space] += now - miss.missed_at;
  free_tokens_.push_back(answer.token);
  const auto found = pages_.find(key(miss.space, miss.page));
  if (found == pages_.end()) return;  // an answer to another of the page has come before
  waiting_ -= found->second.size();
  if (answer.walked) count_stalled(miss.space, found->second);
  for (const Request& request : found->second) pass(request, answer.mapping, now);
  pages_.erase(found);
}

void LateTranslation::count_stalled(vm::SpaceId space, const std::vector<Request>& waiters) {
  std::uint64_t warps = 0;
  for (const Request& request : waiters) {
    if (request.warp != memory::kNoWarp) warps |= std::uint64_t{1} << (request.warp & 63u);
  }
  const auto count = static_cast<unsigned>(std::popcount(warps));
  ++statistics_.walked[space];
  statistics_.warps_stalled[space] += count;
  statistics_.most_warps_stalled[space].at_least(count);
  if (setup_.board != nullptr) setup_.board->stalled(setup_.sm, space, count);
}

void LateTranslation::pass(Request request, const vm::Mapping& mapping, Cycle at) {
  const std::uint64_t address = request.line.virtual_line().address;
  const vm::PhysFrame frame = mapping.frame_of(vm::page_of(address));
  check_synonym(request, frame, at);
  request.line = memory::LineTag(memory::PhysLine{frame.address() + address % vm::kPageBytes});
  ready_.insert_ordered({request, at}, [&](const Ready& other) { return other.at <= at; });
}

void LateTranslation::check_synonym(Request& request, vm::PhysFrame frame, Cycle now) {
  ++synonyms_.lookups[request.line.space()];
  const vm::VirtPage page = vm::page_of(request.line.virtual_line().address);
  const std::uint64_t own = key(request.line.space(), page);
  const auto [leading, is_new] = leading_.try_emplace(frame.number, own);
  if (is_new || leading->second == own) return;
  const auto space = static_cast<vm::SpaceId>(leading->second >> 48);
  const vm::VirtPage other{leading->second & ((std::uint64_t{1} << 48) - 1)};
  if (!l1_->knows_page(space, other.address())) {
    leading->second = own;
    return;
  }
  request.uncached = true;
  if (request.kind == memory::RequestKind::read) {
    ++synonyms_.loads[request.line.space()];
    return;
  }
  ++synonyms_.stores[request.line.space()];
  const std::uint64_t offset = request.line.virtual_line().address % vm::kPageBytes;
  if (p_.rw_synonyms.is("fault")) {
    throw UserError(fmt::format(
        "read-write synonym: SM {} writes {:#x} of address space {} (page {:#x}), whose frame {:#x} its L1 holds under "
        "{:#x} of address space {} (page {:#x}); sm.mmu.rw_synonyms = replay lets it go on",
        setup_.sm, request.line.virtual_line().address, request.line.space(), page.address(), frame.address(),
        other.address() + offset, space, other.address()));
  }
  HEDDLE_CHECK(l1_->invalidate(memory::LineTag(memory::VirtLine{other.address() + offset}, space), now).has_value(),
               "a virtual L1 is never dirty");
}

void LateTranslation::flush(std::uint32_t epoch) {
  epoch_ = epoch;
  tlb_.flush();
  second_.flush();
  leading_.clear();
}

std::string LateTranslation::describe() const {
  return fmt::format("  {} requests before the TLB, {} wait for {} pages, {} behind it\n", queue_.size(), waiting_,
                     pages_.size(), ready_.size());
}

}  // namespace heddle::core
