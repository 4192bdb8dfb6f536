// When writes are sent, and how requests reach the queues of the banks.
#include "memory/dram_channel.h"

namespace heddle::memory {

/// Without queues per bank: turns between serving reads and serving writes by the watermarks.
void DramChannel::Implementation::update_drain() {
  const unsigned reads = queued_[0];
  const unsigned writes = queued_[1];
  if (!draining_) {
    const bool forced = writes >= p_.drain_high;
    if (!forced && !(reads == 0 && writes >= p_.drain_idle)) return;
    draining_ = true;
    drain_forced_ = forced;
    ++statistics_.drains;
  } else {
    drain_forced_ |= writes >= p_.drain_high;
    // A drain that only used idle time gives way to the first read.
    const bool over = writes == 0 || (reads != 0 && (!drain_forced_ || writes <= p_.drain_low));
    if (!over) return;
    draining_ = false;
  }
  stale_ = ~Mask{0};
}

/// With queues per bank: moves the oldest request whose bank has room, a write during a drain, else a read.
void DramChannel::Implementation::promote() {
  if (!may_promote_) return;
  if (!draining_) {
    const unsigned writes = queued_[1];
    const bool forced = writes >= p_.drain_high;
    if (forced || (writes >= p_.drain_idle && in_banks_ == 0)) {
      draining_ = true;
      drain_left_ = forced ? writes - p_.drain_low : writes;
      ++statistics_.drains;
    }
  }
  const unsigned kind = draining_ ? 1 : 0;
  RequestList& from = transactions_[kind];
  for (std::uint16_t slot = from.head(); slot != kNoSlot; slot = pool_[slot].next) {
    const unsigned bank = pool_[slot].bank;
    if (banks_[bank].lists[0].size() >= p_.bank_queue) continue;
    from.remove(pool_, slot);
    banks_[bank].lists[0].append(pool_, slot);
    note_arrival(bank, 0);
    --queued_[kind];
    room_ = true;
    if (draining_ && --drain_left_ == 0) draining_ = false;
    return;
  }
  may_promote_ = false;
}

bool DramChannel::Implementation::holds_write_to(std::uint64_t address) const {
  if (write_filter_[filter_index(address)] == 0) return false;
  const auto in = [&](const RequestList& list) {
    for (std::uint16_t slot = list.head(); slot != kNoSlot; slot = pool_[slot].next) {
      if (pool_[slot].write && pool_[slot].address == address) return true;
    }
    return false;
  };
  const DramPlace place = map_.place(address);
  const Bank& bank = banks_[(place.rank * p_.bank_groups + place.group) * p_.banks_per_group + place.bank];
  return in(bank.lists[list_of(true)]) || in(transactions_[1]);
}

}  // namespace heddle::memory
