#include "memory/partition.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace heddle::memory {

using sim::Cycle;

Partition::Partition(const Setup& setup)
    : Shard(setup.network.partition_bell(setup.index)),
      setup_(setup),
      statistics_(setup.statistics, fmt::format("l2[{}]", setup.index)),
      tags_(setup.l2, statistics_),
      misses_(setup.l2.mshrs, setup.l2.mshr_merges),
      dram_(setup.dram, setup.statistics, fmt::format("dram[{}]", setup.index)),
      l2_clock_(setup.l2.clock_mhz, setup.core_mhz),
      dram_clock_(setup.dram.clock_mhz, setup.core_mhz),
      bank_free_at_(setup.l2.banks, 0) {
  for (unsigned a = 0; setup.applications > 1 && a < setup.applications; ++a)
    by_application_.push_back(std::make_unique<ApplicationStatistics>(statistics_, fmt::format("application_{}", a)));
}

bool Partition::idle() const { return !has_work(); }

Cycle Partition::next_work() const {
  Cycle next = sim::kNever;
  if (head_ < input_.size() && stall_ == nullptr) next = std::min(next, std::max(input_[head_].arrival, clock_));
  if (!answers_.empty()) next = std::min(next, std::max(answers_.front().ready, clock_));
  if (!on_way_.empty() && to_dram_.size() < setup_.l2.dram_queue)
    next = std::min(next, std::max(on_way_.front().ready, clock_));
  if (!to_dram_.empty() && dram_.can_accept(to_dram_.front().write)) next = std::min(next, clock_);
  if (dram_next_ != sim::kNever) next = std::min(next, std::max(dram_clock_.cycle_of(dram_next_), clock_));
  return next;
}

void Partition::receive() {
  input_.erase(input_.begin(), input_.begin() + static_cast<std::ptrdiff_t>(head_));
  head_ = 0;
  wake_by(setup_.network.requests(setup_.index).collect(input_));
}

void Partition::run(Cycle begin, Cycle end) {
  clock_ = std::max(clock_, begin);
  for (Cycle now = clock_; now < end;) {
    clock_ = now;
    // Ticks slept through while the first request was stuck count as what they were.
    const std::uint64_t slept_until = l2_clock_.ticks_before(now);
    if (stall_ != nullptr && slept_until > l2_tick_) *stall_ += slept_until - l2_tick_;
    // DRAM first: what it delivers in this cycle, the L2 may use in this cycle.
    const std::uint64_t dram_until = dram_clock_.ticks_before(now + 1);
    for (dram_tick_ = std::max(dram_tick_, dram_clock_.ticks_before(now)); dram_tick_ < dram_until; ++dram_tick_)
      tick_dram(now);
    const std::uint64_t l2_until = l2_clock_.ticks_before(now + 1);
    for (l2_tick_ = std::max(l2_tick_, slept_until); l2_tick_ < l2_until; ++l2_tick_) tick_l2(now);
    send_answers(now);
    // Skip to the next cycle in which something happens.
    clock_ = now + 1;
    wake_ = next_work();
    now = std::max(now + 1, std::min(wake_, end));
  }
  clock_ = end;
  wake_ = std::max(wake_, end);
  reports_ = !atomics_.empty();
}

void Partition::perform_atomics() {
  for (const Atomic& atomic : atomics_) setup_.perform_atomic(*atomic.packet, atomic.lanes);
  atomics_.clear();
}

void Partition::tick_dram(Cycle now) {
  feed_dram(dram_tick_, now);
  if (dram_next_ > dram_tick_) return;
  done_.clear();
  dram_.tick(dram_tick_, done_);
  for (const std::uint32_t token : done_) {
    --dram_in_flight_;
    fill(token);
  }
  dram_next_ = dram_.next_event(dram_tick_ + 1);
}

void Partition::send_to_dram(const DramRequest& request) {
  on_way_.push_back({clock_ + setup_.l2.miss_latency, request});
}

void Partition::feed_dram(std::uint64_t dram_tick, Cycle now) {
  while (!on_way_.empty() && on_way_.front().ready <= now && to_dram_.size() < setup_.l2.dram_queue) {
    to_dram_.push_back(on_way_.front().request);
    on_way_.pop_front();
  }
  while (!to_dram_.empty() && dram_.can_accept(to_dram_.front().write)) {
    dram_.push(to_dram_.front(), dram_tick);
    to_dram_.pop_front();
    stall_ = nullptr;
    ++dram_in_flight_;
    dram_next_ = std::min<std::uint64_t>(dram_next_, dram_tick);
  }
}

