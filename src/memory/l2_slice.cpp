#include "memory/l2_slice.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace heddle::memory {

using sim::Cycle;

namespace {

/// A miss counts its bursts still on their way in the upper half of `requested`.
constexpr unsigned kBurstShift = 16;
constexpr std::uint32_t kUnits = (1u << kBurstShift) - 1;
/// CacheLine::copied: copied and not read since, or a time in units of 16 cycles with the highest bit set.
constexpr std::uint16_t kUntouched = 1;
constexpr std::uint16_t kStamped = 0x8000;
constexpr unsigned kStampShift = 4;
/// The token of a read that goes past the L2, with its number.
constexpr std::uint32_t kPassing = 0x80000000u;

}  // namespace

L2Slice::L2Slice(const Setup& setup)
    : setup_(setup),
      p_(setup.parameters),
      statistics_(setup.statistics, fmt::format("l2[{}]", setup.index)),
      tags_(p_, statistics_),
      misses_(p_.mshrs, p_.mshr_merges),
      policy_(p_.fill.make(statistics_, "", FillPolicySetup{setup.board, setup.index})),
      clock_(p_.clock_mhz, setup.core_mhz),
      bank_free_at_(p_.banks),
      lets_past_(policy_->lets_past()),
      port_(setup.network.make_port()),
      arrival_port_(setup.network.make_port()) {
  if (p_.lifetime_step != 0) {
    lifetimes_ = std::make_unique<Lifetimes>(statistics_, "lifetimes", p_.lifetime_step, Lifetimes::Until::last_use);
  }
  if (setup.checker != nullptr) versions_ = std::make_unique<L2Versions>(*setup.checker);
  statistics_.divide(setup.applications);
}

Cycle L2Slice::receive() {
  input_.erase(input_.begin(), input_.begin() + static_cast<std::ptrdiff_t>(head_));
  head_ = 0;
  if (!lets_past_) return setup_.network.requests(setup_.index).collect(input_);
  fresh_.clear();
  const Cycle first = setup_.network.requests(setup_.index).collect(fresh_);
  const auto not_later = [](const Request& a, const Request& b) {
    return a.arrival != b.arrival ? a.arrival < b.arrival : a.sm < b.sm;
  };
  for (const Request& request : fresh_) {
    if (request.traffic == Traffic::walk && policy_->goes_past(request)) {
      past_.insert_ordered(request, [&](const Request& other) { return other.arrival <= request.arrival; });
    } else {
      input_.insert(std::upper_bound(input_.begin(), input_.end(), request, not_later), request);
    }
  }
  return first;
}

Cycle L2Slice::next(Cycle from) const {
  Cycle next = sim::kNever;
  if (!retries_.empty() && stall_ == nullptr) return from;
  if (head_ < input_.size() && stall_ == nullptr) next = std::max(input_[head_].arrival, from);
  if (!answers_.empty()) next = std::min(next, std::max(answers_.front().ready, from));
  if (!past_.empty()) next = std::min(next, std::max(past_.front().arrival, from));
  return next;
}

void L2Slice::begin(Cycle now) {
  tick_now_ = clock_.ticks_before(now);
  if (stall_ != nullptr && tick_now_ > tick_) *stall_ += tick_now_ - tick_;
}

void L2Slice::tick(Cycle now) {
  if (!past_.empty()) pass(now);
  tick_ = std::max(tick_, tick_now_);
  for (const L2Cycle until = clock_.ticks_before(now + 1); tick_ < until; ++tick_) serve(now);
  if (!answers_.empty()) send_answers(now);
}

void L2Slice::serve(Cycle now) {
  if (stall_ != nullptr) {
    *stall_ += 1;
    return;
  }
  for (unsigned served = 0; served < p_.banks; ++served) {
    if (!retries_.empty()) {
      if (serve_retry(now)) continue;
      if (passes_retries_ && stall_ != nullptr) pass_retries(now);
      return;
    }
    if (!serve_input(now)) return;
  }
}

