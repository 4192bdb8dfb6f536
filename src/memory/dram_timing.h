// When each command of each bank is legal next.
//
// Every timing rule of the standard says "command B not before N cycles after command A" for the same bank, the same
// bank group, the same rank or the other ranks. Issuing A raises the earliest time of every B it delays: those of the
// same bank in the bank's own row, all others in a row per bank group. So asking is one maximum of two numbers.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "memory/dram_command.h"
#include "memory/dram_parameters.h"

namespace heddle::memory {

class DramTiming {
 public:
  explicit DramTiming(const DramParameters& parameters);

  /// The earliest cycle at which `command` (one of the first four) may go to `bank`.
  [[nodiscard]] DramCycle earliest(DramCommand command, unsigned bank) const {
    return std::max(earliest_in_bank(command, bank), shared()[shared_index(command, bank)]);
  }
  /// The two numbers by themselves: that of the bank, and the index of the other in shared().
  [[nodiscard]] DramCycle earliest_in_bank(DramCommand command, unsigned bank) const {
    return banks_[bank][static_cast<unsigned>(command)];
  }
  [[nodiscard]] unsigned shared_index(DramCommand command, unsigned bank) const {
    return group_of_[bank] * kKinds + static_cast<unsigned>(command);
  }
  [[nodiscard]] const DramCycle* shared() const { return groups_.front().data(); }
  void activate(unsigned bank, DramCycle now);
  void precharge(unsigned bank, DramCycle now);
  void read(unsigned bank, DramCycle now);
  void write(unsigned bank, DramCycle now);
  /// The bank closes by itself after the column command just issued, as soon as that is legal.
  void auto_precharge(unsigned bank);
  void refresh(unsigned bank, DramCycle now);

  [[nodiscard]] unsigned read_to_data_end() const { return read_to_data_end_; }

 private:
  enum Kind : unsigned { kActivate, kPrecharge, kRead, kWrite, kKinds };
  using Times = std::array<DramCycle, kKinds>;
  /// Delays between column commands to the same group, another group of the rank, another rank.
  struct Distances {
    unsigned group = 0;
    unsigned rank = 0;
    unsigned other = 0;
  };
  /// The last activates of a rank, in a ring: the oldest of them bounds the next.
  struct Window {
    std::vector<DramCycle> past;
    std::size_t oldest = 0;
    unsigned cycles = 0;
    DramCycle record(DramCycle now);
  };

  void delay_columns(unsigned group, Kind next, DramCycle now, const Distances& distances);

  const DramParameters& p_;
  unsigned groups_per_rank_;
  unsigned banks_per_rank_;
  unsigned read_to_data_end_;
  Distances read_to_read_, read_to_write_, write_to_read_, write_to_write_;
  std::vector<Times> banks_;
  std::vector<Times> groups_;  // over all ranks
  std::vector<unsigned> group_of_;
  std::vector<Window> four_, thirty_two_;  // per rank
};

}  // namespace heddle::memory