namespace {
/// DRAM tokens: a write needs no answer; a read names its miss entry and the bursts that are still to come.
constexpr std::uint32_t kWriteToken = 0xffffffffu;

/// Calls f(first byte in the line) for each DRAM burst that covers some of these units.
template <typename Function>
void for_each_burst(std::uint32_t units, unsigned burst, Function&& f) {
  const unsigned group = std::max(1u, burst / kSectorUnit);
  const unsigned repeats = std::max(1u, kSectorUnit / burst);
  for (unsigned first = 0; first < 32 && units >> first != 0; first += group) {
    const std::uint32_t mask = group >= 32 ? ~0u : ((1u << group) - 1) << first;
    if ((units & mask) == 0) continue;
    for (unsigned r = 0; r < repeats; ++r) f(first * kSectorUnit + r * burst);
  }
}

}  // namespace

void Partition::write_back(const CacheLine& evicted) {
  if (evicted.dirty == 0 || evicted.valid == 0) return;
  for_each_burst(evicted.dirty, setup_.dram.burst_bytes(), [&](unsigned offset) {
    const std::uint64_t local = setup_.map.place(evicted.address + offset).local;
    send_to_dram({local / setup_.dram.burst_bytes() * setup_.dram.burst_bytes(), kWriteToken, 0, true});
    ++statistics_.writebacks;
  });
}

void Partition::fill(std::uint32_t token) {
  if (token == kWriteToken) return;
  MissTable::Miss& miss = misses_.at(token);
  // `requested` counts the bursts still on their way in its upper half.
  miss.requested -= 1u << 16;
  if (miss.requested >> 16 != 0) return;
  CacheLine* line = tags_.find(miss.line);
  HEDDLE_CHECK(line != nullptr, "a filled line is not in the L2");
  line->reserved = false;
  line->valid |= miss.requested & 0xffff;
  tags_.touch(*line);
  // What comes from DRAM goes through the same pipeline as what was there: a miss costs the L2's latency as well.
  const Cycle ready = clock_ + setup_.l2.latency;
  for (const std::uint64_t waiter : miss.waiters) {
    finish(waiting_[waiter], ready);
    free_waiters_.push_back(static_cast<std::uint32_t>(waiter));
  }
  misses_.remove(token);
  stall_ = nullptr;
}

void Partition::finish(const Request& request, Cycle ready) {
  if (request.kind == RequestKind::atomic) {
    atomics_.push_back({request.packet, request.lanes});
    if (CacheLine* line = tags_.find(request.line); line != nullptr && line->valid != 0) line->dirty |= request.sectors;
  }
  // Kept in order of readiness; most come in that order already.
  auto at = answers_.end();
  while (at != answers_.begin() && std::prev(at)->ready > ready) --at;
  answers_.insert(at, {ready, request});
}

void Partition::tick_l2(Cycle now) {
  if (stall_ != nullptr) {
    *stall_ += 1;
    return;
  }
  for (unsigned served = 0; served < setup_.l2.banks; ++served) {
    if (head_ >= input_.size() || input_[head_].arrival > now) return;
    // The packet occupies the partition's port while it arrives.
    const Request& request = input_[head_];
    const Cycle arrived = std::max(request.arrival, arrival_port_free_at_);
    if (arrived > now) return;
    const unsigned bank = static_cast<unsigned>(request.line / setup_.l2.line_bytes % setup_.l2.banks);
    if (bank_free_at_[bank] > l2_tick_) return;
    if (take(request, now) == Verdict::wait) {
      *stall_ += 1;
      return;
    }
    const unsigned data = request.kind == RequestKind::read ? 0 : request.bytes;
    arrival_port_free_at_ = arrived + setup_.network.partition_occupancy(data);
    std::uint64_t busy = 1;
    if (request.kind == RequestKind::atomic) {
      const auto lanes = static_cast<unsigned>(std::popcount(request.lanes));
      busy = (lanes + setup_.l2.atomics_per_cycle - 1) / setup_.l2.atomics_per_cycle;
    }
    bank_free_at_[bank] = l2_tick_ + busy;
    setup_.network.credits(request.sm).send({setup_.index, now + setup_.network.parameters().latency});
    ++head_;
  }
}

Partition::Verdict Partition::take(const Request& request, Cycle now) {
  return request.kind == RequestKind::write ? take_write(request, now) : take_read(request, now);
}

Partition::Verdict Partition::take_write(const Request& request, Cycle now) {
  CacheLine* line = setup_.l2.perfect ? nullptr : tags_.find(request.line);
  if (line == nullptr && !setup_.l2.perfect) {
    if (to_dram_.size() >= setup_.l2.dram_queue) {
      stall_ = &statistics_.stall_dram_queue;
      return Verdict::wait;
    }
    CacheLine evicted;
    line = tags_.allocate(request.line, evicted);
    if (line == nullptr) {
      stall_ = &statistics_.stall_reserved;
      return Verdict::wait;
    }
    write_back(evicted);
  }
  if (line != nullptr) {
    line->valid |= request.sectors;
    line->dirty |= request.sectors;
    tags_.touch(*line);
  }
  ++statistics_.writes;
  if (ApplicationStatistics* own = application(request)) ++own->writes;
  statistics_.bytes_in += request.bytes;
  finish(request, now + setup_.l2.latency);
  return Verdict::taken;
}