/// Takes the first of the input, if it can. Returns whether to go on in this tick.
bool L2Slice::serve_input(Cycle now) {
  if (head_ >= input_.size() || input_[head_].arrival > now) return false;
  // The packet occupies the slice's port while it arrives.
  const Request& request = input_[head_];
  const Cycle arrived = std::max(request.arrival, arrival_port_.free_at());
  if (arrived > now) return false;
  const unsigned bank = bank_of(request.line);
  if (bank_free_at_[bank] > tick_) return false;
  if (!take(request, now)) {
    *stall_ += 1;
    return false;
  }
  const unsigned data = request.kind == RequestKind::read ? 0 : request.bytes;
  arrival_port_.occupy(arrived, setup_.network.partition_occupancy(data));
  bank_free_at_[bank] = tick_ + cycles_of(request);
  const bool merges = request.kind == RequestKind::write && p_.write_merges > 1;
  const LineTag line = request.line;
  give_credit(request, now);
  ++head_;
  if (merges) take_merged(line, now);
  return true;
}

std::uint64_t L2Slice::cycles_of(const Request& request) const {
  if (request.kind != RequestKind::atomic) return 1;
  const auto lanes = static_cast<unsigned>(std::popcount(request.lanes));
  const unsigned same = (request.same_word + p_.atomic_word_lanes - 1) / p_.atomic_word_lanes;
  return std::max({(lanes + p_.atomics_per_cycle - 1) / p_.atomics_per_cycle, same, p_.atomic_interval.get()});
}

bool L2Slice::serve_retry(Cycle now) {
  const Request request = retries_.front();
  const unsigned bank = bank_of(request.line);
  if (bank_free_at_[bank] > tick_) return false;
  if (!take(request, now)) {
    *stall_ += 1;
    return false;
  }
  bank_free_at_[bank] = tick_ + cycles_of(request);
  retries_.pop_front();
  return true;
}

void L2Slice::give_credit(const Request& request, Cycle now) {
  setup_.network.credits(request.sm).send({setup_.index, now + setup_.network.parameters().latency});
}

/// They are as many at most as walks are under way, and do not wait for room in the queue to DRAM, which is for misses.
void L2Slice::pass(Cycle now) {
  while (!past_.empty() && past_.front().arrival <= now) {
    const Request request = past_.front();
    past_.pop_front();
    std::uint32_t number = static_cast<std::uint32_t>(passing_.size());
    if (free_passing_.empty()) {
      passing_.emplace_back();
    } else {
      number = free_passing_.back();
      free_passing_.pop_back();
    }
    passing_[number] = {request, count_bursts(request.sectors, setup_.burst_bytes)};
    passing_[number].request.missed = true;
    ++statistics_.went_past[request.application];
    statistics_.dram_reads[request.application] += passing_[number].bursts;
    setup_.link.transfer(
        request.line.physical(), request.sectors,
        {0, kPassing | number, request.application, false, request.traffic, request.level, request.warp, request.sm},
        now);
    give_credit(request, now);
  }
}

void L2Slice::passed(std::uint32_t number, Cycle now) {
  if (--passing_[number].bursts != 0) return;
  finish(passing_[number].request, now, now);
  free_passing_.push_back(number);
}

void L2Slice::take_merged(LineTag line, Cycle now) {
  for (unsigned merged = 1; merged < p_.write_merges; ++merged) {
    if (head_ >= input_.size() || input_[head_].arrival > now) return;
    const Request& request = input_[head_];
    if (request.kind != RequestKind::write || request.line != line || !take_write(request, now)) return;
    give_credit(request, now);
    ++head_;
  }
}

/// Behind an atomic that waits for the line, nobody may go to the sectors that it changes. Returns whether the request
/// has joined those who wait; stall_ says so if it cannot.
bool L2Slice::queue_behind_atomic(const Request& request) {
  const auto miss = misses_.find(request.line);
  // What a virtual line is called may turn out to be another's: nothing is written before that is known.
  if (!miss || (!request.line.is_virtual() && (misses_.at(*miss).changed & request.sectors) == 0)) return false;
  if (misses_.can_merge(*miss)) {
    if (request.line.is_virtual()) misses_.at(*miss).changed |= request.sectors;
    wait_on(*miss, request);
    return true;
  }
  stall_ = &statistics_.stall_merge;
  return false;
}

void L2Slice::write(CacheLine& line, const Request& request) {
  line.valid |= request.sectors;
  line.dirty |= request.sectors;
  line.application = request.application;
  tags_.touch(line);
}

