// A slice of the L2 cache.
//
// Requests arrive from the network in order and wait in the input queue until the L2 takes them, one per bank and L2
// cycle. A hit answers after the L2's latency; a miss takes a miss entry, reads the missing sectors from DRAM, frees
// the entry and then answers as a hit does, so that a miss is never faster than a hit. The L2 is write-back and
// allocates on writes without fetching: a written sector is valid as a whole, as hardware with byte masks behaves for
// timing. Atomics are ordered here: they are performed in the order in which they are served, after the quantum, when
// the SMs' stores of that quantum have been applied and nobody reads memory.
//
// A slice belongs to a shard, which steps it through core cycles: a Partition, which has a channel as well, or a
// SliceShard. Queues: the input holds what SMs have credits for; answers leave at the latency's end, and there is one
// for each request taken, so that both are bounded by the credits of SMs and the misses in flight.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/ring.h"
#include "memory/cache.h"
#include "memory/l2_parameters.h"
#include "memory/l2_statistics.h"
#include "memory/l2_tags.h"
#include "memory/l2_versions.h"
#include "memory/memory_link.h"
#include "memory/network.h"
#include "memory/table_link.h"

namespace heddle::memory {

/// A time of the L2's clock.
using L2Cycle = sim::Ticks<struct L2Clock>;

class L2Slice {
 public:
  struct Setup {
    const L2Parameters& parameters;
    unsigned burst_bytes = 0;
    Network& network;
    MemoryLink& link;
    sim::StatisticGroup& statistics;
    double core_mhz = 0;
    std::uint16_t index = 0;
    void (*perform_atomic)(AtomicPacket&, LaneMask) = nullptr;
    unsigned applications = 1;       ///< with more than one, each is counted apart
    LineChecker* checker = nullptr;  ///< of a checked run
    SharingBoard* board = nullptr;   ///< in a GPU
    TableLink* table = nullptr;      ///< of a virtual L2
  };
  explicit L2Slice(const Setup& setup);

  /// Takes the requests that are on their way; returns when the first comes.
  [[nodiscard]] sim::Cycle receive();
  // In each cycle that is simulated, in this order:
  /// Ticks slept through count as what they were.
  void begin(sim::Cycle now);
  /// DRAM has done what the token stands for.
  /// `read_only`: of a virtual L2, the page must not be written.
  void fill(std::uint32_t token, sim::Cycle now, bool read_only = false);
  /// The queue to DRAM has moved.
  void dram_moved() { stall_ = nullptr; }
  /// Serves requests and sends answers.
  void tick(sim::Cycle now);
  /// The next cycle from `from` on in which something can happen, as far as the slice knows.
  [[nodiscard]] sim::Cycle next(sim::Cycle from) const;

  /// The table behind a virtual L2 wants something (l2_virtual.cpp).
  void obey(const TableCommand& command, sim::Cycle now);
  /// An access of a synonym, under its leading name.
  void replay(const Request& request) { retries_.push_back(request); }

  [[nodiscard]] bool has_atomics() const { return !atomics_.empty(); }
  /// Between quanta: the atomics of the last one.
  void perform_atomics();
  /// Between quanta: the host has written these units of a line.
  void host_wrote(LineTag tag, std::uint32_t units, std::uint16_t application, bool copied);
  /// Between quanta: whether these units of the line are here.
  [[nodiscard]] bool has(LineTag line, std::uint32_t units) { return tags_.has(line, units); }
  /// Between quanta: the lines in `bits` of a virtual page, whose frame is given, are gone and what was dirty of them
  /// is in memory. Returns those that were here.
  std::uint32_t drop_page(LineTag page, std::uint32_t bits, PhysLine frame);
  /// Between quanta: calls f(line) for each virtual line that is here.
  template <typename Function>
  void for_each_virtual(Function&& f) {
    for (std::size_t l = 0; l < tags_.size(); ++l) {
      if (tags_.line(l).valid != 0 && tags_.line(l).tag.is_virtual()) f(tags_.line(l).tag);
    }
  }
  [[nodiscard]] bool idle() const {
    return retries_.empty() && told_to_wait_.empty() && head_ == input_.size() && answers_.empty() && misses_.empty() &&
           passing_.size() == free_passing_.size();
  }
  /// What waits where, for a stall report.
  [[nodiscard]] std::string describe() const;

 private:
  struct Answer {
    sim::Cycle ready = 0;
    Request request;
  };
  /// A read that goes past the L2.
  struct Passing {
    Request request;
    unsigned bursts = 0;  ///< still on their way
  };
  struct Atomic {
    AtomicPacket* packet = nullptr;
    LaneMask lanes = 0;
  };

