// Inside a DRAM channel: queues, bank states, the choice and issue of commands.
//
// Modelled: every timing rule of dram_timing.h, one command per cycle (or one row and one column command), refresh of
// all banks of a rank in staggered turns or of single banks, draining of writes, forwarding of queued writes to reads.
// Not modelled: power-down, postponed refresh, error correction, clock-frequency changes. A write that overtakes an
// older read of the same address is allowed: data is not kept here.
//
// Time is skipped: `wake_` is the earliest cycle at which a command may be issued or a request moved, and tick() before
// it only hands out answers.
#pragma once

#include <array>
#include <bit>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "memory/bank_commands.h"
#include "memory/dram.h"
#include "memory/dram_address_map.h"
#include "memory/dram_checker.h"
#include "memory/dram_queue.h"
#include "memory/dram_statistics.h"
#include "memory/dram_timing.h"
#include "memory/scheduler/scheduler.h"

namespace heddle::memory {

class DramChannel::Implementation {
 public:
  Implementation(const DramParameters& parameters, sim::StatisticGroup& parent, const std::string& name,
                 const DramSchedulerSetup& sharing);

  [[nodiscard]] DramStatistics& statistics() { return statistics_; }
  [[nodiscard]] bool can_accept(bool write) const {
    return queued_[write ? 1 : 0] < (write ? p_.write_queue : p_.read_queue);
  }
  [[nodiscard]] bool can_accept(const DramRequest& request) const {
    return can_accept(request.write) && scheduler_->accepts(request);
  }
  void push(const DramRequest& request, DramCycle now);
  [[nodiscard]] bool take_room() { return std::exchange(room_, false); }
  void tick(DramCycle now, std::vector<std::uint32_t>& done);
  [[nodiscard]] DramCycle next_event(DramCycle now) const;

 private:
  using Mask = std::uint64_t;  // one bit per bank
  enum class RowPolicy { open, closed, adaptive };

  struct Bank {
    std::array<RequestList, 2> lists;  // reads and writes; in one list if banks have queues of their own
    DramCommand command = DramCommand::activate;
    std::uint16_t choice = kNoSlot;
    bool open = false;
    bool opened_by_conflict = false;
    std::uint32_t row = 0;
    std::uint32_t served = 0;  // column commands since the activate
  };

  // dram_channel.cpp: requests and commands
  [[nodiscard]] unsigned list_of(bool write) const { return mixed_ ? 0 : write ? 1u : 0u; }
  [[nodiscard]] unsigned serving() const { return mixed_ ? 0 : draining_ ? 1u : 0u; }
  /// Those with a request that may be served now.
  [[nodiscard]] Mask candidate_banks() const { return waiting_[serving()] & ~blocked_; }
  DramCycle choose_in_banks();
  void choose_in_bank(unsigned bank);
  [[nodiscard]] std::optional<unsigned> choose_bank(DramCycle now, bool rows, bool columns);
  std::optional<DramCommand> issue_best(DramCycle now, bool rows, bool columns);
  void issue(unsigned bank, DramCycle now);
  void issue_column(unsigned bank, DramCycle now);
  void close(unsigned bank);
  void note(DramIssue issue, DramCycle now);
  void note_arrival(unsigned bank, unsigned list);

  // dram_drain.cpp: writes, and queues per bank
  void update_drain();
  void promote();
  [[nodiscard]] bool holds_write_to(std::uint64_t address) const;

  // dram_refresh.cpp
  void catch_up_refresh(DramCycle now);
  [[nodiscard]] DramCycle refresh_command_at(unsigned unit) const;
  void issue_refresh_command(unsigned unit, DramCycle now);
  bool refresh_step(DramCycle now);
  void update_refresh_time();
  /// The banks that are refreshed together.
  [[nodiscard]] Mask banks_of(unsigned unit) const {
    return per_bank_ ? Mask{1} << unit : rank_mask_ << (unit * banks_per_rank_);
  }

  [[nodiscard]] static std::uint16_t filter_index(std::uint64_t address) {
    return static_cast<std::uint16_t>(address * 0x9e3779b97f4a7c15u >> 54);
  }

  const DramParameters& p_;
  DramStatistics statistics_;
  DramAddressMap map_;
  DramTiming timing_;
  RequestPool pool_;
  std::unique_ptr<DramScheduler> scheduler_;
  std::unique_ptr<DramChecker> checker_;

  bool mixed_;
  bool oldest_first_;
  bool sees_waiting_;
  bool reconsiders_;
  RowPolicy row_policy_;
  unsigned banks_per_rank_;
  Mask rank_mask_;
  bool per_bank_;  // banks are refreshed one by one

  std::vector<Bank> banks_;
  std::array<Mask, 2> waiting_{};  // banks with requests, per list
  Mask stale_ = 0;                 // banks whose choice must be made anew
  BankCommands commands_;          // of the requests that are chosen in the banks
  Mask blocked_ = 0;               // banks that are to be refreshed
  Mask open_ = 0;

  std::array<unsigned, 2> queued_{};         // reads and writes that count against the queue limits
  bool room_ = false;                        // a request has left them
  std::array<RequestList, 2> transactions_;  // before the bank queues, if there are any
  unsigned in_banks_ = 0;
  bool draining_ = false;
  bool drain_forced_ = false;  // by the high watermark, not because no read waited
  unsigned drain_left_ = 0;    // writes still to be moved in this drain, if banks have queues
  bool may_promote_ = false;
  std::array<std::uint16_t, 1024> write_filter_{};  // queued writes by hashed address

  std::vector<DramCycle> refresh_due_;  // per rank, or per bank
  Mask refreshing_ = 0;                 // one bit for each of these that waits for its refresh command
  DramCycle refresh_at_ = kNeverDram;   // the next cycle at which refresh_step() does something

  DueQueue reads_done_;
  DueQueue accepted_;  // writes and forwarded reads
  std::uint64_t order_ = 0;
  DramCycle wake_ = kNeverDram;
  DramCycle bus_free_ = 0;  // the command bus
  std::array<DramCandidate, 64> candidates_;
};

}  // namespace heddle::memory