bool L2Slice::take_write(const Request& request, Cycle now) {
  if (queue_behind_atomic(request)) {
    count_write(request);
    return true;
  }
  if (stall_ != nullptr) return false;
  CacheLine* line = p_.perfect ? nullptr : tags_.find(request.line);
  if (request.line.is_virtual()) {
    if (line == nullptr || is_denied(request, line)) return take_virtual_write(request, line, now);
    if (line->dirty == 0) setup_.table->send({.kind = TableMessage::Kind::upgrade, .line = request.line}, now);
  }
  if (line == nullptr && !p_.perfect) {
    if (setup_.table != nullptr && setup_.table->full()) {
      stall_ = &statistics_.stall_table;
      return false;
    }
    if (setup_.link.full(request.line.physical(), request.application)) {
      stall_ = &statistics_.stall_dram_queue;
      return false;
    }
    line = allocate(request.line, now);
    if (line == nullptr) return false;
  }
  if (line != nullptr) write(*line, request);
  if (lifetimes_) lifetimes_->used(request.line.bits(), now);
  if (versions_) versions_->write(request, line == nullptr, now);
  count_write(request);
  finish(request, now + p_.latency + far(request, now), now);
  return true;
}

bool L2Slice::take_read(const Request& request, Cycle now) {
  CacheLine* line = p_.perfect ? nullptr : tags_.find(request.line);
  const auto existing = misses_.find(request.line);
  const bool behind = existing && (misses_.at(*existing).changed & request.sectors) != 0;
  const bool denied = is_denied(request, line);
  if (p_.perfect || (line != nullptr && !behind && !denied && (line->valid & request.sectors) == request.sectors)) {
    if (line != nullptr) tags_.touch(*line);
    if (lifetimes_) lifetimes_->used(request.line.bits(), now);
    if (versions_) serve_versions(request, line == nullptr, now);
    policy_->served(request, true);
    statistics_.count_read(request, true);
    Cycle more = far(request, now);
    if (line != nullptr && line->copied != 0) more = fetch_copied(*line, now);
    finish(request, now + p_.latency + more, now);
    return true;
  }
  std::uint32_t missing = p_.widen(request.sectors);
  if (line != nullptr) missing &= ~line->valid;
  if (existing) missing &= ~(misses_.at(*existing).requested & kUnits);
  const unsigned bursts = count_bursts(missing, setup_.burst_bytes);
  if (sim::Counter* reason = obstacle(request, existing, bursts)) {
    stall_ = reason;
    return false;
  }
  if (existing && request.line.is_virtual()) {
    // One question at a time: what else of the line is wanted is asked for when this is answered.
    wait_on(*existing, request);
    if (request.kind == RequestKind::atomic) misses_.at(*existing).changed |= request.sectors;
    policy_->served(request, false);
    statistics_.count_read(request, false);
    ++statistics_.merged[request.application];
    return true;
  }
  bool fills = !existing || misses_.at(*existing).fills;
  // What an atomic changes must be kept.
  const bool atomic = request.kind == RequestKind::atomic;
  if (line == nullptr && (fills || atomic)) {
    fills = atomic || policy_->admit(request) == Fill::allocate;
    if (fills) line = allocate(request.line, now);
    if (fills && line == nullptr) return false;
  }
  if (line != nullptr) line->reserved = true;
  const std::uint32_t miss = existing ? *existing : misses_.add(request.line, fills);
  wait_on(miss, request);
  if (atomic) misses_.at(miss).changed |= request.sectors;
  misses_.at(miss).requested |= missing;
  misses_.at(miss).requested += (denied && bursts == 0 ? 1 : bursts) << kBurstShift;  // its right is an answer, too
  policy_->served(request, false);
  statistics_.count_read(request, false);
  if (existing) ++statistics_.merged[request.application];
  if (!fills) ++statistics_.bypassed[request.application];
  statistics_.dram_reads[request.application] += bursts;
  if (request.line.is_virtual()) {
    ask_table(miss, request, missing, now);
  } else if (bursts != 0) {
    if (versions_) versions_->fetch(miss, request.line, missing);
    setup_.link.transfer(
        request.line.physical(), missing,
        {0, miss, request.application, false, request.traffic, request.level, request.warp, request.sm}, now);
  }
  return true;
}

