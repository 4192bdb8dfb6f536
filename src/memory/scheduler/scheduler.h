// The plug point for DRAM schedulers: which command goes to DRAM next.
//
// A scheduler decides twice. In each bank that has requests it chooses the one to serve; that request's next command
// (precharge, activate, read or write) makes it a candidate. Of the candidates of all banks it chooses the command that
// is issued. The channel keeps a bank's choice until the bank's queue or row changes, so a scheduler whose opinion
// changes with time, or with what was served, says so in update().
//
// One that divides the requests into queues of its own says in accepts() for which there is room, and notes in
// arrived() in which queue a request is.
//
// Contract: a choice depends on nothing but the arguments and what earlier calls left in the scheduler, so that runs
// repeat; what is passed in is only valid during the call. One mechanism is one file in this folder.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "memory/dram_queue.h"
#include "memory/sharing_board.h"
#include "sim/registry.h"

namespace heddle::memory {

/// The requests of one bank that may be served now, oldest first, and the state of the bank.
class BankView {
 public:
  BankView(const RequestPool& pool, std::uint16_t head, bool open, std::uint32_t row, unsigned served, unsigned bank)
      : pool_(pool), head_(head), open_(open), row_(row), served_(served), bank_(bank) {}

  /// The oldest request. There is always one.
  [[nodiscard]] std::uint16_t oldest() const { return head_; }
  /// The request after `slot`, or kNoSlot.
  [[nodiscard]] std::uint16_t next(std::uint16_t slot) const { return pool_[slot].next; }
  [[nodiscard]] const QueuedRequest& request(std::uint16_t slot) const { return pool_[slot]; }
  [[nodiscard]] bool row_hit(std::uint16_t slot) const { return open_ && pool_[slot].row == row_; }
  [[nodiscard]] bool open() const { return open_; }
  /// Column commands since the row was opened.
  [[nodiscard]] unsigned served() const { return served_; }
  [[nodiscard]] unsigned bank() const { return bank_; }

 private:
  const RequestPool& pool_;
  std::uint16_t head_;
  bool open_;
  std::uint32_t row_;
  unsigned served_;
  unsigned bank_;
};

/// The next command of the request chosen in a bank.
struct DramCandidate {
  const QueuedRequest* request;
  std::uint64_t order;  ///< of the request: smaller is older
  DramCommand command;  ///< activate, precharge, read or write; a column command means a row hit
  DramCycle ready_at;   ///< when it is legal; it can be issued if that is not after now
};

struct DramRequest;

/// Who shares the channel.
struct DramSchedulerSetup {
  unsigned applications = 1;
  SharingBoard* board = nullptr;  ///< in a GPU
};

class DramScheduler {
 public:
  virtual ~DramScheduler() = default;
  /// Which request of the bank to serve next.
  [[nodiscard]] virtual std::uint16_t choose_request(const BankView& bank) = 0;
  /// Whether the command to issue is always the oldest column command that is ready, else the oldest row command. The
  /// channel finds that by itself, and does not ask.
  [[nodiscard]] virtual bool oldest_first() const { return false; }
  /// Which command to issue now: the index of a candidate that is ready, or nothing; then the next question comes when
  /// another candidate is ready or has changed.
  [[nodiscard]] virtual std::optional<std::size_t> choose_command(std::span<const DramCandidate> /*candidates*/,
                                                                  DramCycle /*now*/) {
    return std::nullopt;
  }
  /// Whether the candidates shall include those that are not ready yet.
  [[nodiscard]] virtual bool sees_waiting() const { return false; }
  /// Called before choices are made in a cycle; true if all choices in banks must be made anew.
  [[nodiscard]] virtual bool update(DramCycle) { return false; }
  /// Whether update() is to be called after a command was issued, too.
  [[nodiscard]] virtual bool reconsiders() const { return false; }
  /// Whether the request may come now, beside the limits of the channel's queues.
  [[nodiscard]] virtual bool accepts(const DramRequest& /*request*/) const { return true; }
  /// The request has come; its `queue` is the scheduler's to set.
  virtual void arrived(QueuedRequest& /*request*/, DramCycle /*now*/) {}
  /// A request's column command was issued.
  virtual void served(const QueuedRequest&, DramCycle) {}
};

using DramSchedulers = sim::Registry<DramScheduler, const DramSchedulerSetup&>;

}  // namespace heddle::memory
