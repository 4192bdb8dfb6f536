#include "memory/dram_channel.h"

namespace heddle::memory {

DramChannel::Implementation::Implementation(const DramParameters& parameters, sim::StatisticGroup& parent,
                                            const std::string& name, const DramSchedulerSetup& sharing)
    : p_((parameters.check(), parameters)),
      statistics_(parent, name),
      map_(p_),
      timing_(p_),
      pool_(p_.read_queue + p_.write_queue + p_.bank_queue * p_.banks()),
      scheduler_(p_.scheduler.make(statistics_, "", sharing)),
      mixed_(p_.bank_queue != 0),
      oldest_first_(scheduler_->oldest_first()),
      sees_waiting_(scheduler_->sees_waiting()),
      reconsiders_(scheduler_->reconsiders()),
      row_policy_(p_.row_policy.is("open")     ? RowPolicy::open
                  : p_.row_policy.is("closed") ? RowPolicy::closed
                                               : RowPolicy::adaptive),
      banks_per_rank_(p_.bank_groups * p_.banks_per_group),
      rank_mask_(banks_per_rank_ == 64 ? ~Mask{0} : (Mask{1} << banks_per_rank_) - 1),
      per_bank_(p_.tRFC_bank != 0),
      banks_(p_.banks()),
      commands_(p_.banks()) {
  statistics_.divide(sharing.applications);
#ifdef NDEBUG
  if (p_.check_timing) checker_ = std::make_unique<DramChecker>(p_, statistics_.path());
#else
  checker_ = std::make_unique<DramChecker>(p_, statistics_.path());
#endif
  const unsigned units = per_bank_ ? p_.banks() : p_.ranks;
  for (unsigned unit = 0; unit < units; ++unit) {
    refresh_due_.push_back(p_.tREFI == 0 ? kNeverDram : DramCycle(std::uint64_t{p_.tREFI} * (unit + 1) / units));
  }
  update_refresh_time();
}

void DramChannel::Implementation::push(const DramRequest& request, DramCycle now) {
  catch_up_refresh(now);
  if (request.write) {
    accepted_.push(now + 1, request.token);
    ++write_filter_[filter_index(request.address)];
  } else if (holds_write_to(request.address)) {
    ++statistics_.forwarded[request.application];
    statistics_.read_latency_sum[request.application] += 1;
    accepted_.push(now + 1, request.token);
    return;
  }
  const unsigned kind = request.write ? 1 : 0;
  HEDDLE_CHECK(queued_[kind] < (request.write ? p_.write_queue : p_.read_queue), "push() into a full DRAM queue");
  const DramPlace place = map_.place(request.address);
  const std::uint16_t slot = pool_.take();
  QueuedRequest& queued = pool_[slot];
  queued.address = request.address;
  queued.order = order_++;
  queued.arrival = now;
  queued.token = request.token;
  queued.row = place.row;
  queued.application = request.application;
  queued.bank =
      static_cast<std::uint8_t>((place.rank * p_.bank_groups + place.group) * p_.banks_per_group + place.bank);
  queued.write = request.write;
  queued.sm = request.sm;
  queued.traffic = request.traffic;
  queued.level = request.level;
  queued.warp = request.warp;
  scheduler_->arrived(queued, now);
  ++queued_[kind];
  if (!can_accept(request.write)) ++statistics_.queue_full;
  wake_ = std::min(wake_, refresh_at_);
  if (mixed_) {
    transactions_[kind].append(pool_, slot);
    may_promote_ = true;
    wake_ = std::min(wake_, now);
  } else {
    banks_[queued.bank].lists[kind].append(pool_, slot);
    note_arrival(queued.bank, kind);
    update_drain();
    wake_ = std::min(wake_, choose_in_banks());
  }
}

/// Notes that a bank's list has a request more.
void DramChannel::Implementation::note_arrival(unsigned bank, unsigned list) {
  waiting_[list] |= Mask{1} << bank;
  stale_ |= Mask{1} << bank;
  ++in_banks_;
}

void DramChannel::Implementation::tick(DramCycle now, std::vector<std::uint32_t>& done) {
  while (!accepted_.empty() && accepted_.due() <= now) done.push_back(accepted_.pop());
  while (!reads_done_.empty() && reads_done_.due() <= now) done.push_back(reads_done_.pop());
  if (now < wake_ || now < bus_free_) return;

  if (scheduler_->update(now)) stale_ = ~Mask{0};
  bool refused = false;
  if (now >= refresh_at_ && refresh_step(now)) {
    if (p_.split_command_bus) (void)issue_best(now, false, true);
  } else if (const std::optional<DramCommand> first = issue_best(now, true, true); !first) {
    refused = true;
  } else if (p_.split_command_bus) {
    (void)issue_best(now, is_column(*first), !is_column(*first));
  }
  bus_free_ = now + 1;
  if (mixed_) promote();
  if (reconsiders_ && scheduler_->update(now)) stale_ = ~Mask{0};

  (void)choose_in_banks();
  const DramCycle command_at = commands_.update(timing_, refused ? now + 1 : 0);
  const bool idle = waiting_[serving()] == 0 && queued_[0] == 0 && !draining_ && refreshing_ == 0;
  wake_ = idle ? command_at : std::min(command_at, refresh_at_);
  wake_ = may_promote_ ? now + 1 : std::max(wake_, now + 1);
}

DramCycle DramChannel::Implementation::next_event(DramCycle now) const {
  DramCycle next = wake_ == kNeverDram ? wake_ : std::max(wake_, bus_free_);
  if (!accepted_.empty()) next = std::min(next, accepted_.due());
  if (!reads_done_.empty()) next = std::min(next, reads_done_.due());
  return std::max(next, now);
}

/// Brings the stale choices up to date; returns when the first of the commands so chosen is legal.
DramCycle DramChannel::Implementation::choose_in_banks() {
  DramCycle first = kNeverDram;
  const Mask candidates = candidate_banks();
  const Mask all = p_.banks() == 64 ? ~Mask{0} : (Mask{1} << p_.banks()) - 1;
  for (Mask rest = stale_ & all; rest != 0; rest &= rest - 1) {
    const auto bank = static_cast<unsigned>(std::countr_zero(rest));
    if ((candidates >> bank & 1) == 0) {
      commands_.clear(bank);
      continue;
    }
    choose_in_bank(bank);
    first = std::min(first, commands_.ready_at(bank));
  }
  stale_ = 0;
  return first;
}

void DramChannel::Implementation::choose_in_bank(unsigned bank) {
  Bank& state = banks_[bank];
  state.choice =
      scheduler_->choose_request({pool_, state.lists[serving()].head(), state.open, state.row, state.served, bank});
  const QueuedRequest& request = pool_[state.choice];
  if (!state.open) {
    state.command = DramCommand::activate;
  } else if (request.row != state.row) {
    state.command = DramCommand::precharge;
  } else {
    state.command = request.write ? DramCommand::write : DramCommand::read;
  }
  commands_.set(bank, state.command, request.order, timing_);
}

/// The bank whose command the scheduler wants, among row and/or column commands.
std::optional<unsigned> DramChannel::Implementation::choose_bank(DramCycle now, bool rows, bool columns) {
  if (oldest_first_) return commands_.oldest(now, rows, columns);
  const Mask wanted = candidate_banks();
  Mask ready = 0;
  for (Mask rest = wanted; rest != 0; rest &= rest - 1) {
    const auto bank = static_cast<unsigned>(std::countr_zero(rest));
    ready |= Mask{commands_.ready_at(bank) <= now} << bank;
  }
  if (ready == 0) return std::nullopt;
  std::size_t count = 0;
  for (Mask rest = sees_waiting_ ? wanted : ready; rest != 0; rest &= rest - 1) {
    const auto bank = static_cast<unsigned>(std::countr_zero(rest));
    const Bank& state = banks_[bank];
    const QueuedRequest& request = pool_[state.choice];
    candidates_[count] = {&request, request.order, state.command, commands_.ready_at(bank)};
    count += (is_column(state.command) ? columns : rows) ? 1 : 0;
  }
  if (count == 0) return std::nullopt;
  const std::optional<std::size_t> chosen = scheduler_->choose_command({candidates_.data(), count}, now);
  if (!chosen) return std::nullopt;
  HEDDLE_CHECK(candidates_[*chosen].ready_at <= now, "a DRAM scheduler chose a command that is not ready");
  return candidates_[*chosen].request->bank;
}

/// Issues the command that the scheduler wants among row and/or column commands, if any.
std::optional<DramCommand> DramChannel::Implementation::issue_best(DramCycle now, bool rows, bool columns) {
  if (stale_ != 0) (void)choose_in_banks();
  const std::optional<unsigned> bank = choose_bank(now, rows, columns);
  if (!bank) return std::nullopt;
  const DramCommand command = banks_[*bank].command;
  issue(*bank, now);
  return command;
}

void DramChannel::Implementation::issue(unsigned bank, DramCycle now) {
  Bank& state = banks_[bank];
  stale_ |= Mask{1} << bank;
  switch (state.command) {
    case DramCommand::activate:
      timing_.activate(bank, now);
      ++statistics_.activates;
      state.open = true;
      state.row = pool_[state.choice].row;
      state.served = 0;
      open_ |= Mask{1} << bank;
      note({DramCommand::activate, false, bank, state.row}, now);
      break;
    case DramCommand::precharge:
      timing_.precharge(bank, now);
      close(bank);
      state.opened_by_conflict = true;
      note({DramCommand::precharge, false, bank, 0}, now);
      break;
    default:
      issue_column(bank, now);
      break;
  }
}

void DramChannel::Implementation::issue_column(unsigned bank, DramCycle now) {
  Bank& state = banks_[bank];
  const std::uint16_t slot = state.choice;
  const QueuedRequest& request = pool_[slot];
  const unsigned list = list_of(request.write);
  state.lists[list].remove(pool_, slot);
  if (state.lists[list].empty()) waiting_[list] &= ~(Mask{1} << bank);
  --in_banks_;

  if (request.write) {
    timing_.write(bank, now);
    ++statistics_.writes[request.application];
    --write_filter_[filter_index(request.address)];
  } else {
    timing_.read(bank, now);
    ++statistics_.reads[request.application];
    const DramCycle end = now + timing_.read_to_data_end();
    statistics_.read_latency_sum[request.application] += end - request.arrival;
    statistics_.waited[request.application] += now - request.arrival;
    if (request.traffic == Traffic::walk) {
      ++statistics_.walk_reads[request.application];
      if (state.served != 0) ++statistics_.walk_row_hits[request.application];
      statistics_.walk_latency_sum[request.application] += end - request.arrival;
    }
    reads_done_.push(end, request.token);
  }
  statistics_.data_bus_busy[request.application] += p_.burst_cycles;
  ++(state.served != 0          ? statistics_.row_hits
     : state.opened_by_conflict ? statistics_.row_conflicts
                                : statistics_.row_misses)[request.application];
  ++state.served;
  state.opened_by_conflict = false;

  bool wanted = row_policy_ == RowPolicy::open;
  if (row_policy_ == RowPolicy::adaptive) {
    for (const RequestList& other : state.lists) {
      for (std::uint16_t at = other.head(); at != kNoSlot && !wanted; at = pool_[at].next)
        wanted = pool_[at].row == state.row;
    }
  }
  note({request.write ? DramCommand::write : DramCommand::read, !wanted, bank, state.row}, now);
  if (!wanted) {
    timing_.auto_precharge(bank);
    close(bank);
  }
  scheduler_->served(request, now);
  room_ = true;
  if (mixed_) {
    may_promote_ = true;
  } else {
    --queued_[list];
    update_drain();
  }
  pool_.give_back(slot);
}

void DramChannel::Implementation::close(unsigned bank) {
  ++statistics_.precharges;
  banks_[bank].open = false;
  open_ &= ~(Mask{1} << bank);
  stale_ |= Mask{1} << bank;
}

void DramChannel::Implementation::note(DramIssue issue, DramCycle now) {
  if (checker_ != nullptr) checker_->see(issue, now);
}

}  // namespace heddle::memory
