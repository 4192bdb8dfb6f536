// Refresh: each rank in turn, all its banks at once, every tREFI.
//
// A rank whose refresh is due takes no further commands; as soon as its open rows may close they do (one precharge-all),
// then it refreshes. While nothing waits in the channel no one calls; the refreshes of that time are made up for
// when the next request comes, at the cycles at which they would have happened.
#include "memory/dram_channel.h"

namespace heddle::memory {

/// When the next command of the refresh of a rank is legal: precharge-all if a row is open, else refresh.
DramCycle DramChannel::Implementation::refresh_command_at(unsigned rank) const {
  DramCycle at = refresh_due_[rank];
  const Mask open = open_ & banks_of(rank);
  const DramCommand command = open != 0 ? DramCommand::precharge : DramCommand::activate;
  for (Mask rest = open != 0 ? open : banks_of(rank); rest != 0; rest &= rest - 1) {
    const auto bank = static_cast<unsigned>(std::countr_zero(rest));
    at = std::max(at, open != 0 ? timing_.earliest(command, bank) : timing_.earliest_in_bank(command, bank));
  }
  return at;
}

void DramChannel::Implementation::issue_refresh_command(unsigned rank, DramCycle now) {
  const Mask open = open_ & banks_of(rank);
  const unsigned first = rank * banks_per_rank_;
  if (open != 0) {
    for (Mask rest = open; rest != 0; rest &= rest - 1) {
      const auto bank = static_cast<unsigned>(std::countr_zero(rest));
      timing_.precharge(bank, now);
      close(bank);
      banks_[bank].opened_by_conflict = false;
    }
    note({DramCommand::precharge_all, false, first, 0}, now);
    return;
  }
  timing_.refresh(rank, now);
  ++statistics_.refreshes;
  refresh_due_[rank] += p_.tREFI;
  note({DramCommand::refresh, false, first, 0}, now);
}

/// Blocks ranks whose refresh is due and issues a refresh command if one is legal.
bool DramChannel::Implementation::refresh_step(DramCycle now) {
  bool issued = false;
  for (unsigned rank = 0; rank < p_.ranks && !issued; ++rank) {
    if (now < refresh_due_[rank]) continue;
    refreshing_ |= 1u << rank;
    blocked_ |= banks_of(rank);
    stale_ |= banks_of(rank);
    if (now < refresh_command_at(rank)) continue;
    issue_refresh_command(rank, now);
    issued = true;
    if (now < refresh_due_[rank]) {
      refreshing_ &= ~(1u << rank);
      blocked_ &= ~banks_of(rank);
    }
  }
  update_refresh_time();
  return issued;
}

void DramChannel::Implementation::update_refresh_time() {
  refresh_at_ = kNeverDram;
  for (unsigned rank = 0; rank < p_.ranks; ++rank) {
    const bool blocked = (refreshing_ >> rank & 1) != 0;
    refresh_at_ = std::min(refresh_at_, blocked ? refresh_command_at(rank) : refresh_due_[rank]);
  }
}

/// The refreshes that were complete on the command bus before `now`, when nothing was waiting.
void DramChannel::Implementation::catch_up_refresh(DramCycle now) {
  if (wake_ != kNeverDram || now <= refresh_at_) return;
  for (unsigned rank = 0; rank < p_.ranks; ++rank) {
    while (refresh_due_[rank] < now) {
      // Of many refreshes in a row only the first finds open rows and only the last can still delay anything.
      const std::uint64_t missed = (now - 1 - refresh_due_[rank]) / p_.tREFI;
      const bool open = (open_ & banks_of(rank)) != 0;
      if (!open && missed > 0) {
        statistics_.refreshes += missed;
        refresh_due_[rank] += missed * p_.tREFI;
      }
      const DramCycle at = refresh_command_at(rank);
      if (at + (open ? p_.tRP : 0) >= now) break;
      issue_refresh_command(rank, at);
    }
  }
  update_refresh_time();
}

}  // namespace heddle::memory
