// When each command of each bank is legal next.
//
// Every timing rule of the standard says "command B not before N cycles after command A" for the same bank, the same
// bank group, the same rank or the other ranks. Issuing A raises the earliest time of every B it delays: those of the
// same bank in the bank's own row, all others in a row that has a number for each bank as well, though banks of a group
// have the same. So asking is one maximum of two numbers, for several banks at once if need be.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "memory/dram_command.h"
#include "memory/dram_parameters.h"

namespace heddle::memory {

class DramTiming {
 public:
  enum Kind : unsigned { kActivate, kPrecharge, kRead, kWrite, kKinds };

  explicit DramTiming(const DramParameters& parameters);

  /// The earliest cycle at which `command` (one of the first four) may go to `bank`.
  [[nodiscard]] DramCycle earliest(DramCommand command, unsigned bank) const {
    return std::max(earliest_in_bank(command, bank),
                    DramCycle(static_cast<std::uint64_t>(shared_[static_cast<unsigned>(command)][bank])));
  }
  /// The two numbers by themselves: that of the bank, and for each bank that of the others.
  [[nodiscard]] DramCycle earliest_in_bank(DramCommand command, unsigned bank) const {
    return banks_[bank][static_cast<unsigned>(command)];
  }
  [[nodiscard]] const std::int64_t* shared(unsigned kind) const { return shared_[kind].data(); }
  void activate(unsigned bank, DramCycle now);
  void precharge(unsigned bank, DramCycle now);
  void read(unsigned bank, DramCycle now);
  void write(unsigned bank, DramCycle now);
  /// The bank closes by itself after the column command just issued, as soon as that is legal.
  void auto_precharge(unsigned bank);
  void refresh(unsigned bank, DramCycle now);

  [[nodiscard]] unsigned read_to_data_end() const { return read_to_data_end_; }

 private:
  using Times = std::array<DramCycle, kKinds>;
  using Lanes = std::array<std::int64_t, 64>;  // one for each bank
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

  /// For a column command to each group: what it delays the next to each bank by.
  [[nodiscard]] std::vector<Lanes> table(const Distances& distances) const;
  void delay_columns(Kind next, DramCycle now, const Lanes& delays);

  const DramParameters& p_;
  unsigned groups_per_rank_;
  unsigned banks_per_rank_;
  unsigned lanes_;  // banks, rounded up to whole vectors
  unsigned read_to_data_end_;
  std::vector<Lanes> read_to_read_, read_to_write_, write_to_read_, write_to_write_;
  std::vector<Times> banks_;
  alignas(64) std::array<Lanes, kKinds> shared_{};
  std::vector<unsigned> group_of_;
  std::vector<Window> four_, thirty_two_;  // per rank
};

}  // namespace heddle::memory