/// What a read of a line that was copied has to wait besides: the first one the whole latency, others until that is
/// over.
Cycle L2Slice::fetch_copied(CacheLine& line, Cycle now) const {
  if (line.copied == kUntouched) {
    line.copied = static_cast<std::uint16_t>(((now + p_.copied_latency) >> kStampShift) | kStamped);
    return p_.copied_latency;
  }
  // Stamps go round; a line that nobody reads for so long may wait once more, which is rare.
  const Cycle left = ((line.copied - (now >> kStampShift)) & (kStamped - 1)) << kStampShift;
  if (left <= p_.copied_latency) return left;
  line.copied = 0;
  return 0;
}

sim::Counter* L2Slice::obstacle(const Request& request, std::optional<std::uint32_t> miss, unsigned bursts) {
  if (miss && !misses_.can_merge(*miss)) return &statistics_.stall_merge;
  if (!miss && misses_.full()) return &statistics_.stall_miss_table;
  if (setup_.table != nullptr && setup_.table->full()) return &statistics_.stall_table;
  if (bursts != 0 && !request.line.is_virtual() && setup_.link.full(request.line.physical(), request.application))
    return &statistics_.stall_dram_queue;
  return nullptr;
}

/// Makes room for a line; nullptr, with the reason in stall_, if every way waits for a fill.
CacheLine* L2Slice::allocate(LineTag tag, Cycle now) {
  CacheLine evicted;
  CacheLine* line = tags_.allocate(tag, evicted);
  if (line == nullptr) {
    stall_ = &statistics_.stall_reserved;
  } else {
    if (lifetimes_ && evicted.valid != 0 && !evicted.copy) lifetimes_->replaced(evicted.tag.bits(), now);
    if (lifetimes_) lifetimes_->came(tag.bits(), now);
    write_back(evicted, now);
  }
  return line;
}

void L2Slice::host_wrote(LineTag tag, std::uint32_t units, std::uint16_t application, bool copied) {
  CacheLine* line = tags_.find(tag);
  if (line == nullptr) {
    CacheLine evicted;  // what was dirty in it goes to DRAM before anything is timed again
    line = tags_.allocate(tag, evicted);
    if (line == nullptr) return;
    if (versions_ && evicted.dirty != 0) versions_->write_back(evicted);
  }
  if (versions_) versions_->host_wrote(tag, units & ~line->valid);
  line->valid |= units;
  line->application = application;
  line->copied = copied ? kUntouched : 0;
  tags_.touch(*line);
}

void L2Slice::wait_on(std::uint32_t miss, const Request& request) {
  std::uint32_t waiter = 0;
  if (free_waiters_.empty()) {
    waiter = static_cast<std::uint32_t>(waiting_.size());
    waiting_.emplace_back();
  } else {
    waiter = free_waiters_.back();
    free_waiters_.pop_back();
  }
  waiting_[waiter] = request;
  waiting_[waiter].missed = true;
  misses_.at(miss).waiters.push_back(waiter);
}

void L2Slice::write_back(const CacheLine& evicted, Cycle now, Cycle later) {
  if (evicted.valid == 0) return;
  if (evicted.tag.is_virtual()) return leave(evicted, now, later);
  if (evicted.dirty == 0) return;
  statistics_.writebacks[evicted.application] += count_bursts(evicted.dirty, setup_.burst_bytes);
  if (versions_) versions_->write_back(evicted);
  setup_.link.transfer(evicted.tag.physical(), evicted.dirty, {0, kWriteToken, evicted.application, true}, now);
}

