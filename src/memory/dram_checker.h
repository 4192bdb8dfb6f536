// An independent judge of DRAM timing.
//
// It sees only the commands on the bus and checks each against the rules of the standard, from its own record of what
// came before. It shares no code with the model (dram_timing.h), so that a mistake there does not excuse itself.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "memory/dram_command.h"
#include "memory/dram_parameters.h"

namespace heddle::memory {

class DramChecker {
 public:
  DramChecker(const DramParameters& parameters, std::string name);
  /// Throws InvariantError that names the rule, the cycles and the banks if the command is not legal at `now`.
  void see(const DramIssue& issue, DramCycle now);
  [[nodiscard]] std::uint64_t commands_seen() const { return seen_; }

 private:
  static constexpr DramCycle kNever = DramCycle::never();
  struct Past {
    DramCycle cycle = kNever;
    [[nodiscard]] bool happened() const { return cycle != kNever; }
  };
  struct BankRecord {
    Past activate, read, write, precharge, refresh;
    bool open = false;
    std::uint32_t row = 0;
  };
  struct GroupRecord {
    Past activate, read, write;
  };
  struct RankRecord {
    Past activate, read, write, precharge, refresh;
    std::deque<DramCycle> activates;  // the last 32
  };

  void check_bus(const DramIssue& issue, DramCycle now);
  void check_activate(const DramIssue& issue, DramCycle now);
  void check_precharge(unsigned bank, DramCycle now);
  void check_column(const DramIssue& issue, DramCycle now);
  void check_data_bus(unsigned rank, bool write, DramCycle now);
  void check_refresh(unsigned rank, DramCycle now);
  void check_bank_refresh(unsigned bank, DramCycle now);
  /// `rule`: not before `distance` after `past`.
  void apart(const char* rule, const Past& past, std::uint64_t distance, DramCycle now) const;
  void require(bool holds, const std::string& what, DramCycle now) const;
  [[nodiscard]] DramCycle precharge_start(const BankRecord& bank) const;

  const DramParameters& p_;
  std::string name_;
  std::vector<BankRecord> banks_;
  std::vector<GroupRecord> groups_;
  std::vector<RankRecord> ranks_;
  Past last_row_, last_column_;
  DramCycle data_end_ = 0;
  unsigned data_rank_ = 0;
  bool data_write_ = false;
  std::uint64_t seen_ = 0;
};

}  // namespace heddle::memory
