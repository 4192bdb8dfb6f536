#include "memory/dram_timing.h"

namespace heddle::memory {

namespace {

unsigned difference(unsigned a, unsigned b) { return a > b ? a - b : 0; }
void raise(DramCycle& time, DramCycle to) { time = std::max(time, to); }
void raise(std::int64_t& time, DramCycle to) { time = std::max(time, static_cast<std::int64_t>(to.count())); }

constexpr unsigned kVector = 8;

}  // namespace

DramTiming::DramTiming(const DramParameters& parameters)
    : p_(parameters),
      groups_per_rank_(p_.bank_groups),
      banks_per_rank_(p_.bank_groups * p_.banks_per_group),
      lanes_((p_.banks() + kVector - 1) / kVector * kVector) {
  for (unsigned bank = 0; bank < p_.banks(); ++bank) group_of_.push_back(bank / p_.banks_per_group);
  const unsigned burst = p_.burst_cycles;
  read_to_data_end_ = p_.tCL + burst;
  const unsigned write_to_data_end = p_.tCWL + burst;
  // Between ranks, and from a read to a write, only the bursts on the bus must not meet.
  const unsigned read_to_write = difference(p_.tCL + burst + p_.tRTRS, p_.tCWL);
  const Distances same = {std::max<unsigned>(burst, p_.tCCD_L), std::max<unsigned>(burst, p_.tCCD_S), burst + p_.tRTRS};
  read_to_read_ = table(same);
  read_to_write_ = table({read_to_write, read_to_write, read_to_write});
  write_to_read_ = table(
      {write_to_data_end + p_.tWTR_L, write_to_data_end + p_.tWTR_S, difference(p_.tCWL + burst + p_.tRTRS, p_.tCL)});
  write_to_write_ = table(same);

  banks_.resize(p_.banks(), Times{});
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
  const DramCycle next = std::max(window, now + p_.tRRD_S);
  const DramCycle next_in_group = std::max(window, now + p_.tRRD_L);
  const unsigned first = rank * banks_per_rank_;
  for (unsigned other = first; other < first + banks_per_rank_; ++other)
    raise(shared_[kActivate][other], group_of_[other] == group ? next_in_group : next);
}

void DramTiming::precharge(unsigned bank, DramCycle now) {
  raise(banks_[bank][kActivate], now + p_.tRP);
  const unsigned first = bank - bank % banks_per_rank_;
  for (unsigned other = first; other < first + banks_per_rank_; ++other)
    raise(shared_[kPrecharge][other], now + p_.tPPD);
}

std::vector<DramTiming::Lanes> DramTiming::table(const Distances& distances) const {
  std::vector<Lanes> table(std::size_t{p_.ranks} * groups_per_rank_);
  for (unsigned group = 0; group < table.size(); ++group) {
    for (unsigned bank = 0; bank < p_.banks(); ++bank) {
      const unsigned other = group_of_[bank];
      table[group][bank] = other == group                                         ? distances.group
                           : other / groups_per_rank_ == group / groups_per_rank_ ? distances.rank
                                                                                  : distances.other;
    }
  }
  return table;
}

void DramTiming::delay_columns(Kind next, DramCycle now, const Lanes& delays) {
  const auto from = static_cast<std::int64_t>(now.count());
  Lanes& times = shared_[next];
  for (unsigned bank = 0; bank < lanes_ / kVector * kVector; ++bank)
    times[bank] = std::max(times[bank], from + delays[bank]);
}

void DramTiming::read(unsigned bank, DramCycle now) {
  raise(banks_[bank][kPrecharge], now + p_.tRTP);
  delay_columns(kRead, now, read_to_read_[group_of_[bank]]);
  delay_columns(kWrite, now, read_to_write_[group_of_[bank]]);
}

void DramTiming::write(unsigned bank, DramCycle now) {
  raise(banks_[bank][kPrecharge], now + p_.tCWL + p_.burst_cycles + p_.tWR);
  delay_columns(kRead, now, write_to_read_[group_of_[bank]]);
  delay_columns(kWrite, now, write_to_write_[group_of_[bank]]);
}

void DramTiming::auto_precharge(unsigned bank) { raise(banks_[bank][kActivate], banks_[bank][kPrecharge] + p_.tRP); }

void DramTiming::refresh(unsigned bank, DramCycle now) {
  raise(banks_[bank][kActivate], now + (p_.tRFC_bank != 0 ? p_.tRFC_bank : p_.tRFC));
}

}  // namespace heddle::memory
