// The staging unit of a shard at work: preloads, results, evictions, and what goes to the L1.
#include "core/operands/regless/shard.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "exec/warp.h"

namespace heddle::core {

using sim::Cycle;
using Copy = Compressor::Copy;

RegLessShard::RegLessShard(const Setup& setup)
    : p_(setup.parameters.regless),
      statistics_(setup.statistics),
      checked_(setup.checked),
      lines_per_bank_(p_.lines_per_bank(setup.parameters.schedulers)),
      warps_(setup.parameters.warps / setup.parameters.schedulers),
      staging_(lines_per_bank_, static_cast<unsigned>(warps_.size())),
      compressor_(p_.compressor_lines, static_cast<unsigned>(warps_.size())),
      memory_(warps_.size() * 256) {
  const bool local = p_.bank_warp.is("local");
  for (unsigned w = 0; w < warps_.size(); ++w)
    bank_warp_.push_back(local ? w : w * setup.parameters.schedulers + setup.index);
}

void RegLessShard::start(unsigned index, const KernelInstance& kernel, exec::Warp& state) {
  Warp& warp = warps_[index];
  warp = {};
  warp.state = State::inactive;
  warp.code = kernel.regions;
  warp.timed = kernel.timed;
  warp.registers = kernel.launch->config.registers;
  warp.came = state.instructions != 0;
  warp.application = kernel.application;
  warp.state_of = &state;
  bar(index);
}

void RegLessShard::end(unsigned index) {
  Warp& warp = warps_[index];
  if (warp.state == State::off) return;
  warp.pending.clear();
  promise_only_pending(warp);
  warp.state = State::off;
  bar(index);
  resuming_ &= ~(std::uint64_t{1} << index);
  const auto number = static_cast<std::uint8_t>(index);
  stack_.erase(std::remove(stack_.begin(), stack_.end(), number), stack_.end());
  staging_.drop_warp(number);
  for (unsigned r = 0; r < 256; ++r) compressor_.set_copy(name_of(index, static_cast<std::uint8_t>(r)), Copy::none);
  for (auto& buffer : write_backs_) std::erase_if(buffer, [&](const WriteBack& w) { return w.name.warp == number; });
  wakes_at_ = 0;
}

Cycle RegLessShard::read(unsigned index, const TimedOp& op, Cycle now) {
  Cycle operands = now;
  for (unsigned r = 0; r < op.reads; ++r) {
    Cycle& bank = bank_free_at_[bank_of(name_of(index, op.read_registers[r]))];
    const Cycle at = std::max(now, bank);
    bank = at + 1;
    operands = std::max(operands, at);
  }
  return operands;
}

/// What the staging unit has must be what the program has.
void RegLessShard::check_reads(const FollowedIssue& issue, unsigned index) {
  for (unsigned r = 0; r < issue.op.reads; ++r) {
    const std::uint8_t reg = issue.op.read_registers[r];
    const StagingUnit::Line line = staging_.find(name_of(index, reg));
    HEDDLE_CHECK(line != StagingUnit::kNone && staging_.is_owned(line),
                 fmt::format("warp {} reads R{} at instruction {}, which is not staged", issue.warp, reg, issue.pc));
    if (!checked_) continue;
    const std::uint32_t* row = issue.state.registers + std::size_t{reg} * kWarpSize;
    for (LaneMask left = issue.lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      HEDDLE_CHECK(staging_.value(line)[lane] == row[lane],
                   fmt::format("warp {} reads R{} at instruction {}: lane {} has {:#x} and was written {:#x}",
                               issue.warp, reg, issue.pc, lane, staging_.value(line)[lane], row[lane]));
    }
  }
}

void RegLessShard::issued(const FollowedIssue& issue, unsigned index) {
  Warp& warp = warps_[index];
  statistics_.reads += issue.op.reads;
  statistics_.tag_lookups += issue.op.reads;
  for (const isa::LastUse& use : warp.code->last_uses_at(issue.pc)) {
    if (!use.at_write) staging_.release(staging_.find(name_of(index, use.reg)), use.erase);
  }
  for (unsigned w = 0; w < issue.op.written; ++w) {
    const std::uint8_t reg = issue.op.write_registers[w];
    const StagedName name = name_of(index, reg);
    ++statistics_.tag_lookups;
    const StagingUnit::Line line = staging_.find(name);
    if (line == StagingUnit::kNone) {
      allocate(name);
    } else if (!staging_.is_owned(line)) {
      staging_.own(line);
    }
    PendingWrite write{reg, issue.lanes};
    for (const isa::LastUse& use : warp.code->last_uses_at(issue.pc)) {
      if (!use.at_write || use.reg != reg) continue;
      write.released = true;
      write.erase = use.erase;
    }
    // A barrier or a call to the outside gives its result when the warp goes on.
    const bool late = !issue.writes && issue.op.unit == UnitKind::control && issue.lanes != 0;
    warp.late = warp.late || late;
    if (issue.writes || late) {
      warp.pending.push_back(write);
    } else if (write.released) {
      staging_.release(staging_.find(name), write.erase);  // no lane wrote it
    }
  }
  if (issue.pc + 1 == warp.region->end) return region_ended(index, issue.now);
  // Metadata in between takes the warp's time, not the scheduler's.
  const auto before =
      issue.pc == warp.region->begin ? warp.region->start_words + std::min<unsigned>(warp.region->flag_words, 1) : 0u;
  const unsigned words = warp.code->place[issue.pc + 1] - warp.code->place[issue.pc] - 1 - before;
  if (words == 0) return;
  warp.resumes_at = issue.now + 1 + words;
  resuming_ |= std::uint64_t{1} << index;
  bar(index);
  wake_by(warp.resumes_at);
}

void RegLessShard::wrote(unsigned index, const TimedOp& op, Cycle now) {
  Warp& warp = warps_[index];
  for (unsigned w = 0; w < op.written; ++w) {
    const auto found = std::find_if(warp.pending.begin(), warp.pending.end(),
                                    [&](const PendingWrite& p) { return p.reg == op.write_registers[w]; });
    if (found == warp.pending.end()) continue;  // the warp has exited
    Cycle& bank = bank_free_at_[bank_of(name_of(index, found->reg))];
    bank = std::max(bank, now) + 1;
    land(index, *found);
    warp.pending.erase(found);
  }
  if (warp.state != State::draining) return;
  if (warp.pending.empty()) {
    drained(index, now);
  } else {
    promise_only_pending(warp);
    wake_by(now);
  }
}

/// A result is written.
void RegLessShard::land(unsigned index, const PendingWrite& write) {
  const StagingUnit::Line line = staging_.find(name_of(index, write.reg));
  const std::uint32_t* row = warps_[index].state_of->registers + std::size_t{write.reg} * kWarpSize;
  RegisterValue& value = staging_.value(line);
  for (LaneMask left = write.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    value[lane] = row[lane];
  }
  staging_.set_dirty(line);
  ++statistics_.writes;
  if (write.released) staging_.release(line, write.erase);
}

StagingUnit::Line RegLessShard::allocate(StagedName name) {
  StagingUnit::Victim victim;
  const unsigned bank = bank_of(name);
  const StagingUnit::Line line = staging_.allocate(bank, name, victim);
  if (victim.dirty) {
    ++statistics_.evictions;
    write_backs_[bank].push_back({victim.name, victim.value});
    if (write_backs_[bank].size() > 1) writes_back_late_ = true;
    wakes_at_ = 0;
  }
  return line;
}

/// No copy of the register remains outside the staging unit.
void RegLessShard::forget_copy(StagedName name, Cycle now) {
  if (compressor_.copy(name) == Copy::whole)
    requests_.push_back({RegisterRequest::Kind::drop, now, name, 0, warps_[name.warp].application});
  compressor_.set_copy(name, Copy::none);
}

/// The first of a bank's queue; false if it must wait.
bool RegLessShard::prepare(unsigned bank, Cycle now) {
  const QueuedPreload& entry = queues_[bank].front();
  const StagedName name = entry.name;
  const StagingUnit::Line line = staging_.find(name);
  std::deque<WriteBack>& buffer = write_backs_[bank];
  const auto leaving = std::find_if(buffer.begin(), buffer.end(), [&](const WriteBack& w) { return w.name == name; });
  if (entry.what == isa::Prepare::invalidate) {
    if (line != StagingUnit::kNone) staging_.drop(line);
    if (leaving != buffer.end()) buffer.erase(leaving);
    forget_copy(name, now);
    ++statistics_.invalidations;
  } else if (line != StagingUnit::kNone) {
    staging_.own(line);
    ++statistics_.preloads_staged;
    if (entry.what == isa::Prepare::preload_last) forget_copy(name, now);
  } else if (leaving != buffer.end()) {
    const RegisterValue value = leaving->value;
    buffer.erase(leaving);
    const StagingUnit::Line again = allocate(name);
    staging_.value(again) = value;
    staging_.set_dirty(again);
    ++statistics_.preloads_buffer;
    if (entry.what == isa::Prepare::preload_last) forget_copy(name, now);
  } else {
    if (staging_.must_write_back(bank) && !buffer.empty()) return false;
    (void)allocate(name);
    if (compressor_.copy(name) != Copy::none) {
      ++statistics_.preloads;
      ++statistics_.tag_lookups;
      missing_.push_back(entry);
      return true;
    }
    ++statistics_.preloads_empty;
  }
  if (entry.what != isa::Prepare::invalidate) ++statistics_.preloads;
  ++statistics_.tag_lookups;
  prepared(name.warp, now);
  return true;
}

void RegLessShard::fill(StagedName name, const RegisterValue& value, Cycle now) {
  staging_.value(staging_.find(name)) = value;
  Cycle& bank = bank_free_at_[bank_of(name)];
  bank = std::max(bank, now) + 1;
  ++statistics_.fills;
  prepared(name.warp, now);
}

/// A place in the compressor for a line that it does not have; nullptr if there is none now.
Compressor::Cached* RegLessShard::take_line(std::uint32_t line, bool fetch, std::uint16_t application, Cycle now) {
  Compressor::Cached* place = compressor_.victim();
  if (place == nullptr) return nullptr;
  ++statistics_.compressor_misses;
  if (place->used && place->dirty)
    requests_.push_back({RegisterRequest::Kind::store_line, now, {}, place->line, application});
  *place = {line, true, false, fetch, 0, {}};
  if (fetch) requests_.push_back({RegisterRequest::Kind::load_line, now, {}, line, application});
  return place;
}

/// A preload that missed asks whether the register is compressed.
bool RegLessShard::expand_one(Cycle now) {
  const QueuedPreload entry = missing_.front();
  const StagedName name = entry.name;
  const std::uint16_t application = warps_[name.warp].application;
  const Cycle looked = now + (p_.compressor ? p_.bit_latency : 0);
  if (p_.compressor) ++statistics_.bit_lookups;
  if (compressor_.copy(name) == Copy::whole) {
    requests_.push_back({RegisterRequest::Kind::load, looked, name, 0, application});
    if (entry.what == isa::Prepare::preload_last) {
      requests_.push_back({RegisterRequest::Kind::drop, looked, name, 0, application});
      compressor_.set_copy(name, Copy::none);
    }
    missing_.pop_front();
    return true;
  }
  const std::uint32_t line = compressor_.line_of(name);
  Compressor::Cached* cached = compressor_.find(line);
  if (cached == nullptr) cached = take_line(line, true, application, looked);
  if (cached == nullptr) return false;
  ++statistics_.compressor_accesses;
  compressor_.touch(*cached);
  if (cached->filling) {
    cached->waiting.push_back(static_cast<std::uint32_t>(name.warp) << 8 | name.reg);
  } else {
    ++statistics_.preloads_compressor;
    expanding_.push_back({looked + p_.expand_latency, name});
  }
  if (entry.what == isa::Prepare::preload_last) compressor_.set_copy(name, Copy::none);
  missing_.pop_front();
  return true;
}

/// A register leaves a write-back buffer.
bool RegLessShard::evict_one(Cycle now) {
  for (unsigned n = 0; n < isa::kRegionBanks; ++n) {
    std::deque<WriteBack>& buffer = write_backs_[(next_bank_ + n) % isa::kRegionBanks];
    if (buffer.empty()) continue;
    const StagedName name = buffer.front().name;
    const std::uint16_t application = warps_[name.warp].application;
    const auto small = p_.compressor ? compress(buffer.front().value) : std::nullopt;
    if (small) {
      const std::uint32_t line = compressor_.line_of(name);
      Compressor::Cached* cached = compressor_.find(line);
      if (cached == nullptr) cached = take_line(line, compressor_.holds_any(line), application, now);
      if (cached == nullptr) continue;
      ++statistics_.compressor_accesses;
      ++statistics_.evictions_compressed;
      compressor_.touch(*cached);
      cached->dirty = true;
      compressor_.put(name, *small);
      compressor_.set_copy(name, Copy::compressed);
    } else {
      memory_[std::size_t{name.warp} * 256 + name.reg] = buffer.front().value;
      compressor_.set_copy(name, Copy::whole);
      const Cycle ready = now + (p_.compressor ? p_.compress_latency : 0);
      requests_.push_back({RegisterRequest::Kind::store, ready, name, 0, application});
    }
    if (p_.compressor) ++statistics_.bit_lookups;
    buffer.pop_front();
    next_bank_ = (next_bank_ + n + 1) % isa::kRegionBanks;
    return true;
  }
  return false;
}

/// The compressor does one thing a cycle; registers that warps wait for go first.
bool RegLessShard::compress_one(Cycle now) { return (!missing_.empty() && expand_one(now)) || evict_one(now); }

void RegLessShard::loaded(const RegisterRequest& request, bool from_l1, Cycle now) {
  if (request.kind == RegisterRequest::Kind::load) {
    ++(from_l1 ? statistics_.preloads_l1 : statistics_.preloads_l2);
    fill(request.name, memory_[std::size_t{request.name.warp} * 256 + request.name.reg], now);
  } else {
    Compressor::Cached* cached = compressor_.find(request.line);
    cached->filling = false;
    for (const std::uint32_t waiting : cached->waiting) {
      ++(from_l1 ? statistics_.preloads_l1 : statistics_.preloads_l2);
      const auto reg = static_cast<std::uint8_t>(waiting & 0xff);
      expanding_.push_back({now + p_.expand_latency, name_of(waiting >> 8, reg)});
    }
    cached->waiting.clear();
  }
  wake_by(now);
}

void RegLessShard::requested() {
  switch (requests_.front().kind) {
    case RegisterRequest::Kind::load:
      ++statistics_.l1_loads;
      break;
    case RegisterRequest::Kind::store:
      ++statistics_.l1_stores;
      break;
    case RegisterRequest::Kind::drop:
      ++statistics_.l1_drops;
      break;
    case RegisterRequest::Kind::load_line:
      ++statistics_.l1_line_loads;
      break;
    case RegisterRequest::Kind::store_line:
      ++statistics_.l1_line_stores;
      break;
  }
  requests_.pop_front();
}

void RegLessShard::tick(Cycle now) {
  wakes_at_ = sim::kNever;
  if (resuming_ != 0) resume(now);
  for (std::size_t n = 0; n < expanding_.size();) {
    if (expanding_[n].at > now) {
      ++n;
      continue;
    }
    const StagedName name = expanding_[n].name;
    expanding_.erase(expanding_.begin() + static_cast<std::ptrdiff_t>(n));
    fill(name, compressor_.get(name), now);
  }
  (void)compress_one(now);
  for (unsigned bank = 0; bank < isa::kRegionBanks; ++bank) {
    // Reads of operands have the tags first.
    if (queues_[bank].empty() || bank_free_at_[bank] > now || !prepare(bank, now)) continue;
    queues_[bank].pop_front();
    retries_ = true;
  }
  if (retries_) activate(now);
  plan_wake(now);
}

void RegLessShard::plan_wake(Cycle now) {
  bool busy = !missing_.empty() || !requests_.empty() || retries_;
  writes_back_late_ = false;
  for (unsigned bank = 0; bank < isa::kRegionBanks; ++bank) {
    busy = busy || !queues_[bank].empty() || !write_backs_[bank].empty();
    writes_back_late_ = writes_back_late_ || write_backs_[bank].size() > 1;
  }
  if (busy) wake_by(now + 1);
  for (const Fill& fill : expanding_) wake_by(fill.at);
}

}  // namespace heddle::core
