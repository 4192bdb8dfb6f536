// The commands a controller sends to DRAM.
#pragma once

#include <cstdint>

#include "sim/time.h"

namespace heddle::memory {

/// A time of the DRAM's clock.
using DramCycle = sim::Ticks<struct DramClock>;

/// What a bank waits for. The first four index the timing tables.
enum class DramCommand : std::uint8_t { activate, precharge, read, write, precharge_all, refresh };

[[nodiscard]] constexpr bool is_column(DramCommand command) {
  return command == DramCommand::read || command == DramCommand::write;
}

/// One command on the bus, as the checker sees it.
struct DramIssue {
  DramCommand command;
  bool auto_precharge = false;  ///< column commands
  unsigned bank =
      0;  ///< over all ranks: (rank * groups + group) * banks per group + bank; commands to a whole rank: its first
  std::uint32_t row = 0;  ///< activate and column commands
};

}  // namespace heddle::memory
