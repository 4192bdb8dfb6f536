// What the slices of a virtual L2 and the table behind them that translates (vm/forward_backward.h) tell each other.
//
// A slice has one request of each miss at the table. The table fetches the line by its physical address, and what DRAM
// answers goes to the slice; or it says what else the slice must do. Messages of a slice are handled in their order.
#pragma once

#include <memory>
#include <vector>

#include "memory/network.h"
#include "sim/exchange.h"

namespace heddle::memory {

/// From a slice to the table.
struct TableMessage {
  enum class Kind : std::uint8_t {
    miss,         ///< wants units of a line or, without units, the right to have it and write it whole
    upgrade,      ///< a line that was clean is written
    left,         ///< a line has left the slice, with what was dirty of it
    filled,       ///< what was asked for is there; `kept`: the slice keeps the line
    forwarded,    ///< the waiters of a synonym's miss, `count` of them, go to the slice of the leading name
    replayed,     ///< one of those has been served
    invalidated,  ///< the lines of a page are gone
    probed,       ///< a line that the host asked for is gone
  };
  Kind kind = Kind::miss;
  bool write = false;   ///< of a miss: to be written
  bool replay = false;  ///< of a miss: by a synonym, under the leading name
  bool kept = true;
  bool is_new = false;  ///< of one that is filled: nothing of the line was there before
  std::uint8_t warp = kNoWarp;
  std::uint8_t generation = 0;  ///< of accesses of synonyms: the command's
  std::uint16_t slice = 0;
  std::uint16_t sm = 0;
  LineTag line{};
  std::uint32_t units = 0;   ///< of a miss: to be fetched; of one that left: dirty
  std::uint32_t token = 0;   ///< of a miss: the slice's; of an answer: the table's
  std::uint32_t record = 0;  ///< in a checked run: the versions of the units
  std::uint32_t count = 0;
  sim::Cycle arrival = 0;
  [[nodiscard]] std::uint16_t sender() const { return slice; }
};

/// From the table to a slice.
struct TableCommand {
  enum class Kind : std::uint8_t {
    grant,       ///< the miss `token` has its right
    synonym,     ///< the miss is of another name of `line`: its waiters go there
    again,       ///< the miss must be asked for again
    wait,        ///< likewise, but not before the table says so: the page of `line` changes
    go,          ///< what waits so of the page around `line`, of 2 to the power of `bits` bytes, is asked for again
    invalidate,  ///< the lines in `bits` of the page of `line` must go
    sweep,       ///< all lines of the page of `line` must go, which has 2 to the power of `bits` bytes
    probe,       ///< the host wants the line
    credit,      ///< a message has been handled
  };
  Kind kind = Kind::grant;
  LineTag line{};
  std::uint32_t bits = 0;
  std::uint32_t token = 0;
  std::uint8_t generation = 0;  ///< of a synonym's accesses
  bool tells = false;           ///< of a synonym: SMs that read by the other name are told the leading one
  bool read_only = false;       ///< of a grant or a synonym: the page must not be written under its own name
  sim::Cycle arrival = 0;
  [[nodiscard]] static std::uint16_t sender() { return 0; }
};

/// Among the tokens of DRAM's answers to a slice, those of what the table asked for.
inline constexpr std::uint32_t kFromTable = std::uint32_t{1} << 30;
/// Of those, for a page that must not be written.
inline constexpr std::uint32_t kReadOnlyPage = std::uint32_t{1} << 29;

class TableNetwork {
 public:
  /// `latency`: core cycles one way. The table has the network's port after those of the SMs.
  TableNetwork(const sim::Exchange& exchange, Network& network, std::size_t sms, std::size_t slices, sim::Cycle latency)
      : latency_(latency), messages_(exchange, network.sm_bell(sms)), probe_answers_(exchange, network.sm_bell(sms)) {
    for (std::size_t s = 0; s < slices; ++s) {
      commands_.push_back(std::make_unique<sim::Inbox<TableCommand>>(exchange, network.partition_bell(s)));
      replays_.push_back(std::make_unique<sim::Inbox<Request>>(exchange, network.partition_bell(s)));
    }
  }
  [[nodiscard]] sim::Cycle latency() const { return latency_; }
  [[nodiscard]] std::size_t slices() const { return commands_.size(); }
  [[nodiscard]] sim::Inbox<TableMessage>& messages() { return messages_; }
  [[nodiscard]] sim::Inbox<TableCommand>& commands(std::size_t slice) { return *commands_[slice]; }
  /// Accesses of synonyms, from slice to slice.
  [[nodiscard]] sim::Inbox<Request>& replays(std::size_t slice) { return *replays_[slice]; }
  /// What L1s say to the table.
  [[nodiscard]] sim::Inbox<ProbeAnswer>& probe_answers() { return probe_answers_; }

 private:
  sim::Cycle latency_;
  sim::Inbox<TableMessage> messages_;
  sim::Inbox<ProbeAnswer> probe_answers_;
  std::vector<std::unique_ptr<sim::Inbox<TableCommand>>> commands_;
  std::vector<std::unique_ptr<sim::Inbox<Request>>> replays_;
};

}  // namespace heddle::memory
