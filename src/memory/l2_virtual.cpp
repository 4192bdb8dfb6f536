// What a slice of a virtual L2 does that others do not: it asks the table behind it for lines by their virtual names,
// and does what the table wants (memory/table_network.h).
#include <algorithm>
#include <bit>
#include <utility>

#include "base/check.h"
#include "memory/l2_slice.h"

namespace heddle::memory {

using sim::Cycle;

namespace {

constexpr std::uint32_t kOneAnswer = 1u << 16;  // as L2Slice counts bursts on their way
constexpr unsigned kPageBytes = 4096;

}  // namespace

void L2Slice::ask_table(std::uint32_t miss, const Request& request, std::uint32_t units, Cycle now) {
  TableMessage message{.kind = TableMessage::Kind::miss,
                       .write = request.kind != RequestKind::read,
                       .replay = request.replay,
                       .warp = request.warp,
                       .sm = request.sm,
                       .line = request.line,
                       .units = units,
                       .token = miss};
  if (versions_) message.record = versions_->ask(miss, request.line, now);
  setup_.table->send(message, now);
}

/// A store that finds no line, or one that must not be written: it is not written before the table says that it may be,
/// and under which name.
bool L2Slice::take_virtual_write(const Request& request, CacheLine* line, Cycle now) {
  if (misses_.full()) {
    stall_ = &statistics_.stall_miss_table;
    return false;
  }
  if (setup_.table->full()) {
    stall_ = &statistics_.stall_table;
    return false;
  }
  if (line == nullptr) line = allocate(request.line, now);
  if (line == nullptr) return false;
  line->reserved = true;
  const std::uint32_t miss = misses_.add(request.line, true);
  wait_on(miss, request);
  misses_.at(miss).changed |= request.sectors;
  misses_.at(miss).requested += kOneAnswer;
  ask_table(miss, request, 0, now);
  count_write(request);
  return true;
}

void L2Slice::tell_filled(LineTag tag, const CacheLine* line, bool is_new, bool upgrades, Cycle now) {
  const bool kept = line != nullptr && line->valid != 0;
  setup_.table->send({.kind = TableMessage::Kind::filled, .kept = kept, .is_new = is_new, .line = tag}, now);
  if (upgrades) setup_.table->send({.kind = TableMessage::Kind::upgrade, .line = tag}, now);
}

bool L2Slice::must_upgrade(const MissTable::Miss& miss, const CacheLine* line) const {
  // Whoever asked said whether it was to write. If it was not, one of the others may.
  if (line == nullptr || line->dirty != 0 || waiting_[miss.waiters.front()].kind != RequestKind::read) return false;
  return std::any_of(miss.waiters.begin(), miss.waiters.end(), [&](std::uint64_t waiter) {
    return waiting_[waiter].kind != RequestKind::read && (!line->read_only || waiting_[waiter].replay);
  });
}

bool L2Slice::must_ask_again(const Request& waiter, const MissTable::Miss& miss, const CacheLine* line) {
  if (line == nullptr) return waiter.kind != RequestKind::read || (miss.requested & waiter.sectors) != waiter.sectors;
  if (line->read_only && waiter.kind != RequestKind::read && !waiter.replay) return true;
  return waiter.kind != RequestKind::write && (line->valid & waiter.sectors) != waiter.sectors;
}

template <typename Function>
void L2Slice::dissolve(std::uint32_t token, Function&& f) {
  const MissTable::Miss& miss = misses_.at(token);
  if (CacheLine* line = tags_.find(miss.line); line != nullptr && miss.fills) {
    line->reserved = false;
    if (line->valid == 0) *line = {};
  }
  if (versions_) versions_->drop(token);
  for (const std::uint64_t waiter : miss.waiters) {
    f(waiting_[waiter]);
    free_waiters_.push_back(static_cast<std::uint32_t>(waiter));
  }
  misses_.remove(token);
  stall_ = nullptr;
}

/// Accesses of synonyms ask first: the table serves them when it would send others back, and may wait for them.
void L2Slice::ask_again(const TableCommand& command) {
  std::vector<Request> first;
  std::vector<Request> last;
  dissolve(command.token, [&](Request& request) {
    ++statistics_.asked_again[request.application];
    const bool hurries = request.replay || request.renamed;
    if (!hurries && command.kind == TableCommand::Kind::wait) {
      told_to_wait_.push_back(request);
    } else {
      (hurries ? first : last).push_back(request);
    }
  });
  if (!first.empty()) {
    std::vector<Request> before;
    for (; !retries_.empty(); retries_.pop_front()) before.push_back(retries_.front());
    last.insert(last.begin(), before.begin(), before.end());
  }
  for (const Request& request : first) retries_.push_back(request);
  for (const Request& request : last) retries_.push_back(request);
}

/// An earlier request of the same line waits for the table's word: this one behind it.
bool L2Slice::must_wait(const Request& request) const {
  return !request.replay && !request.renamed &&
         std::any_of(told_to_wait_.begin(), told_to_wait_.end(),
                     [&](const Request& other) { return other.line == request.line; });
}

void L2Slice::pass_retries(Cycle now) {
  if (head_ >= input_.size()) return;
  for (std::size_t i = 0; i < retries_.size(); ++i) {
    if (retries_[i].line == input_[head_].line) return;
  }
  sim::Counter* const reason = std::exchange(stall_, nullptr);
  (void)serve_input(now);
  if (stall_ == nullptr) stall_ = reason;
}

void L2Slice::obey(const TableCommand& command, Cycle now) {
  switch (command.kind) {
    case TableCommand::Kind::grant:
      fill(command.token, now, command.read_only);
      break;
    case TableCommand::Kind::synonym: {
      TableMessage message{
          .kind = TableMessage::Kind::forwarded, .generation = command.generation, .line = command.line};
      dissolve(command.token, [&](Request& request) {
        // A read has asked, and others may not do what it may.
        if (command.read_only && request.kind != RequestKind::read) {
          retries_.push_back(request);
          return;
        }
        ++message.count;
        if (command.tells && request.kind == RequestKind::read) {
          passes_retries_ =
              true;  // tables wait for loads by the leading name, which may be behind those that are sent back
          Probe probe;
          probe.kind = Probe::Kind::synonym;
          probe.line = command.line;
          probe.own = request.line;
          probe.asker = setup_.index;
          probe.arrival = now + setup_.network.parameters().latency;
          setup_.network.probes(request.sm).send(probe);
        }
        request.line = command.line;
        request.uncached = true;
        request.replay = true;
        request.generation = command.generation;
        if (request.kind != RequestKind::read) {
          // The L1 of the SM that writes must not go on with the leading name's old data.
          Probe probe;
          probe.line = command.line;
          probe.asker = setup_.index;
          probe.arrival = now + setup_.network.parameters().latency;
          setup_.network.probes(request.sm).send(probe);
        }
        setup_.table->forward(request, now);
      });
      setup_.table->send(message, now);
      break;
    }
    case TableCommand::Kind::again:
    case TableCommand::Kind::wait:
      ask_again(command);
      break;
    case TableCommand::Kind::go:
      std::erase_if(told_to_wait_, [&](const Request& request) {
        if (!request.line.in_page_of(command.line, command.bits)) return false;
        retries_.push_back(request);
        return true;
      });
      stall_ = nullptr;
      break;
    case TableCommand::Kind::invalidate: {
      unsigned lines = 0;
      for (std::uint32_t left = command.bits; left != 0; left &= left - 1) {
        const auto number = static_cast<unsigned>(std::countr_zero(left));
        const LineTag tag({command.line.virtual_line().address + std::uint64_t{number} * p_.line_bytes},
                          command.line.space());
        if (CacheLine* line = tags_.find(tag); line != nullptr) {
          give_up(*line, now);
          ++lines;
        }
      }
      setup_.table->send({.kind = TableMessage::Kind::invalidated, .token = command.token}, now, lines);
      break;
    }
    case TableCommand::Kind::sweep:
      sweep(command, now);
      break;
    case TableCommand::Kind::probe:
      if (CacheLine* line = tags_.find(command.line); line != nullptr) give_up(*line, now);
      setup_.table->send({.kind = TableMessage::Kind::probed, .line = command.line, .token = command.token}, now);
      break;
    case TableCommand::Kind::credit:
      setup_.table->credit();
      stall_ = nullptr;
      break;
  }
}

namespace {

/// Nothing of it is valid; what is on its way to it keeps its place.
void empty(CacheLine& line) {
  const bool reserved = line.reserved;
  const LineTag tag = line.tag;
  line = {};
  if (!reserved) return;
  line.tag = tag;
  line.reserved = true;
}

}  // namespace

/// What is valid of the line goes, what is dirty to memory.
void L2Slice::give_up(CacheLine& line, Cycle now, Cycle later) {
  write_back(line, now, later);
  empty(line);
}

/// Nobody knows which lines of the page are here: all tags are looked at, a set in each cycle. What is found goes now
/// and leaves when its set's turn has come.
void L2Slice::sweep(const TableCommand& command, Cycle now) {
  for (std::size_t l = 0; l < tags_.size(); ++l) {
    CacheLine& line = tags_.line(l);
    if (line.valid == 0 || !line.tag.in_page_of(command.line, command.bits)) continue;
    give_up(line, now, l / p_.ways);
  }
}

/// A virtual line goes, and what is dirty of it to the table.
void L2Slice::leave(const CacheLine& evicted, Cycle now, Cycle later) {
  TableMessage message{.kind = TableMessage::Kind::left, .line = evicted.tag, .units = evicted.dirty};
  if (versions_ && evicted.dirty != 0) message.record = versions_->leave(evicted, now);
  if (versions_) versions_->leaves(evicted.tag);
  setup_.table->send(message, now, later);
  if (evicted.dirty != 0) {
    statistics_.writebacks[evicted.application] += count_bursts(evicted.dirty, setup_.burst_bytes);
  }
}

std::uint32_t L2Slice::drop_page(LineTag page, std::uint32_t bits, PhysLine frame) {
  std::uint32_t here = 0;
  for (; bits != 0; bits &= bits - 1) {
    const std::uint64_t offset = static_cast<unsigned>(std::countr_zero(bits)) * std::uint64_t{p_.line_bytes};
    CacheLine* line = tags_.find(LineTag({page.virtual_line().address + offset}, page.space()));
    if (line == nullptr || line->valid == 0) continue;
    here |= bits & -bits;
    if (versions_ && line->dirty != 0) versions_->store(*line, {frame.address + offset});
    empty(*line);  // it may have asked for what the table has not heard of yet
  }
  return here;
}

}  // namespace heddle::memory