  void serve(sim::Cycle now);
  /// Takes the first of those that were here before, if its bank is free. Returns whether one bank's turn is gone.
  [[nodiscard]] bool serve_retry(sim::Cycle now);
  [[nodiscard]] bool take(const Request& request, sim::Cycle now) {
    if (!told_to_wait_.empty() && must_wait(request)) {
      told_to_wait_.push_back(request);
      return true;
    }
    return request.kind == RequestKind::write ? take_write(request, now) : take_read(request, now);
  }
  [[nodiscard]] unsigned bank_of(LineTag line) const {
    return p_.banks == 1 ? 0 : static_cast<unsigned>(line.bits() / p_.line_bytes % p_.banks);
  }
  [[nodiscard]] std::uint64_t cycles_of(const Request& request) const;
  // Of a virtual L2 (l2_virtual.cpp).
  /// Whether the request changes a line of a page that must not be written, as far as the caches know.
  [[nodiscard]] static bool is_denied(const Request& request, const CacheLine* line) {
    return line != nullptr && (line->read_only || request.denied) && request.kind != RequestKind::read &&
           !request.replay;
  }
  [[nodiscard]] bool take_virtual_write(const Request& request, CacheLine* line, sim::Cycle now);
  void ask_table(std::uint32_t miss, const Request& request, std::uint32_t units, sim::Cycle now);
  /// The table's miss has its data or its right; `is_new`: nothing of the line was valid before.
  void tell_filled(LineTag tag, const CacheLine* line, bool is_new, bool upgrades, sim::Cycle now);
  /// Whether the table must hear that somebody writes who did not ask.
  [[nodiscard]] bool must_upgrade(const MissTable::Miss& miss, const CacheLine* line) const;
  /// Whether a waiter finds less than it wants.
  [[nodiscard]] static bool must_ask_again(const Request& waiter, const MissTable::Miss& miss, const CacheLine* line);
  /// The waiters of a miss that is no more.
  template <typename Function>
  void dissolve(std::uint32_t miss, Function&& f);
  void give_up(CacheLine& line, sim::Cycle now, sim::Cycle later = 0);
  void sweep(const TableCommand& command, sim::Cycle now);
  void leave(const CacheLine& evicted, sim::Cycle now, sim::Cycle later);
  /// The miss is no more, its waiters ask again or wait until they are told to.
  void ask_again(const TableCommand& command);
  [[nodiscard]] bool must_wait(const Request& request) const;
  [[nodiscard]] bool serve_input(sim::Cycle now);
  /// The first of the retries cannot be served: the input goes on, unless it is of a line that one of them is of.
  void pass_retries(sim::Cycle now);
  /// Whether the request was taken; if not, stall_ says why.
  [[nodiscard]] bool queue_behind_atomic(const Request& request);
  void write(CacheLine& line, const Request& request);
  [[nodiscard]] bool take_write(const Request& request, sim::Cycle now);
  [[nodiscard]] bool take_read(const Request& request, sim::Cycle now);
  /// The counter of what keeps the request from being taken; nullptr if nothing does.
  /// A request has been taken.
  void give_credit(const Request& request, sim::Cycle now);
  /// Sends those that go past the L2 on to DRAM.
  void pass(sim::Cycle now);
  void passed(std::uint32_t number, sim::Cycle now);
  // Of an L2 of two halves (l2_halves.cpp).
  /// What the request takes longer; copies come and go.
  [[nodiscard]] sim::Cycle way_to_half(const Request& request, sim::Cycle now);
  [[nodiscard]] sim::Cycle far(const Request& request, sim::Cycle now) {
    return tags_.divided() && !p_.perfect ? way_to_half(request, now) : 0;
  }
  /// Whether there was one.
  bool drop_copy(LineTag line, unsigned half);
  [[nodiscard]] CacheLine* keep_copy(LineTag line, unsigned half, sim::Cycle now);
  /// Takes further writes of the line with the one that was just taken.
  void take_merged(LineTag line, sim::Cycle now);
  [[nodiscard]] sim::Cycle fetch_copied(CacheLine& line, sim::Cycle now) const;
  [[nodiscard]] sim::Counter* obstacle(const Request& request, std::optional<std::uint32_t> miss, unsigned bursts);
  void wait_on(std::uint32_t miss, const Request& request);
  [[nodiscard]] CacheLine* allocate(LineTag line, sim::Cycle now);
  /// `later`: cycles before a virtual line leaves.
  void write_back(const CacheLine& evicted, sim::Cycle now, sim::Cycle later = 0);
  /// Of a checked run: the request reads or changes what the slice has.
  void serve_versions(const Request& request, bool perfect, sim::Cycle now);
  void finish(const Request& request, sim::Cycle ready, sim::Cycle now);
  void send_answers(sim::Cycle now);
  void count_write(const Request& request) {
    ++statistics_.writes[request.application];
    statistics_.bytes_in[request.application] += request.bytes;
    statistics_.count_sectors(request);
  }

  Setup setup_;
  const L2Parameters& p_;
  L2Statistics statistics_;
  L2Tags tags_;
  MissTable misses_;
  std::unique_ptr<L2Versions> versions_;  ///< of a checked run
  std::unique_ptr<Lifetimes> lifetimes_;  ///< if somebody studies them
  std::unique_ptr<FillPolicy> policy_;
  sim::Clock<L2Cycle> clock_;

  std::vector<Request> input_;  ///< from head_ on: ordered by arrival
  std::size_t head_ = 0;
  Ring<Request> retries_;              ///< of a virtual L2: to be served anew, before the input
  std::vector<Request> told_to_wait_;  ///< likewise, of pages that change
  bool passes_retries_ = false;        ///< the input may go before retries that cannot be served
  std::vector<L2Cycle> bank_free_at_;  ///< by bank
  Ring<Answer> answers_;               ///< ordered by ready time
  std::vector<Request> waiting_;       ///< requests that wait for a fill, by waiter number
  std::vector<std::uint32_t> free_waiters_;
  bool lets_past_;                ///< the fill policy lets some reads go past the L2
  std::vector<Request> fresh_;    ///< if so: what has just come
  Ring<Request> past_;            ///< go past the L2, ordered by arrival
  std::vector<Passing> passing_;  ///< on their way from DRAM, by number
  std::vector<std::uint32_t> free_passing_;
  std::vector<Atomic> atomics_;  ///< served in this quantum
  Port port_;                    ///< of answers
  Port arrival_port_;            ///< of requests
  L2Cycle tick_ = 0;
  L2Cycle tick_now_ = 0;           ///< the first tick of this cycle
  sim::Counter* stall_ = nullptr;  ///< why the first request cannot be taken; nothing helps but DRAM
};

}  // namespace heddle::memory