void L2Slice::fill(std::uint32_t token, Cycle now, bool read_only) {
  if (token == kWriteToken) return;
  if ((token & kPassing) != 0) return passed(token & ~kPassing, now);
  MissTable::Miss& miss = misses_.at(token);
  miss.requested -= 1u << kBurstShift;
  if (miss.requested >> kBurstShift != 0) return;
  const bool is_virtual = miss.line.is_virtual();
  if (is_virtual && versions_) versions_->came(token);
  CacheLine* line = tags_.find(miss.line);
  HEDDLE_CHECK(line != nullptr || !miss.fills, "a filled line is not in the L2");
  bool is_new = false;
  if (line != nullptr) {
    if (versions_) versions_->fill(token, miss.line, miss.requested & kUnits, line->valid);
    is_new = line->valid == 0;
    line->reserved = false;
    line->valid |= miss.requested & kUnits;
    line->read_only = read_only;
    tags_.touch(*line);
  }
  // What comes from DRAM goes through the same pipeline as what was there: a miss costs the L2's latency as well.
  const Cycle ready = now + p_.latency;
  const bool upgrades = is_virtual && must_upgrade(miss, line);
  for (const std::uint64_t waiter : miss.waiters) {
    if (is_virtual && must_ask_again(waiting_[waiter], miss, line)) {
      ++statistics_.asked_again[waiting_[waiter].application];
      retries_.push_back(waiting_[waiter]);
      free_waiters_.push_back(static_cast<std::uint32_t>(waiter));
      continue;
    }
    if (versions_ && line == nullptr) versions_->pass(token, waiting_[waiter], now);
    if (waiting_[waiter].kind == RequestKind::write) write(*line, waiting_[waiter]);
    if (versions_ && line != nullptr) serve_versions(waiting_[waiter], false, now);
    finish(waiting_[waiter], ready + far(waiting_[waiter], now), now);
    free_waiters_.push_back(static_cast<std::uint32_t>(waiter));
  }
  if (is_virtual) tell_filled(miss.line, line, is_new, upgrades, now);
  misses_.remove(token);
  stall_ = nullptr;
}

void L2Slice::serve_versions(const Request& request, bool perfect, Cycle now) {
  if (request.kind != RequestKind::read) {
    versions_->write(request, perfect, now);
  } else {
    versions_->hit(request, perfect, now);
  }
}

void L2Slice::finish(const Request& request, Cycle ready, Cycle now) {
  if (request.replay) {
    ++statistics_.replays[request.application];
    setup_.table->send({.kind = TableMessage::Kind::replayed, .generation = request.generation, .line = request.line},
                       now);
  }
  if (request.kind == RequestKind::atomic) {
    ready += (request.same_word - 1) * p_.atomic_word_latency;
    atomics_.push_back({request.packet, request.lanes});
    if (CacheLine* line = tags_.find(request.line); line != nullptr && line->valid != 0) {
      if (line->dirty == 0 && request.line.is_virtual() && !request.missed)
        setup_.table->send({.kind = TableMessage::Kind::upgrade, .line = request.line}, now);
      line->dirty |= request.sectors;
      line->application = request.application;
    }
  }
  Answer answer{ready, request};
  if (request.kind == RequestKind::read && request.line.is_virtual()) {
    const CacheLine* line = tags_.find(request.line);
    answer.request.denied = line != nullptr && line->read_only;
  }
  // Most come in order already.
  answers_.insert_ordered(answer, [&](const Answer& other) { return other.ready <= ready; });
}

void L2Slice::perform_atomics() {
  for (const Atomic& atomic : atomics_) setup_.perform_atomic(*atomic.packet, atomic.lanes);
  atomics_.clear();
}

void L2Slice::send_answers(Cycle now) {
  while (!answers_.empty() && answers_.front().ready <= now) {
    const Request& request = answers_.front().request;
    unsigned data = 0;
    if (request.kind == RequestKind::read) {
      data = static_cast<unsigned>(std::popcount(request.sectors)) * kSectorUnit;
    } else if (request.kind == RequestKind::atomic && request.packet != nullptr) {
      data = request.bytes;
    }
    Response response;
    response.id = request.id;
    response.sectors = request.sectors;
    response.partition = setup_.index;
    response.sm = request.sm;
    response.application = request.application;
    response.bytes = static_cast<std::uint16_t>(data);
    response.kind = request.kind;
    response.missed = request.missed;
    response.uncached = request.uncached;
    response.record = request.record;
    response.read_only = request.denied;
    statistics_.bytes_out[request.application] += data;
    setup_.network.send(response,
                        port_.occupy(std::max(port_.free_at(), now), setup_.network.partition_occupancy(data)));
    answers_.pop_front();
  }
}

std::string L2Slice::describe() const {
  return fmt::format("slice {}: {} requests waiting, {} misses, {} answers\n", setup_.index, input_.size() - head_,
                     misses_.used(), answers_.size());
}

}  // namespace heddle::memory
