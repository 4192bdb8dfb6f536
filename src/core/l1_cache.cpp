#include "core/l1_cache.h"

#include <bit>

#include "base/check.h"
#include "core/request_names.h"

namespace heddle::core {

using memory::CacheLine;
using memory::LineTag;
using memory::Request;
using memory::RequestKind;

L1Cache::L1Cache(const L1Parameters& parameters, SmStatistics& statistics, const L1Port& port, MemoryObserver* observer,
                 std::unique_ptr<L1Versions> versions)
    : p_(parameters),
      statistics_(statistics),
      port_(port),
      observer_(observer),
      versions_(std::move(versions)),
      tags_(parameters, statistics),
      misses_(parameters.mshrs, parameters.mshr_merges),
      banks_(parameters.banks),
      policy_(parameters.writes.make(statistics, "")),
      allocates_on_miss_(parameters.allocate.is("on-miss")) {
  if (p_.lifetime_step != 0) {
    lifetimes_ = std::make_unique<memory::Lifetimes>(statistics, "l1_lifetimes", p_.lifetime_step,
                                                     memory::Lifetimes::Until::last_use);
  }
  for (unsigned q = 0; q < on_store_.size(); ++q)
    on_store_[q] = policy_->store({.local = (q & 1) != 0, .around = (q & 2) != 0});
}

L1Result L1Cache::load(const L1Access& access) {
  CacheLine* cached = access.around ? nullptr : tags_.find(access.line);
  if (cached != nullptr && (cached->valid & access.sectors) == access.sectors) {
    tags_.touch(*cached);
    ++statistics_.l1_reads[access.application];
    ++statistics_.l1_hits[access.application];
    if (access.walked) {
      ++statistics_.l1_walked[access.application];
      ++statistics_.l1_walked_hits[access.application];
    }
    if (observer_ != nullptr) observer_->l1({access.line, access.warp, true, access.walked, access.now});
    if (lifetimes_) lifetimes_->used(access.line.bits(), access.now);
    if (versions_) versions_->hit(checked(access));
    return L1Result::hit;
  }
  if (access.around && dirty_lines_ != 0) {
    // What the L2 is asked for must be what was stored last.
    CacheLine* dirty = tags_.find(access.line);
    if (dirty != nullptr && dirty->dirty != 0) {
      if (port_.full()) return stall(statistics_.stall_network);
      write_back(*dirty, access.now);
      ++statistics_.stall_writeback[access.application];
      return L1Result::retry;
    }
  }
  const std::uint32_t wanted = access.around ? access.sectors : p_.widen(access.sectors);
  const auto existing = misses_.find(access.line);
  std::uint32_t missing = wanted;
  if (existing) missing &= ~misses_.at(*existing).requested;
  if (cached != nullptr) missing &= ~cached->valid;
  if (existing && !misses_.can_merge(*existing)) return stall(statistics_.stall_merge);
  if (!existing && misses_.full()) return stall(statistics_.stall_miss_table);
  if (missing != 0 && port_.full()) return stall(statistics_.stall_network);
  if (!access.around && allocates_on_miss_) {
    if (cached == nullptr) {
      if (const auto wait = make_room(access.line, access.application, access.now)) return *wait;
      cached = &allocate(access.line, access.application, access.warp, access.now);
    }
    cached->reserved = true;
  }
  ++(access.around ? statistics_.l1_bypassed : statistics_.l1_reads)[access.application];
  if (access.walked && !access.around) ++statistics_.l1_walked[access.application];
  if (observer_ != nullptr && !access.around)
    observer_->l1({access.line, access.warp, false, access.walked, access.now});
  const std::uint32_t miss = existing ? *existing : misses_.add(access.line, !access.around);
  if (existing) ++statistics_.l1_merged[access.application];
  memory::MissTable::Miss& entry = misses_.at(miss);
  if (!existing) {
    entry.application = access.application;
    entry.owner = access.warp;
    if (missed_at_.size() <= miss) missed_at_.resize(miss + 1);
    missed_at_[miss] = access.now;
  }
  entry.fills = entry.fills || !access.around;
  entry.waiters.push_back(access.waiter);
  if (access.renamed && entry.renamed == 0) renamed_.insert(entry.renamed = ++last_renamed_);
  if (missing == 0) return L1Result::sent;
  entry.requested |= missing;
  Request request;
  request.line = access.line;
  request.sectors = missing;
  request.id = request_id(RequestName::miss, miss);
  request.application = access.application;
  request.warp = access.warp;
  request.kind = RequestKind::read;
  request.bytes = static_cast<std::uint16_t>(static_cast<unsigned>(std::popcount(missing)) * memory::kSectorUnit);
  request.renamed = access.renamed;
  if (versions_) request.record = versions_->ask(checked(access));
  port_.push(request);
  return L1Result::sent;
}

L1Result L1Cache::store(const L1Access& access) {
  const StoreAction action = on_store_[(access.local ? 1u : 0u) | (access.around ? 2u : 0u)];
  if (action == StoreAction::keep || access.registers) return keep(access);
  const bool denied = access.line.is_virtual() && is_read_only(access.line);
  if (action == StoreAction::forward_evict) {
    if (const L1Result gone = give_up(access); gone != L1Result::hit) return gone;
  } else if (port_.full()) {
    return stall(statistics_.stall_network);
  }
  const auto miss = misses_.find(access.line);
  // What is on its way gets the stored bytes when it comes.
  if (miss) misses_.at(*miss).changed |= access.sectors;
  Request request;
  request.line = access.line;
  request.sectors = access.sectors;
  request.id = request_id(RequestName::store, access.waiter);
  request.application = access.application;
  request.warp = access.warp;
  request.kind = RequestKind::write;
  request.bytes = access.bytes;
  request.denied = denied;
  if (denied) ++statistics_.l1_denied[access.application];
  if (versions_) {
    const bool kept = !denied && action == StoreAction::forward && (miss || tags_.find(access.line) != nullptr);
    request.record = versions_->write(checked(access), kept);
  }
  ++statistics_.stores[access.application];
  port_.push(request);
  return L1Result::sent;
}

L1Result L1Cache::keep(const L1Access& access) {
  CacheLine* line = tags_.find(access.line);
  if (line == nullptr) {
    if (const auto wait = make_room(access.line, access.application, access.now)) return *wait;
    line = &allocate(access.line, access.application, access.warp, access.now);
  } else {
    tags_.touch(*line);
  }
  if (const auto miss = misses_.find(access.line)) misses_.at(*miss).changed |= access.sectors;
  if (line->dirty == 0 && !access.registers) ++dirty_lines_;
  line->registers = access.registers;
  has_registers_ = has_registers_ || access.registers;
  line->valid |= access.sectors;
  line->dirty |= access.sectors;
  line->application = access.application;
  if (versions_) versions_->keep(checked(access));
  ++statistics_.l1_writes[access.application];
  return L1Result::hit;
}

L1Result L1Cache::give_up(const L1Access& access) {
  if (port_.full()) return stall(statistics_.stall_network);
  CacheLine* line = tags_.find(access.line);
  if (line == nullptr) {
    outdate(access);
    return L1Result::hit;
  }
  if (line->dirty != 0) {
    write_back(*line, access.now);
    ++statistics_.stall_writeback[access.application];
    return L1Result::retry;
  }
  outdate(access);
  if (line->reserved) {
    line->valid &= ~access.sectors;
  } else {
    *line = {};
  }
  return L1Result::hit;
}

std::optional<L1Result> L1Cache::make_room(LineTag tag, std::uint16_t application, sim::Cycle now) {
  CacheLine* victim = tags_.victim(tag);
  if (victim == nullptr) return stall(statistics_.stall_reserved);
  if (victim->dirty == 0) return std::nullopt;
  // Reading the old line out takes the array for a cycle; the access comes again.
  if (port_.full()) return stall(statistics_.stall_network);
  replace_dirty(*victim, now);
  ++statistics_.stall_writeback[application];
  return L1Result::retry;
}

void L1Cache::replace_dirty(CacheLine& victim, sim::Cycle now) {
  write_back(victim, now);
  if (observer_ != nullptr) observer_->l1_evicted(victim.tag, victim.owner);
  if (lifetimes_) lifetimes_->replaced(victim.tag.bits(), now);
  victim = {};
}

CacheLine& L1Cache::allocate(LineTag tag, std::uint16_t application, std::uint8_t owner, sim::Cycle now) {
  CacheLine evicted;
  CacheLine* line = tags_.allocate(tag, evicted);
  HEDDLE_CHECK(line != nullptr && evicted.dirty == 0, "the L1 replaced a line that it had to keep");
  line->application = application;
  line->owner = owner;
  if (observer_ != nullptr && evicted.valid != 0) observer_->l1_evicted(evicted.tag, evicted.owner);
  if (lifetimes_ && evicted.valid != 0) lifetimes_->replaced(evicted.tag.bits(), now);
  if (lifetimes_) lifetimes_->came(tag.bits(), now);
  return *line;
}

void L1Cache::outdate(const L1Access& access) {
  const auto miss = misses_.find(access.line);
  if (miss && (misses_.at(*miss).requested & access.sectors) != 0) misses_.let_go(*miss);
}

void L1Cache::write_back(CacheLine& line, sim::Cycle now) {
  Request request;
  request.line = line.tag;
  request.sectors = line.dirty;
  request.id = request_id(RequestName::writeback, 0);
  request.application = line.application;
  request.warp = line.owner;
  request.kind = RequestKind::write;
  request.bytes = static_cast<std::uint16_t>(static_cast<unsigned>(std::popcount(line.dirty)) * memory::kSectorUnit);
  if (versions_) request.record = versions_->write_back(line, now);
  line.dirty = 0;
  if (!line.registers) --dirty_lines_;
  ++unacknowledged_;
  ++statistics_.stores[line.application];
  ++statistics_.l1_writebacks[line.application];
  port_.push(request);
}

bool L1Cache::can_fill(std::uint32_t miss, sim::Cycle now) {
  if (allocates_on_miss_ || (dirty_lines_ == 0 && !has_registers_)) return true;
  const memory::MissTable::Miss& entry = misses_.at(miss);
  if (!entry.fills || tags_.find(entry.line) != nullptr) return true;
  CacheLine* victim = tags_.victim(entry.line);
  if (victim == nullptr || victim->dirty == 0) return true;
  if (port_.full()) return false;
  replace_dirty(*victim, now);
  return true;
}

bool L1Cache::fill_line(std::uint32_t miss, const memory::Response& response, sim::Cycle now) {
  const std::uint32_t sectors = response.sectors;
  memory::MissTable::Miss& entry = misses_.at(miss);
  entry.requested &= ~sectors;
  CacheLine* line = nullptr;
  const bool kept = entry.fills && !response.uncached;
  if (kept) {
    line = tags_.find(entry.line);
    HEDDLE_CHECK(line != nullptr || !allocates_on_miss_, "a filled line is not in the L1");
    if (line == nullptr) line = &allocate(entry.line, entry.application, entry.owner, now);
    line->valid |= sectors;
    line->read_only = response.read_only;
  }
  if (versions_) versions_->fill(entry.line, sectors, kept ? sectors & ~entry.changed : 0, response.record, now);
  if (entry.requested != 0) return false;
  ++statistics_.l1_fills[entry.application];
  statistics_.l1_miss_latency[entry.application] += now - missed_at_[miss];
  if (line != nullptr) {
    line->reserved = false;
    tags_.touch(*line);
  } else if ((entry.outdated && !misses_.find(entry.line)) || (entry.fills && !kept)) {
    if (line = tags_.find(entry.line); line != nullptr) line->reserved = false;
  }
  return true;
}

void L1Cache::start_kernel(std::uint16_t application, sim::Cycle now) {
  if (versions_) versions_->start_kernel(application, now);
  tags_.invalidate_clean([&](const CacheLine& line) { return line.application == application; });
  misses_.let_go_if([&](const memory::MissTable::Miss& miss) { return miss.application == application; });
  if (dirty_lines_ != 0) flush();
}

std::optional<std::uint64_t> L1Cache::invalidate(LineTag tag, sim::Cycle now) {
  if (CacheLine* line = tags_.find(tag); line != nullptr) {
    if (line->dirty != 0) {
      if (port_.full()) return std::nullopt;
      write_back(*line, now);
    }
    if (line->reserved) {
      line->valid = 0;
    } else {
      *line = {};
    }
  }
  if (const auto miss = misses_.find(tag)) misses_.let_go(*miss);
  return 0;  // what was written back before is all that must arrive
}

void L1Cache::drop_registers(LineTag tag) {
  if (CacheLine* line = tags_.find(tag); line != nullptr && !line->reserved) *line = {};
}

void L1Cache::invalidate_page(LineTag page, unsigned bits) {
  const auto in_page = [&](LineTag line) { return line.in_page_of(page, bits); };
  misses_.let_go_if([&](const memory::MissTable::Miss& miss) { return in_page(miss.line); });
  bool found = !p_.invalidation_filter;
  for (std::size_t l = 0; l < tags_.size() && !found; ++l)
    found = tags_.line(l).valid != 0 && in_page(tags_.line(l).tag);
  ++statistics_.l1_page_probes;
  if (!found) return;
  ++statistics_.l1_page_flushes;
  forget_virtual();
}

bool L1Cache::knows_page(std::uint16_t space, std::uint64_t address) {
  const LineTag page(memory::VirtLine{address}, space);
  for (std::size_t l = 0; l < tags_.size(); ++l) {
    const CacheLine& line = tags_.line(l);
    if ((line.valid != 0 || line.reserved) && line.tag.in_page_of(page)) return true;
  }
  return misses_.any([&](const memory::MissTable::Miss& miss) { return miss.line.in_page_of(page); });
}

void L1Cache::forget_virtual() {
  misses_.let_go_if([](const memory::MissTable::Miss& miss) { return miss.line.is_virtual(); });
  tags_.forget_clean([](const CacheLine& line) { return line.tag.is_virtual(); });
}

std::uint64_t L1Cache::flush() {
  flush_until_ = walked_ + tags_.size();
  return flush_until_;
}

void L1Cache::flush_step(sim::Cycle now) {
  while (flushing()) {
    if (dirty_lines_ == 0) {
      walked_ = flush_until_;
      return;
    }
    CacheLine& line = tags_.line(walked_ % tags_.size());
    if (line.dirty != 0 && !line.registers) {
      if (port_.full()) return;
      write_back(line, now);
      ++walked_;
      return;
    }
    ++walked_;
  }
}

bool L1Cache::resize(unsigned kib) {
  if (!misses_.empty() || dirty_lines_ != 0 || unacknowledged_ != 0 || has_registers_) return false;
  drop_clean();
  tags_.use_sets(p_, std::max(1u, kib * 1024 / (p_.ways * p_.line_bytes)));
  return true;
}

}  // namespace heddle::core