void Partition::count_read(const Request& request, bool hit) {
  ++(hit ? statistics_.hits : statistics_.misses);
  if (ApplicationStatistics* own = application(request)) ++(hit ? own->hits : own->misses);
  if (request.kind == RequestKind::atomic) {
    ++statistics_.atomics;
    statistics_.bytes_in += request.bytes;
    return;
  }
  ++statistics_.reads;
  if (request.traffic == Traffic::instruction) {
    ++statistics_.instruction_reads;
    if (!hit) ++statistics_.instruction_misses;
  } else if (request.traffic == Traffic::constant) {
    ++statistics_.constant_reads;
    if (!hit) ++statistics_.constant_misses;
  } else if (request.traffic == Traffic::walk) {
    ++statistics_.walk_reads;
    if (!hit) ++statistics_.walk_misses;
  }
}

Partition::Verdict Partition::take_read(const Request& request, Cycle now) {
  CacheLine* line = setup_.l2.perfect ? nullptr : tags_.find(request.line);
  if (setup_.l2.perfect || (line != nullptr && !line->reserved && (line->valid & request.sectors) == request.sectors)) {
    if (line != nullptr) tags_.touch(*line);
    count_read(request, true);
    finish(request, now + setup_.l2.latency);
    return Verdict::taken;
  }
  const auto wait_on = [&](std::uint32_t miss) {
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
    count_read(request, false);
  };
  const auto existing = misses_.find(request.line);
  std::uint32_t missing = setup_.l2.widen(request.sectors);
  if (line != nullptr) missing &= ~line->valid;
  if (existing) missing &= ~(misses_.at(*existing).requested & 0xffff);
  const unsigned burst = setup_.dram.burst_bytes();
  unsigned needed = 0;
  for_each_burst(missing, burst, [&](unsigned) { ++needed; });
  if (existing && !misses_.can_merge(*existing)) {
    stall_ = &statistics_.stall_merge;
    return Verdict::wait;
  }
  if (!existing && misses_.full()) {
    stall_ = &statistics_.stall_miss_table;
    return Verdict::wait;
  }
  if (needed != 0 && to_dram_.size() >= setup_.l2.dram_queue) {
    stall_ = &statistics_.stall_dram_queue;
    return Verdict::wait;
  }
  if (line == nullptr) {
    CacheLine evicted;
    line = tags_.allocate(request.line, evicted);
    if (line == nullptr) {
      stall_ = &statistics_.stall_reserved;
      return Verdict::wait;
    }
    write_back(evicted);
  }
  line->reserved = true;
  const std::uint32_t miss = existing ? *existing : misses_.add(request.line, true);
  if (existing) ++statistics_.merged;
  wait_on(miss);
  misses_.at(miss).requested |= missing;
  misses_.at(miss).requested += needed << 16;
  if (ApplicationStatistics* own = application(request)) own->dram_reads += needed;
  for_each_burst(missing, burst, [&](unsigned offset) {
    const std::uint64_t local = setup_.map.place(request.line + offset).local;
    send_to_dram({local / burst * burst, miss, request.application, false});
  });
  return Verdict::taken;
}

void Partition::send_answers(Cycle now) {
  while (!answers_.empty() && answers_.front().ready <= now) {
    const Request& request = answers_.front().request;
    const bool carries =
        request.kind == RequestKind::read || (request.kind == RequestKind::atomic && request.packet != nullptr);
    const unsigned data = !carries ? 0
                          : request.kind == RequestKind::read
                              ? static_cast<unsigned>(std::popcount(request.sectors)) * kSectorUnit
                              : request.bytes;
    port_free_at_ = std::max(port_free_at_, now) + setup_.network.partition_occupancy(data);
    Response response;
    response.id = request.id;
    response.sectors = request.sectors;
    response.arrival = port_free_at_ + setup_.network.parameters().latency;
    response.partition = setup_.index;
    response.bytes = static_cast<std::uint16_t>(data);
    response.kind = request.kind;
    response.missed = request.missed;
    statistics_.bytes_out += data;
    setup_.network.responses(request.sm).send(response);
    answers_.pop_front();
  }
}

std::string Partition::describe() const {
  return fmt::format("partition {}: {} requests waiting, {} misses, {} for DRAM, {} in DRAM, {} answers\n",
                     setup_.index, input_.size() - head_, misses_.used(), on_way_.size() + to_dram_.size(),
                     dram_in_flight_, answers_.size());
}

}  // namespace heddle::memory
