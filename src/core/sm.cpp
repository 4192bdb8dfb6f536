#include "core/sm.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "core/request_names.h"

namespace heddle::core {

using sim::Cycle;

static_assert(exec::StoreBuffer::kParts == sim::Shard::kParts);

Sm::Sm(const Setup& setup)
    : Shard(setup.network.sm_bell(setup.index)),
      setup_(setup),
      p_(setup.parameters),
      statistics_(setup.statistics, fmt::format("sm[{}]", setup.index)),
      belongs_(p_.schedulers, 0),
      written_at_(std::size_t{p_.warps} * kRegisters),
      blocks_(p_.blocks),
      scheduler_(p_.scheduler.make(
          statistics_, "",
          SchedulerSetup{p_.schedulers, p_.warps, p_.l1.line_bytes, p_.l1.kib * 1024 / p_.l1.line_bytes,
                         p_.mmu.kind.is("tlb") ? p_.mmu.tlb.entries.get() : 0})),
      divergence_(p_.divergence.make_as(setup.divergence, statistics_, "")),
      profile_(setup.profiles ? std::make_unique<Profiler>(p_.schedulers) : nullptr),
      waiting_study_(p_.waiting_study ? std::make_unique<WaitingStudy>(statistics_, statistics_) : nullptr),
      observers_({scheduler_->observer(), dynamic_cast<MemoryObserver*>(divergence_.get()), profile_.get()}),
      port_(setup.network, setup.map, setup.index),
      mover_(port_, statistics_, p_.l1.line_bytes),
      fetch_(p_, statistics_, port_),
      operands_(p_.operands.make(statistics_, "",
                                 OperandStorage::Setup{p_, statistics_, setup.index, setup.checker != nullptr})),
      memory_({p_, statistics_, port_, events_, *this, *operands_, setup.memory, setup.translations, setup.to_shared,
               setup.index, observers_.get(), setup.checker, setup.applications, setup.per_sm, setup.board,
               profile_.get(), setup.managed}),
      answer_port_(setup.network.make_port()),
      probes_(setup.network, setup.index) {
  statistics_.divide(setup.applications);
  if (statistics_.divided()) warps_of_.resize(setup.applications);
  for (unsigned w = 0; w < p_.warps; ++w) belongs_[w % p_.schedulers] |= WarpSet{1} << w;
  pipes_[static_cast<std::size_t>(UnitKind::integer)] = p_.integer.pipes;
  pipes_[static_cast<std::size_t>(UnitKind::single)] = p_.single.pipes;
  pipes_[static_cast<std::size_t>(UnitKind::dual)] = p_.dual.pipes;
  pipes_[static_cast<std::size_t>(UnitKind::special)] = p_.special.pipes;
  last_slot_.fill(Slot::no_warp);
  slot_counters_ = {&statistics_.slot_issued,       &statistics_.slot_no_warp,     &statistics_.slot_fetch,
                    &statistics_.slot_barrier,      &statistics_.slot_memory_data, &statistics_.slot_result,
                    &statistics_.slot_memory_order, &statistics_.slot_pipe_busy,   &statistics_.slot_memory_queue,
                    &statistics_.slot_policy,       &statistics_.slot_operands};
  plain_ = unwatched();
  fences_by_round_ = p_.fence.rounds();
  carveouts_ = p_.carveout.sizes();
}

unsigned Sm::resident_warps() const { return static_cast<unsigned>(std::popcount(resident_)); }

void Sm::receive() {
  responses_.erase(responses_.begin(), responses_.begin() + static_cast<std::ptrdiff_t>(response_head_));
  response_head_ = 0;
  wake_by(setup_.network.responses(setup_.index).collect(responses_));
  wake_by(port_.collect_credits());
  wake_by(probes_.collect());
  if (translation() != nullptr) wake_by(translation()->collect());
  if (LateTranslation* late = memory_.late_translation(); late != nullptr) wake_by(late->collect());
}

bool Sm::has_serial_work() const {
  if (fault_ || !faults_.empty() || !system_calls_.empty() || !retired_.empty()) return true;
  if (has_finished_blocks_ && control_ != nullptr) return true;
  if (memory_.page_waits() != nullptr && memory_.page_waits()->reports()) return true;
  if (memory_.late_translation() != nullptr) return memory_.late_translation()->reports();
  return memory_.translation() != nullptr && memory_.translation()->reports();
}

void Sm::run(Cycle begin, Cycle end) {
  if (fault_) return;
  if (!stores_.empty()) stores_.clear();  // they have been published
  if (!beginning_.empty()) begin_blocks();
  // Cycles slept through since the last call count as what they were.
  if (clock_ < begin) {
    account(begin - clock_);
    clock_ = begin;
  }
  while (!run_until(end)) {
  }
  if (has_finished_blocks_ && system_calls_.empty() && control_ == nullptr) release_finished_blocks(end);
  reports_ = has_serial_work();
  publishes_ = stores_.words();
}

/// False if a launch was stopped on the way for what it did wrong, and the rest goes on.
bool Sm::run_until(Cycle end) {
  try {
    while (clock_ < end) {
      const Cycle now = clock_;
      step(now);
      wake_ = next_work(now);
      clock_ = std::min(wake_, end);
      account(clock_ - now);
    }
    return true;
  } catch (const exec::ProgramFault& fault) {
    if (setup_.applications > 1) {
      faults_.push_back(fault);
      stop_launch(fault.grid_id, clock_);
      account(1);
      wake_ = ++clock_;
      return false;
    }
    fault_ = std::current_exception();
  } catch (...) {
    fault_ = std::current_exception();
  }
  wake_ = clock_;
  return true;
}

Cycle Sm::next_work(Cycle now) const {
  if (changes_) return now + 1;
  // Ready warps that only wait for room in the load/store unit's queue have nothing to do while that unit is stalled.
  const bool stalled = memory_.stalled();
  const WarpSet memory = next_unit_[static_cast<std::size_t>(UnitKind::memory)];
  const WarpSet can = ready_ & ~held_ & ~operands_->barred();
  const bool blocked = stalled && (ready_ & ~operands_->barred() & ~memory) == 0 && memory_.full();
  if (can != 0 && !blocked) return now + 1;
  if ((memory_.l1().flushing() || fetch_.has_unsent() || memory_.has_unsent() || mover_.has_unsent()) && !port_.full())
    return now + 1;
  Cycle next = std::min({events_.next(now + 1), port_.next(now), probes_.next(now)});
  if (memory_.has_work()) next = std::min(next, memory_.next_work(now));
  if (memory_.translation() != nullptr) next = std::min(next, std::max(memory_.translation()->wakes_at(), now + 1));
  if (memory_.late_translation() != nullptr) next = std::min(next, memory_.late_translation()->next(now));
  if (operands_->wakes_at() != sim::kNever) next = std::min(next, std::max(operands_->wakes_at(), now + 1));
  if (response_head_ < responses_.size())
    next = std::min(next, std::max({responses_[response_head_].arrival, answer_port_.free_at(), now + 1}));
  if (control_ != nullptr) next = std::min(next, std::max(control_->wakes_at(), now + 1));
  return next;
}

void Sm::step(Cycle now) {
  changes_ = false;
  port_.take_credits(now);
  if (response_head_ < responses_.size()) take_answers(now);
  if (events_.due(now)) take_results(now);
  if (fetch_.has_unsent()) fetch_.send_waiting();
  if (memory_.has_unsent()) memory_.send_waiting();
  if (TranslationUnit* unit = translation(); unit != nullptr && unit->wakes_at() <= now) unit->tick(now);
  if (LateTranslation* late = memory_.late_translation(); late != nullptr && late->tick(now)) memory_.try_again();
  const bool registers_first = operands_->goes_first();
  if (registers_first && operands_->wakes_at() <= now) operands_->tick(now, memory_);
  if (memory_.has_work()) memory_.tick(now);
  if (!registers_first && operands_->wakes_at() <= now) operands_->tick(now, memory_);
  if (memory_.l1().flushing()) memory_.flush_step(now);
  if (mover_.has_unsent()) mover_.send();
  if (control_ != nullptr && control_->wakes_at() <= now) control_->tick(now);
  if (probes_.has_work()) probes_.tick(memory_.l1(), memory_.synonyms(), now);
  if (port_.send(now, statistics_.bytes_out) && memory_.stalled()) {
    memory_.account_stall(1);  // the load/store unit has had its turn in this cycle
    memory_.try_again();
  }
  issue(now);
}

void Sm::account(Cycle cycles) {
  memory_.account_stall(cycles);
  if (waiting_study_) [[unlikely]]
    waiting_study_->passed(cycles);
  if (resident_ == 0) return;
  statistics_.active_cycles += cycles;
  statistics_.warp_cycles.all() += cycles * static_cast<unsigned>(std::popcount(resident_));
  for (unsigned s = 0; s < p_.schedulers; ++s) *slot_counters_[static_cast<std::size_t>(last_slot_[s])] += cycles;
  if (profile_) [[unlikely]] {
    for (unsigned s = 0; s < p_.schedulers; ++s) profile_->passed(s, last_slot_[s], cycles);
  }
  for (std::size_t a = 0; a < memory_.outstanding().size(); ++a)
    statistics_.outstanding[a] += cycles * memory_.outstanding()[a];
  for (std::size_t a = 0; a < warps_of_.size(); ++a) statistics_.warp_cycles.own(a) += cycles * warps_of_[a];
  if (control_ != nullptr) control_->passed(cycles);
}

void Sm::take_answers(Cycle now) {
  while (response_head_ < responses_.size() && responses_[response_head_].arrival <= now &&
         answer_port_.free_at() <= now) {
    const memory::Response& response = responses_[response_head_];
    if (!memory_.can_take(response, now)) return;
    ++response_head_;
    // The packet occupies the SM's port while it arrives.
    answer_port_.occupy(now, setup_.network.occupancy(response.bytes));
    statistics_.bytes_in[response.application] += response.bytes;
    port_.answered();
    memory_.try_again();
    if (name_of(response.id) == RequestName::instruction) {
      fetch_.fill(index_of(response.id), now, [&](unsigned w, Cycle ready_at) {
        contexts_[w].ready_at = ready_at;
        refresh(w, now);
      });
    } else if (name_of(response.id) == RequestName::context) {
      if (const auto ended = mover_.answered(index_of(response.id))) context_moved(*ended, now);
    } else {
      memory_.answer(response, now);
    }
  }
}

void Sm::take_results(Cycle now) {
  const auto woken = [&](WarpSet warps) { wake(warps, now); };
  events_.take(now, woken, [&](const Event& event) {
    switch (event.kind) {
      case EventKind::result:
        operands_->wrote(event.warp, contexts_[event.warp].kernel->timed->at(event.data), now);
        break;
      case EventKind::compacted_result:
        compacted_result(event.warp, event.data, now);
        break;
      case EventKind::wake:
        wake(WarpSet{1} << event.warp, now);
        break;
      case EventKind::fence_ended:
        refresh(event.warp, now);
        break;
      case EventKind::line_done:
        memory_.line_done(event.data, now);
        break;
    }
  });
}

/// Of these, some may have been told something else since they asked to be woken.
void Sm::wake(WarpSet warps, Cycle now) {
  for (WarpSet left = warps & waits_result_; left != 0; left &= left - 1) {
    const auto w = static_cast<unsigned>(std::countr_zero(left));
    const Context& context = contexts_[w];
    if (context.wakes_at != now) continue;
    waits_result_ &= ~(WarpSet{1} << w);
    ready_ |= WarpSet{1} << w;
    expect_issue(context);
  }
  for (WarpSet left = warps & fetching_; left != 0; left &= left - 1)
    refresh(static_cast<unsigned>(std::countr_zero(left)), now);
}

void Sm::serial_step(Cycle now) {
  if (fault_) std::rethrow_exception(fault_);
  if (!system_calls_.empty()) perform_system_calls(now);
  if (control_ != nullptr) release_finished_blocks(now);
  for (const Retired& block : retired_) {
    ++block.kernel->blocks_done;
    block.kernel->ended_at = now;
    block.kernel->exited_at = std::max(block.kernel->exited_at, block.exited_at);
  }
  retired_.clear();
}

void Sm::perform_system_calls(Cycle now) {
  stores_.clear();  // they have been published
  for (const unsigned w : system_calls_) {
    Context& context = contexts_[w];
    context.in_system_call = false;
    if ((stopped_ >> w & 1) != 0) continue;
    try {
      select(context);
      interpreter_->step(*context.warp);
    } catch (const exec::ProgramFault& fault) {
      if (setup_.applications == 1) throw;
      faults_.push_back(fault);
      stop_launch(fault.grid_id, now);
      continue;
    }
    stores_.flush();
    context.ready_at = now + 1;
    moved_on(w, now);
    refresh(w, now);
    wake_by(now);
  }
  system_calls_.clear();
  release_finished_blocks(now);
}

std::string Sm::describe() const {
  return fmt::format(
             "SM {}: {} warps: {} ready, {} at barriers or fences, {} fetching, {} wait for memory, {} for results; {} "
             "memory "
             "instructions queued, {} for the network, {} requests unanswered\n",
             setup_.index, resident_warps(), std::popcount(ready_), std::popcount(at_barrier_),
             std::popcount(fetching_), std::popcount(waits_memory_), std::popcount(waits_result_), memory_.queued(),
             port_.size(), port_.unanswered()) +
         (memory_.translation() != nullptr ? memory_.translation()->describe() : "") +
         (memory_.late_translation() != nullptr ? memory_.late_translation()->describe() : "");
}

void Sm::check_deadlock() const {
  for (const ResidentBlock& resident : blocks_) {
    if (resident.block && !resident.finished) exec::check_deadlock(*resident.block);
  }
}

bool Sm::add_waiting(exec::EndlessWait& waits) const {
  return std::all_of(blocks_.begin(), blocks_.end(), [&](const ResidentBlock& resident) {
    if (resident.kernel == nullptr || resident.finished) return true;
    return resident.block && exec::add_waiting(*interpreter_, *resident.block, waits);
  });
}

std::uint64_t Sm::instructions_of(const exec::Launch& launch) const {
  const auto found = guests_.find(&launch);
  return found == guests_.end() ? 0 : found->second.share.instructions;
}

const exec::ThreadBlock* Sm::block_of(const exec::Launch& launch) const {
  for (const ResidentBlock& resident : blocks_) {
    if (resident.block && &resident.block->launch == &launch) return resident.block.get();
  }
  return nullptr;
}

void Sm::flush_translations(std::uint32_t epoch) {
  if (translation() != nullptr) translation()->flush(epoch);
  if (memory_.late_translation() != nullptr) memory_.late_translation()->flush(epoch);
  if (p_.mmu.virtual_l1()) l1().forget_virtual();
  memory_.synonyms().clear();
}

void Sm::flush_translations(vm::SpaceId space, std::uint32_t epoch) {
  if (translation() == nullptr) return flush_translations(epoch);  // what is virtual goes as a whole
  translation()->flush_space(space, epoch);
}

void Sm::flush_translations(vm::SpaceId space, vm::VirtPage page, std::uint32_t epoch) {
  if (translation() == nullptr) return flush_translations(epoch);
  translation()->flush_page(space, page, epoch);
}

std::vector<Touch>* Sm::touches() {
  if (translation() != nullptr) return &translation()->touches();
  return memory_.late_translation() != nullptr ? &memory_.late_translation()->touches() : nullptr;
}

void Sm::let_pages_go(Cycle now) {
  memory_.let_go(now);
  wake_by(now);
}

void Sm::retry_walk(const vm::WalkJob& job, Cycle now) {
  translation()->retry(job, now);
  wake_by(now);
}

}  // namespace heddle::core
