#include "memory/dram_timing.h"

namespace heddle::memory {

namespace {

unsigned difference(unsigned a, unsigned b) { return a > b ? a - b : 0; }
void raise(DramCycle& time, DramCycle to) { time = std::max(time, to); }

}  // namespace

DramTiming::DramTiming(const DramParameters& parameters)
    : p_(parameters), groups_per_rank_(p_.bank_groups), banks_per_rank_(p_.bank_groups * p_.banks_per_group) {
  const unsigned burst = p_.burst_cycles;
  read_to_data_end_ = p_.tCL + burst;
  const unsigned write_to_data_end = p_.tCWL + burst;
  // Between ranks, and from a read to a write, only the bursts on the bus must not meet.
  const unsigned read_to_write = difference(p_.tCL + burst + p_.tRTRS, p_.tCWL);
  read_to_read_ = {std::max<unsigned>(burst, p_.tCCD_L), std::max<unsigned>(burst, p_.tCCD_S), burst + p_.tRTRS};
  read_to_write_ = {read_to_write, read_to_write, read_to_write};
  write_to_read_ = {write_to_data_end + p_.tWTR_L, write_to_data_end + p_.tWTR_S,
                    difference(p_.tCWL + burst + p_.tRTRS, p_.tCL)};
  write_to_write_ = {std::max<unsigned>(burst, p_.tCCD_L), std::max<unsigned>(burst, p_.tCCD_S), burst + p_.tRTRS};

  banks_.resize(p_.banks(), Times{});
  groups_.resize(p_.ranks * groups_per_rank_, Times{});
  for (unsigned bank = 0; bank < p_.banks(); ++bank) group_of_.push_back(bank / p_.banks_per_group);
  four_.resize(p_.ranks, {std::vector<DramCycle>(4, 0), 0, p_.tFAW});
  thirty_two_.resize(p_.ranks, {std::vector<DramCycle>(32, 0), 0, p_.t32AW});
}

/// Notes an activate; returns when the next may come.
DramCycle DramTiming::Window::record(DramCycle now) {
  if (cycles == 0) return 0;
  past[oldest] = now + cycles;
  oldest = (oldest + 1) % past.size();
  return past[oldest];
}

void DramTiming::activate(unsigned bank, DramCycle now) {
  Times& own = banks_[bank];
  raise(own[kActivate], now + p_.tRC);
  raise(own[kPrecharge], now + p_.tRAS);
  raise(own[kRead], now + p_.tRCD_read);
  raise(own[kWrite], now + p_.tRCD_write);
  const unsigned group = group_of_[bank];
  const unsigned rank = group / groups_per_rank_;
  const DramCycle window = std::max(four_[rank].record(now), thirty_two_[rank].record(now));
  for (unsigned other = rank * groups_per_rank_; other < (rank + 1) * groups_per_rank_; ++other) {
    raise(groups_[other][kActivate], std::max(window, now + (other == group ? p_.tRRD_L : p_.tRRD_S)));
  }
}

void DramTiming::precharge(unsigned bank, DramCycle now) {
  raise(banks_[bank][kActivate], now + p_.tRP);
  const unsigned first = group_of_[bank] - group_of_[bank] % groups_per_rank_;
  for (unsigned group = first; group < first + groups_per_rank_; ++group)
    raise(groups_[group][kPrecharge], now + p_.tPPD);
}

void DramTiming::delay_columns(unsigned group, Kind next, DramCycle now, const Distances& distances) {
  const unsigned first = group - group % groups_per_rank_;
  for (unsigned other = 0; other < groups_.size(); ++other) {
    const bool same_rank = other - first < groups_per_rank_;
    raise(groups_[other][next], now + (other == group ? distances.group
                                       : same_rank    ? distances.rank
                                                      : distances.other));
  }
}

void DramTiming::read(unsigned bank, DramCycle now) {
  raise(banks_[bank][kPrecharge], now + p_.tRTP);
  delay_columns(group_of_[bank], kRead, now, read_to_read_);
  delay_columns(group_of_[bank], kWrite, now, read_to_write_);
}

void DramTiming::write(unsigned bank, DramCycle now) {
  raise(banks_[bank][kPrecharge], now + p_.tCWL + p_.burst_cycles + p_.tWR);
  delay_columns(group_of_[bank], kRead, now, write_to_read_);
  delay_columns(group_of_[bank], kWrite, now, write_to_write_);
}

void DramTiming::auto_precharge(unsigned bank) { raise(banks_[bank][kActivate], banks_[bank][kPrecharge] + p_.tRP); }

void DramTiming::refresh(unsigned bank, DramCycle now) {
  raise(banks_[bank][kActivate], now + (p_.tRFC_bank != 0 ? p_.tRFC_bank : p_.tRFC));
}

}  // namespace heddle::memory
