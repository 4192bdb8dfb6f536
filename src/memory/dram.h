// One DRAM channel: banks, rows, command timing, scheduling.
//
// A channel is ticked in its own clock. It takes requests of one burst (`DramParameters::burst_bytes`) at addresses
// local to the channel and says when each is done: a read when its last data has been on the bus, a write when it is
// accepted for good.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "memory/dram_command.h"
#include "memory/dram_parameters.h"
#include "memory/request.h"
#include "sim/statistic.h"

namespace heddle::memory {

inline constexpr DramCycle kNeverDram = DramCycle::never();

struct DramRequest {
  std::uint64_t address = 0;  ///< local to the channel, aligned to a burst
  std::uint32_t token = 0;    ///< handed back when done
  std::uint16_t application = 0;
  bool write = false;
  // Whose request it is, for schedulers and admission.
  Traffic traffic = Traffic::data;
  std::uint8_t level = 0;  ///< of a walk
  std::uint8_t warp = kNoWarp;
  std::uint16_t sm = 0;
};

class DramChannel {
 public:
  /// With more than one application, each is counted apart.
  DramChannel(const DramParameters& parameters, sim::StatisticGroup& parent, const std::string& name,
              const DramSchedulerSetup& sharing = {});
  ~DramChannel();

  [[nodiscard]] sim::StatisticGroup& statistics();
  /// Whether the read or write queue has room.
  [[nodiscard]] bool can_accept(bool write) const;
  /// Whether it has, and the scheduler takes the request.
  [[nodiscard]] bool can_accept(const DramRequest& request) const;
  void push(const DramRequest& request, DramCycle now);
  /// Whether since the last call a request has left the queues: one that was refused before may be let in now.
  [[nodiscard]] bool take_room();
  /// One clock: at most one command. Tokens of reads and writes that are done by now are appended to `done`.
  void tick(DramCycle now, std::vector<std::uint32_t>& done);
  /// The next cycle at or after `now` at which tick() could do anything; kNeverDram if nothing is queued or in flight
  /// (refresh that is due while idle is caught up on the next tick).
  [[nodiscard]] DramCycle next_event(DramCycle now) const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace heddle::memory
