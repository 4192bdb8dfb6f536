#include "memory/dram_checker.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"

namespace heddle::memory {

DramChecker::DramChecker(const DramParameters& parameters, std::string name)
    : p_(parameters),
      name_(std::move(name)),
      banks_(p_.banks()),
      groups_(p_.ranks * p_.bank_groups),
      ranks_(p_.ranks) {}

void DramChecker::require(bool holds, const std::string& what, DramCycle now) const {
  if (!holds) throw InvariantError(fmt::format("cycle {} {}: DRAM rule broken: {}", now.count(), name_, what));
}

void DramChecker::apart(const char* rule, const Past& past, std::uint64_t distance, DramCycle now) const {
  if (!past.happened() || (now >= past.cycle && now - past.cycle >= distance)) return;
  require(false, fmt::format("{}: {} cycles after cycle {}", rule, distance, past.cycle.count()), now);
}

/// When the precharge that belongs to the last accesses of a bank may start.
DramCycle DramChecker::precharge_start(const BankRecord& bank) const {
  DramCycle start = bank.activate.cycle + p_.tRAS;
  if (bank.read.happened()) start = std::max<DramCycle>(start, bank.read.cycle + p_.tRTP);
  if (bank.write.happened()) start = std::max<DramCycle>(start, bank.write.cycle + p_.tCWL + p_.burst_cycles + p_.tWR);
  return start;
}

void DramChecker::see(const DramIssue& issue, DramCycle now) {
  ++seen_;
  check_bus(issue, now);
  const unsigned rank = issue.bank / (p_.bank_groups * p_.banks_per_group);
  switch (issue.command) {
    case DramCommand::activate:
      check_activate(issue, now);
      break;
    case DramCommand::precharge:
      apart("tPPD", ranks_[rank].precharge, p_.tPPD, now);
      check_precharge(issue.bank, now);
      break;
    case DramCommand::read:
    case DramCommand::write:
      check_column(issue, now);
      break;
    case DramCommand::precharge_all:
      apart("tPPD", ranks_[rank].precharge, p_.tPPD, now);
      for (unsigned bank = 0; bank < banks_.size(); ++bank) {
        if (bank / (p_.bank_groups * p_.banks_per_group) == rank && banks_[bank].open) check_precharge(bank, now);
      }
      break;
    case DramCommand::refresh:
      if (p_.tRFC_bank != 0) {
        check_bank_refresh(issue.bank, now);
      } else {
        check_refresh(rank, now);
      }
      break;
  }
}

void DramChecker::check_bus(const DramIssue& issue, DramCycle now) {
  const bool column = is_column(issue.command);
  Past& last = column && p_.split_command_bus ? last_column_ : last_row_;
  // Refreshes of idle time are told rank by rank, so only the same cycle is a collision.
  require(!last.happened() || last.cycle != now, "two commands in one cycle", now);
  last.cycle = now;
}

void DramChecker::check_activate(const DramIssue& issue, DramCycle now) {
  BankRecord& bank = banks_[issue.bank];
  const unsigned group_index = issue.bank / p_.banks_per_group;
  GroupRecord& group = groups_[group_index];
  RankRecord& rank = ranks_[group_index / p_.bank_groups];
  require(!bank.open, fmt::format("activate of bank {}, which is open", issue.bank), now);
  apart("tRC", bank.activate, p_.tRC, now);
  apart("tRP", bank.precharge, p_.tRP, now);
  apart("tRRD_L", group.activate, p_.tRRD_L, now);
  apart("tRRD_S", rank.activate, p_.tRRD_S, now);
  apart("tRFC", rank.refresh, p_.tRFC, now);
  apart("tRFC_bank", bank.refresh, p_.tRFC_bank, now);
  const std::size_t known = rank.activates.size();
  if (p_.tFAW != 0 && known >= 4) apart("tFAW", {rank.activates[known - 4]}, p_.tFAW, now);
  if (p_.t32AW != 0 && known >= 32) apart("t32AW", {rank.activates[known - 32]}, p_.t32AW, now);
  if (p_.tREFI != 0) {
    // The standards let a controller postpone eight refreshes at most.
    const Past& refresh = p_.tRFC_bank != 0 ? bank.refresh : rank.refresh;
    const DramCycle last = refresh.happened() ? refresh.cycle : 0;
    require(now - std::min(now, last) <= std::uint64_t{9} * p_.tREFI,
            fmt::format("tREFI: the last refresh was in cycle {}", last.count()), now);
  }
  rank.activates.push_back(now);
  if (rank.activates.size() > 32) rank.activates.pop_front();
  const Past last_refresh = bank.refresh;
  bank = {};
  bank.refresh = last_refresh;
  bank.activate.cycle = group.activate.cycle = rank.activate.cycle = now;
  bank.open = true;
  bank.row = issue.row;
}

void DramChecker::check_precharge(unsigned index, DramCycle now) {
  BankRecord& bank = banks_[index];
  require(bank.open, fmt::format("precharge of bank {}, which is closed", index), now);
  apart("tRAS", bank.activate, p_.tRAS, now);
  apart("tRTP", bank.read, p_.tRTP, now);
  apart("tWR", bank.write, p_.tCWL + p_.burst_cycles + p_.tWR, now);
  bank.open = false;
  bank.precharge.cycle = now;
  ranks_[index / (p_.bank_groups * p_.banks_per_group)].precharge.cycle = now;
}

void DramChecker::check_column(const DramIssue& issue, DramCycle now) {
  BankRecord& bank = banks_[issue.bank];
  const unsigned group_index = issue.bank / p_.banks_per_group;
  const unsigned rank_index = group_index / p_.bank_groups;
  GroupRecord& group = groups_[group_index];
  RankRecord& rank = ranks_[rank_index];
  const bool write = issue.command == DramCommand::write;
  require(bank.open && bank.row == issue.row,
          fmt::format("column command to row {} of bank {}, which is not open", issue.row, issue.bank), now);
  const std::uint64_t write_data_end = p_.tCWL + p_.burst_cycles;
  if (write) {
    apart("tRCD_write", bank.activate, p_.tRCD_write, now);
    apart("tCCD_L", group.write, p_.tCCD_L, now);
    apart("tCCD_S", rank.write, p_.tCCD_S, now);
    bank.write.cycle = group.write.cycle = rank.write.cycle = now;
  } else {
    apart("tRCD_read", bank.activate, p_.tRCD_read, now);
    apart("tCCD_L", group.read, p_.tCCD_L, now);
    apart("tCCD_S", rank.read, p_.tCCD_S, now);
    apart("tWTR_L", group.write, write_data_end + p_.tWTR_L, now);
    apart("tWTR_S", rank.write, write_data_end + p_.tWTR_S, now);
    bank.read.cycle = group.read.cycle = rank.read.cycle = now;
  }
  check_data_bus(rank_index, write, now);
  if (issue.auto_precharge) {
    bank.precharge.cycle = precharge_start(bank);
    bank.open = false;
  }
}

void DramChecker::check_data_bus(unsigned rank, bool write, DramCycle now) {
  const DramCycle begin = now + (write ? p_.tCWL : p_.tCL);
  const bool turns = data_end_ != 0 && (rank != data_rank_ || (write && !data_write_));
  const DramCycle free = data_end_ + (turns ? p_.tRTRS : 0);
  require(begin >= free,
          fmt::format("data from cycle {} meets a burst that keeps the bus until {}", begin.count(), free.count()),
          now);
  data_end_ = begin + p_.burst_cycles;
  data_rank_ = rank;
  data_write_ = write;
}

void DramChecker::check_refresh(unsigned rank_index, DramCycle now) {
  RankRecord& rank = ranks_[rank_index];
  const unsigned banks_per_rank = p_.bank_groups * p_.banks_per_group;
  for (unsigned index = rank_index * banks_per_rank; index < (rank_index + 1) * banks_per_rank; ++index) {
    require(!banks_[index].open, fmt::format("refresh while bank {} is open", index), now);
    apart("tRP", banks_[index].precharge, p_.tRP, now);
  }
  apart("tRFC", rank.refresh, p_.tRFC, now);
  rank.refresh.cycle = now;
}

void DramChecker::check_bank_refresh(unsigned index, DramCycle now) {
  BankRecord& bank = banks_[index];
  require(!bank.open, fmt::format("refresh of bank {}, which is open", index), now);
  apart("tRP", bank.precharge, p_.tRP, now);
  apart("tRFC_bank", bank.refresh, p_.tRFC_bank, now);
  bank.refresh.cycle = now;
}

}  // namespace heddle::memory
