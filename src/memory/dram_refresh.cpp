// Refresh: each rank in turn, all its banks at once, every tREFI; or, where tRFC_bank is set, each bank in turn by
// itself.
//
// What is refreshed together is a unit: a rank, or a bank. A unit whose refresh is due takes no further commands; as
// soon as its open rows may close they do (one precharge, of all banks for a rank), then it refreshes. While nothing
// waits in the channel no one calls; the refreshes of that time are made up for when the next request comes, at the
// cycles at which they would have happened.
#include "memory/dram_channel.h"

namespace heddle::memory {

/// When the next command of the refresh of a unit is legal: precharge if a row is open, else refresh.
DramCycle DramChannel::Implementation::refresh_command_at(unsigned unit) const {
  DramCycle at = refresh_due_[unit];
  const Mask open = open_ & banks_of(unit);
  const DramCommand command = open != 0 ? DramCommand::precharge : DramCommand::activate;
  for (Mask rest = open != 0 ? open : banks_of(unit); rest != 0; rest &= rest - 1) {
    const auto bank = static_cast<unsigned>(std::countr_zero(rest));
    at = std::max(at, open != 0 ? timing_.earliest(command, bank) : timing_.earliest_in_bank(command, bank));
  }
  return at;
}

void DramChannel::Implementation::issue_refresh_command(unsigned unit, DramCycle now) {
  const Mask open = open_ & banks_of(unit);
  const auto first = static_cast<unsigned>(std::countr_zero(banks_of(unit)));
  if (open != 0) {
    for (Mask rest = open; rest != 0; rest &= rest - 1) {
      const auto bank = static_cast<unsigned>(std::countr_zero(rest));
      timing_.precharge(bank, now);
      close(bank);
      banks_[bank].opened_by_conflict = false;
    }
    note({per_bank_ ? DramCommand::precharge : DramCommand::precharge_all, false, first, 0}, now);
    return;
  }
  for (Mask rest = banks_of(unit); rest != 0; rest &= rest - 1)
    timing_.refresh(static_cast<unsigned>(std::countr_zero(rest)), now);
  ++statistics_.refreshes;
  refresh_due_[unit] += p_.tREFI;
  note({DramCommand::refresh, false, first, 0}, now);
}

/// Blocks units whose refresh is due and issues a refresh command if one is legal.
bool DramChannel::Implementation::refresh_step(DramCycle now) {
  bool issued = false;
  for (unsigned unit = 0; unit < refresh_due_.size() && !issued; ++unit) {
    if (now < refresh_due_[unit]) continue;
    refreshing_ |= Mask{1} << unit;
    blocked_ |= banks_of(unit);
    stale_ |= banks_of(unit);
    if (now < refresh_command_at(unit)) continue;
    issue_refresh_command(unit, now);
    issued = true;
    if (now < refresh_due_[unit]) {
      refreshing_ &= ~(Mask{1} << unit);
      blocked_ &= ~banks_of(unit);
    }
  }
  update_refresh_time();
  return issued;
}

void DramChannel::Implementation::update_refresh_time() {
  refresh_at_ = kNeverDram;
  for (unsigned unit = 0; unit < refresh_due_.size(); ++unit) {
    const bool blocked = (refreshing_ >> unit & 1) != 0;
    refresh_at_ = std::min(refresh_at_, blocked ? refresh_command_at(unit) : refresh_due_[unit]);
  }
}

/// The refreshes that were complete on the command bus before `now`, when nothing was waiting.
void DramChannel::Implementation::catch_up_refresh(DramCycle now) {
  if (wake_ != kNeverDram || now <= refresh_at_) return;
  for (unsigned unit = 0; unit < refresh_due_.size(); ++unit) {
    while (refresh_due_[unit] < now) {
      // Of many refreshes in a row only the first finds open rows and only the last can still delay anything.
      const std::uint64_t missed = (now - 1 - refresh_due_[unit]) / p_.tREFI;
      const bool open = (open_ & banks_of(unit)) != 0;
      if (!open && missed > 0) {
        statistics_.refreshes += missed;
        refresh_due_[unit] += missed * p_.tREFI;
      }
      const DramCycle at = refresh_command_at(unit);
      if (at + (open ? p_.tRP : 0) >= now) break;
      issue_refresh_command(unit, at);
    }
  }
  update_refresh_time();
}

}  // namespace heddle::memory
