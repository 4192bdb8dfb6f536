// A slice's way to the table behind a virtual L2 (memory/table_network.h): so many messages may be unhandled there.
#pragma once

#include "memory/address_map.h"
#include "memory/table_network.h"

namespace heddle::memory {

class TableLink {
 public:
  TableLink(TableNetwork& network, const AddressMap& slices, std::uint16_t index, unsigned credits)
      : network_(network), slices_(slices), index_(index), credits_(static_cast<int>(credits)) {}

  [[nodiscard]] bool full() const { return credits_ <= 0; }
  void credit() { ++credits_; }

  /// `later`: cycles that the slice is busy with it before it leaves.
  void send(TableMessage message, sim::Cycle now, sim::Cycle later = 0) {
    message.slice = index_;
    message.arrival = now + later + network_.latency();
    ++sent_;
    if (message.kind <= TableMessage::Kind::left) --credits_;
    network_.messages().send(message);
  }
  /// An access of a synonym, by its leading name, goes to that one's slice.
  void forward(Request request, sim::Cycle now) {
    request.arrival = now + network_.latency();
    network_.replays(slices_.slice(request.line)).send(request);
  }
  [[nodiscard]] sim::Inbox<TableCommand>& commands() { return network_.commands(index_); }
  [[nodiscard]] sim::Inbox<Request>& replays() { return network_.replays(index_); }
  [[nodiscard]] bool is_own(LineTag line) const { return slices_.slice(line) == index_; }
  /// Messages so far.
  [[nodiscard]] std::uint64_t sent() const { return sent_; }

 private:
  TableNetwork& network_;
  const AddressMap& slices_;
  std::uint16_t index_;
  int credits_;
  std::uint64_t sent_ = 0;
};

}  // namespace heddle::memory
