#include "core/translation_unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "core/addresses.h"
#include "core/request_names.h"

namespace heddle::core {

using sim::Cycle;
using vm::Mapping;
using vm::SpaceId;
using vm::VirtPage;

TranslationUnit::TranslationUnit(const Setup& setup)
    : setup_(setup),
      p_(setup.parameters),
      statistics_(setup.statistics),
      policy_(p_.policy.make(statistics_, "")),
      rules_(policy_->rules()),
      page_size_(setup.memory.parameters().page_size()),
      ideal_(p_.kind.is("ideal")),
      checks_(setup.memory.parameters().check),
      epochs_(setup.applications),
      tlb_(p_.tlb, p_.per_lane),
      second_(p_.tlb2),
      second_latency_(p_.tlb2.entries == 0 ? 0 : p_.tlb2.latency.get()),
      walker_(p_.walker.kind.make(statistics_.walker, "",
                                  vm::Walker::Setup{p_.walker, statistics_.walker, *this, setup.applications})) {
  if (p_.lifetime_step != 0) {
    lifetimes_ = std::make_unique<memory::Lifetimes>(statistics_, "lifetimes", p_.lifetime_step,
                                                     memory::Lifetimes::Until::replacement);
  }
  if (setup.observer != nullptr) tlb_.count_depth();
  statistics_.divide(setup.applications);
}

void TranslationUnit::read(const vm::EntryRead& entry) {
  memory::Request request;
  request.line = memory::LineTag(memory::line_around(entry.address, setup_.line_bytes));
  request.sectors = walker_->sectors(entry.address, setup_.line_bytes);
  request.id = request_id(RequestName::walk, entry.id);
  request.application = entry.space;
  request.warp = entry.warp;
  request.level = static_cast<std::uint8_t>(entry.level);
  request.kind = memory::RequestKind::read;
  request.bytes = static_cast<std::uint16_t>(std::popcount(request.sectors) * memory::kSectorUnit);
  request.traffic = memory::Traffic::walk;
  setup_.port.push(request);
}

void TranslationUnit::find_pages(LineGroup& m) const {
  m.pages.clear();
  for (LineRequest& line : m.lines) {
    if (is_fixed(line.line)) {
      line.page = LineRequest::kNoPage;
      continue;
    }
    const VirtPage page = first_page(vm::page_of(line.line.address), page_size_);
    std::size_t p = m.pages.size();
    if (p_.by_page || ideal_) {
      p = 0;
      while (p < m.pages.size() && m.pages[p].page != page) ++p;
    }
    if (p == m.pages.size()) m.pages.push_back({page, {}, 0, PageState::unseen});
    m.pages[p].lanes |= line.first.lanes != 0 ? line.first.lanes : ~LaneMask{0};
    line.page = static_cast<std::uint8_t>(p);
  }
}

void TranslationUnit::count_pages(const LineGroup& m) {
  std::size_t pages = m.pages.size();
  if (!p_.by_page) {
    pages = 0;
    for (std::size_t p = 0; p < m.pages.size(); ++p) {
      bool is_new = true;
      for (std::size_t q = 0; q < p && is_new; ++q) is_new = m.pages[q].page != m.pages[p].page;
      pages += is_new ? 1 : 0;
    }
  }
  ++statistics_.instructions[m.application];
  statistics_.pages[m.application] += pages;
  statistics_.most_pages[m.application].at_least(pages);
  ++(pages < 2    ? statistics_.pages_1
     : pages < 4  ? statistics_.pages_2_3
     : pages < 8  ? statistics_.pages_4_7
     : pages < 16 ? statistics_.pages_8_15
                  : statistics_.pages_16_32)[m.application];
}

bool TranslationUnit::accepts(const LineGroup& m, SpaceId space) const {
  if (misses_.empty() || rules_.misses_under_walks) return true;
  if (!rules_.hits_under_walks) return false;
  return std::all_of(m.pages.begin(), m.pages.end(), [&](const PageAccess& page) {
    return tlb_.contains(space, page.page, page.lanes) || second_.contains(space, page.page);
  });
}

TranslationUnit::Lookup TranslationUnit::advance(std::uint32_t index, Cycle now) {
  LineGroup& m = setup_.groups.at(index);
  const SpaceId space = m.application;
  if (m.pages.empty()) {
    if (setup_.board != nullptr) setup_.board->uses_memory(setup_.sm, space, m.warp);
    find_pages(m);
    m.epoch = epochs_[space];
    m.next_page = 0;
  } else if (m.epoch != epochs_[space]) {
    // A flush came in between: what is known of pages must be looked up again. From now on each page that is known is
    // used at once: an instruction that waits for all of them might never have them all between two flushes.
    m.epoch = epochs_[space];
    m.page_by_page = true;
    m.next_page = 0;
    for (const LineRequest& line : m.lines) {
      if (line.accessed || line.page == LineRequest::kNoPage) continue;
      PageAccess& page = m.pages[line.page];
      if (page.state != PageState::walking) page.state = PageState::unseen;
    }
  }
  if (m.looked_up()) return Lookup::done;
  if (ideal_) {
    count_pages(m);
    for (PageAccess& page : m.pages) look_up_ideal(page, space, now);
    m.next_page = static_cast<std::uint32_t>(m.pages.size());
    return Lookup::done;
  }
  if (m.next_page == 0) {
    if (m.missing == 0 && !m.page_by_page && !accepts(m, space)) {
      if (waiting_ + held_.size() >= p_.waiting) {
        ++statistics_.stall_waiting[space];
        return Lookup::stalled;
      }
      ++statistics_.rejected[space];
      m.stage = Stage::held;
      held_.push_back(index);
      return Lookup::held;
    }
    if (!m.counted) count_pages(m);
    m.counted = true;
  }
  const std::size_t ports = tlb_.per_lane() ? m.pages.size() : p_.tlb.ports;
  for (std::size_t port = 0; port < ports && m.next_page < m.pages.size(); ++port) {
    PageAccess& page = m.pages[m.next_page];
    if (page.state == PageState::unseen && look_up(index, m, page, space, now) == Lookup::stalled)
      return Lookup::stalled;
    ++m.next_page;
  }
  if (m.looked_up()) settle(m, now);
  return Lookup::done;
}

void TranslationUnit::look_up_ideal(PageAccess& page, SpaceId space, Cycle now) {
  ++statistics_.lookups[space];
  const auto [found, is_new] = seen_.try_emplace(key(space, page.page));
  page.state = PageState::ready;
  page.ready_at = now;
  if (is_new) {
    const vm::AddressSpace& memory = setup_.memory.space(space);
    const auto frame = memory.frame(page.page);
    HEDDLE_CHECK(frame.has_value(), "an access to a page that is not in the address space");
    found->second = {page.page, *frame, page_size_, true};
    ++statistics_.misses[space];
    page.ready_at = now + p_.ideal_step * (vm::kLevels - static_cast<unsigned>(page_size_));
    statistics_.miss_latency[space] += page.ready_at - now;
  } else {
    ++statistics_.hits[space];
  }
  page.ready_at += p_.ideal_latency;
  page.mapping = found->second;
}

TranslationUnit::Lookup TranslationUnit::look_up(std::uint32_t index, LineGroup& m, PageAccess& page, SpaceId space,
                                                 Cycle now) {
  page.ready_at = now + p_.tlb.latency;
  if (const auto hit = find(m, page, space, now)) {
    ++statistics_.lookups[space];
    ++statistics_.hits[space];
    page.state = rules_.hits_go_on || m.page_by_page ? PageState::ready : PageState::hit;
    page.mapping = hit->mapping;
    if (setup_.observer != nullptr)
      setup_.observer->tlb(
          {page.page, space, m.owner(), true, hit->depth, hit->owner, now, m.homes_on(page), m.instruction});
    if (m.kind != MemoryKind::load && !hit->dirty) {
      tlb_.set_dirty(space, page.page, page.lanes);
      second_.set_dirty(space, page.page);
      touches_.push_back({space, page.page, true});
    }
    return Lookup::done;
  }
  const auto found = p_.merge ? misses_.find(key(space, page.page)) : misses_.end();
  if (found == misses_.end() && misses_.size() >= p_.mshrs) {
    ++statistics_.stall_mshrs[space];
    return Lookup::stalled;
  }
  if (found == misses_.end() && (setup_.shared != nullptr ? misses_.size() >= setup_.per_sm : walker_->full())) {
    ++statistics_.stall_walker[space];
    return Lookup::stalled;
  }
  if (m.missing == 0 && waiting_ + held_.size() >= p_.waiting) {
    ++statistics_.stall_waiting[space];
    return Lookup::stalled;
  }
  ++statistics_.lookups[space];
  ++statistics_.misses[space];
  constexpr Cycle kSoon = 500;  // the window in which Power et al. count bursts of walks (section 4.2)
  if (last_miss_ && now <= *last_miss_ + kSoon) ++statistics_.soon_after[space];
  last_miss_ = now;
  statistics_.outstanding[space] += outstanding_++;
  statistics_.most_outstanding[space].at_least(outstanding_);
  if (setup_.observer != nullptr)
    setup_.observer->tlb({.page = page.page,
                          .space = space,
                          .warp = m.owner(),
                          .now = now,
                          .homes = m.homes_on(page),
                          .instruction = m.instruction});
  if (p_.locate) locate(m, page);
  page.state = PageState::walking;
  page.walked = true;
  if (++m.missing == 1) ++waiting_;
  if (found != misses_.end()) {
    ++statistics_.merged[space];
    miss_entries_[found->second].waiters.push_back({index, now});
    miss_entries_[found->second].write |= m.kind != MemoryKind::load;
    miss_entries_[found->second].lanes |= page.lanes;
    return Lookup::done;
  }
  std::uint32_t token = 0;
  if (free_tokens_.empty()) {
    token = static_cast<std::uint32_t>(miss_entries_.size());
    miss_entries_.emplace_back();
  } else {
    token = free_tokens_.back();
    free_tokens_.pop_back();
  }
  Miss& miss = miss_entries_[token];
  miss.space = space;
  miss.page = page.page;
  miss.warp = m.owner();
  miss.missed_at = now;
  miss.write = m.kind != MemoryKind::load;
  miss.lanes = page.lanes;
  miss.waiters.assign(1, {index, now});
  constexpr std::uint64_t kUnmerged = std::uint64_t{1} << 63;  // no key of a page has this bit
  miss.key = p_.merge ? key(space, page.page) : kUnmerged | ++unmerged_;
  misses_[miss.key] = token;
  if (!p_.merge) by_page_[key(space, page.page)].push_back(token);
  start_walk(token, now);
  return Lookup::done;
}

/// Where the line of this miss is: what the L1 does not have is looked for in the L2 when the quantum has ended.
void TranslationUnit::locate(const LineGroup& m, const PageAccess& page) {
  const auto line = std::find_if(m.lines.begin(), m.lines.end(), [&](const LineRequest& each) {
    return each.page != LineRequest::kNoPage && &m.pages[each.page] == &page;
  });
  const auto frame = setup_.memory.space(m.application).frame(vm::page_of(line->line.address));
  if (!frame) return;
  const memory::LineTag tag(memory::PhysLine{frame->address() + line->line.address % vm::kPageBytes});
  const bool write = m.kind != MemoryKind::load;
  if (!setup_.in_l1(tag, line->sectors)) {
    sought_.push_back({tag, line->sectors, m.application, write});
    return;
  }
  ++statistics_.in_l1[m.application];
  if (write) ++statistics_.in_l1_stores[m.application];
}

/// All pages have been looked up, or a walk has ended: which lines may go on?
void TranslationUnit::settle(LineGroup& m, Cycle now) {
  if (m.next_page < m.pages.size()) return;
  if (m.missing != 0 && !rules_.hits_go_on) return;
  for (PageAccess& page : m.pages) {
    if (page.state != PageState::hit) continue;
    page.state = PageState::ready;
    page.ready_at = std::max(page.ready_at, now);
  }
}

void TranslationUnit::start_walk(std::uint32_t token, Cycle now) {
  const Miss& miss = miss_entries_[token];
  if (setup_.shared != nullptr) {
    const vm::TranslationRequest request{
        miss.page, miss.space, miss.warp, setup_.sm, token, miss.missed_at, now + second_latency_ + setup_.to_shared};
    setup_.shared->requests().send(request);
    return;
  }
  walker_->add({&setup_.memory.space(miss.space), miss.page, token, miss.missed_at,
                now + second_latency_ + p_.walker.latency, miss.warp});
}

bool TranslationUnit::has_ready(const LineGroup& m) {
  return std::any_of(m.lines.begin(), m.lines.end(), [&](const LineRequest& line) { return has_translation(m, line); });
}

void TranslationUnit::tick(Cycle now) {
  while (head_ < answers_.size() && answers_[head_].arrival <= now) {
    const vm::TranslationAnswer& answer = answers_[head_++];
    if (answer.epoch >= epochs_[miss_entries_[answer.token].space]) {
      if (answer.walked) count_stalled(miss_entries_[answer.token]);
      translated(answer.token, answer.mapping, now);
    } else {
      ++statistics_.stale[miss_entries_[answer.token].space];
      start_walk(answer.token, now);
    }
  }
  if (walker_->wakes_at() <= now) {
    walker_->tick(now);
    take_walks(now);
  }
}

Cycle TranslationUnit::wakes_at() const {
  const Cycle walker = walker_->wakes_at();
  return head_ < answers_.size() ? std::min(walker, answers_[head_].arrival) : walker;
}

void TranslationUnit::take_walks(Cycle now) {
  if (walker_->finished().empty()) return;
  for (const vm::WalkResult& result : walker_->finished()) {
    if (result.fault) {
      faults_.push_back(result.job);
    } else {
      count_stalled(miss_entries_[result.job.token]);
      translated(static_cast<std::uint32_t>(result.job.token), result.mapping, now);
    }
  }
  walker_->finished().clear();
}

void TranslationUnit::count_stalled(const Miss& miss) {
  std::uint64_t warps = 0;
  for (const Miss::Waiter& waiter : miss.waiters)
    warps |= std::uint64_t{1} << (setup_.groups.at(waiter.group).warp & 63u);
  const auto count = static_cast<unsigned>(std::popcount(warps));
  ++statistics_.walked[miss.space];
  statistics_.warps_stalled[miss.space] += count;
  statistics_.most_warps_stalled[miss.space].at_least(count);
  if (setup_.board != nullptr) setup_.board->stalled(setup_.sm, miss.space, count);
}

std::optional<vm::Tlb::Hit> TranslationUnit::find(const LineGroup& m, PageAccess& page, SpaceId space, Cycle now) {
  auto hit = tlb_.find(space, page.page, page.lanes);
  if (hit || !second_.exists()) return hit;
  hit = second_.find(space, page.page);
  if (!hit) return hit;
  ++statistics_.second_hits[space];
  page.ready_at += second_latency_;
  fill_first(space, hit->mapping, m.owner(), page.lanes, now);
  if (hit->dirty) tlb_.set_dirty(space, page.page, page.lanes);
  return hit;
}

void TranslationUnit::fill_first(SpaceId space, const Mapping& mapping, unsigned owner, LaneMask lanes, Cycle now) {
  tlb_.insert(space, mapping, owner, lanes, [&](const vm::Tlb::Evicted& evicted) {
    if (lifetimes_) lifetimes_->replaced(key(evicted.space, evicted.page), now);
    if (setup_.observer != nullptr) setup_.observer->tlb_evicted(evicted.space, evicted.page, evicted.owner);
  });
  if (lifetimes_) lifetimes_->came(key(space, mapping.page), now);
}

void TranslationUnit::translated(std::uint32_t token, const Mapping& mapping, Cycle now) {
  Miss& miss = miss_entries_[token];
  (void)second_.insert(miss.space, mapping, miss.warp);
  fill_first(miss.space, mapping, miss.warp, miss.lanes, now);
  // What a store waited for is written: the entry says so, or no later store would have it said.
  if (miss.write) {
    tlb_.set_dirty(miss.space, miss.page, miss.lanes);
    second_.set_dirty(miss.space, miss.page);
  }
  touches_.push_back({miss.space, miss.page, miss.write});
  if (p_.merge) {
    release(miss, mapping, now);
  } else if (const auto same = by_page_.find(key(miss.space, miss.page)); same != by_page_.end()) {
    // All of the page go on with the first answer: later accesses hit now, and must not overtake them.
    const std::vector<std::uint32_t> tokens = std::move(same->second);
    by_page_.erase(same);
    for (const std::uint32_t each : tokens) release(miss_entries_[each], mapping, now);
  }
  misses_.erase(miss.key);
  free_tokens_.push_back(token);
  for (; !starved_.empty(); starved_.pop_front()) {
    setup_.groups.at(starved_.front()).stage = Stage::resumed;
    resumed_.push_back(starved_.front());
  }
  if (misses_.empty()) {
    for (; !held_.empty(); held_.pop_front()) resume(held_.front());
  }
}

/// Those who wait for a miss have their translation.
void TranslationUnit::release(Miss& miss, const Mapping& mapping, Cycle now) {
  outstanding_ -= miss.waiters.size();
  for (const auto& [index, since] : miss.waiters) {
    statistics_.miss_latency[miss.space] += now - since;
    LineGroup& m = setup_.groups.at(index);
    const bool alone = rules_.pages_go_on_alone || m.page_by_page;
    // A line that looked the same page up again waits in this list once more.
    const auto page = std::find_if(m.pages.begin(), m.pages.end(), [&](const PageAccess& p) {
      return p.state == PageState::walking && p.page == miss.page;
    });
    HEDDLE_CHECK(page != m.pages.end(), "a walk ended for an instruction that does not wait for it");
    page->mapping = mapping;
    page->ready_at = now;
    // What was learnt in an older epoch is looked up again, see advance().
    page->state = alone ? PageState::ready : PageState::hit;
    if (--m.missing == 0) --waiting_;
    settle(m, now);
    if (m.missing == 0 || alone || outdated(m)) resume(index);
  }
  miss.waiters.clear();
}

void TranslationUnit::resume(std::uint32_t index) {
  LineGroup& m = setup_.groups.at(index);
  if (!m.away()) return;
  if (m.looked_up() && !m.pages.empty() && !outdated(m)) return pass_on(index);
  m.stage = Stage::resumed;
  resumed_.push_back(index);
}

memory::PhysLine TranslationUnit::physical(const LineGroup& m, const LineRequest& line) {
  if (line.page == LineRequest::kNoPage) return untranslated(line.line, m.application);
  const VirtPage page = vm::page_of(line.line.address);
  const std::uint64_t offset = line.line.address % vm::kPageBytes;
  const std::uint64_t address = m.pages[line.page].mapping.frame_of(page).address() + offset;
  if (checks_) {
    // The ideal unit knows pages that the page table does not have yet.
    const auto frame = ideal_ ? setup_.memory.space(m.application).frame(page) : [&]() -> std::optional<vm::PhysFrame> {
      const auto mapping = setup_.memory.space(m.application).find(page);
      return mapping ? std::optional(mapping->frame_of(page)) : std::nullopt;
    }();
    HEDDLE_CHECK(frame && frame->address() + offset == address,
                 "a translation is used that the page table does not have");
  }
  return {address};
}

void TranslationUnit::flush(std::uint32_t epoch) {
  std::fill(epochs_.begin(), epochs_.end(), epoch);
  tlb_.flush();
  second_.flush();
  seen_.clear();
  walker_->flush();
}

void TranslationUnit::flush_space(SpaceId space, std::uint32_t epoch) {
  epochs_[space] = epoch;
  tlb_.flush(space);
  second_.flush(space);
  std::erase_if(seen_, [&](const auto& page) { return page.first >> kSpaceShift == space; });
  walker_->flush_space(space);
}

void TranslationUnit::flush_page(SpaceId space, VirtPage page, std::uint32_t epoch) {
  epochs_[space] = epoch;
  tlb_.flush(space, page);
  second_.flush(space, page);
  seen_.erase(key(space, first_page(page, page_size_)));
  walker_->flush_space(space);
}

std::string TranslationUnit::describe() const {
  return fmt::format("  {} pages missing, {} walks under way, {} instructions held back, {} coming back\n",
                     misses_.size(), walker_->active(), held_.size() + starved_.size(),
                     resumed_.size() + translated_.size());
}

void TranslationUnit::retry(vm::WalkJob job, Cycle now) {
  job.starts_at = now;
  walker_->add(job);
}

}  // namespace heddle::core
