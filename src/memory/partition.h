// A memory partition: a slice of the L2 cache and its DRAM channel. One shard.
//
// Requests arrive from the network in order and wait in the input queue until the L2 takes them, one per bank and L2
// cycle. A hit answers after the L2's latency; a miss takes a miss entry, reads the missing sectors from DRAM, frees
// the entry and then answers as a hit does, so that a miss is never faster than a hit. The L2 is write-back and
// allocates on writes without fetching: a written sector is valid as a whole, as hardware with byte masks behaves for
// timing. Atomics are ordered here: they are performed in the order in which they are served, after the quantum, when
// the SMs' stores of that quantum have been applied and nobody reads memory.
#pragma once

#include <deque>
#include <functional>
#include <queue>
#include <vector>

#include "memory/address_map.h"
#include "memory/cache.h"
#include "memory/dram.h"
#include "memory/network.h"
#include "sim/engine.h"
#include "sim/statistic.h"

namespace heddle::memory {

struct L2Parameters : CacheParameters {
  using CacheParameters::CacheParameters;
  sim::Parameter<unsigned> clock_mhz{*this, "clock_mhz", 700, {1, 10000}, "MHz", "Clock of the L2."};
  sim::Parameter<unsigned> banks{*this,   "banks", 1,
                                 {1, 64}, "banks", "Lines of different banks are served in the same cycle."};
  sim::Parameter<unsigned> atomics_per_cycle{
      *this, "atomics_per_cycle", 8, {1, 128}, "lanes", "Lanes of an atomic that a bank performs per L2 cycle."};
  sim::Parameter<unsigned> miss_latency{
      *this,
      "miss_latency",
      0,
      {0, 2000},
      "core cycles",
      "What a miss costs besides the L2's latency and DRAM's own timing: to the memory controller and back."};
  sim::Parameter<unsigned> dram_queue{
      *this, "dram_queue", 32, {1, 4096}, "requests", "Requests that may wait between a slice and its DRAM channel."};
  sim::Flag perfect{*this, "perfect", false, "Every access hits: an upper bound on what the memory behind could give."};
};

struct PartitionStatistics : sim::StatisticGroup {
  PartitionStatistics(sim::StatisticGroup& parent, const std::string& name) : StatisticGroup(parent, name) {}
  sim::Counter reads{*this, "reads", "requests", "Read requests taken by the L2."};
  sim::Counter walk_reads{*this, "walk_reads", "requests", "Reads of page-table entries."};
  sim::Counter walk_misses{*this, "walk_misses", "requests", "Of those, misses."};
  sim::Counter writes{*this, "writes", "requests", "Write requests taken by the L2."};
  sim::Counter atomics{*this, "atomics", "requests", "Atomic requests taken by the L2."};
  sim::Counter hits{*this, "hits", "requests", "Reads and atomics whose sectors were all in the L2."};
  sim::Counter misses{*this, "misses", "requests", "Reads and atomics that had to wait for DRAM."};
  sim::Counter instruction_reads{*this, "instruction_reads", "requests", "Of the reads, those of instruction caches."};
  sim::Counter instruction_misses{*this, "instruction_misses", "requests", "Of those, misses."};
  sim::Counter constant_reads{*this, "constant_reads", "requests", "Of the reads, those of constant caches."};
  sim::Counter constant_misses{*this, "constant_misses", "requests", "Of those, misses."};
  sim::Counter merged{*this, "merged", "requests", "Misses that joined one already in flight."};
  sim::Counter writebacks{*this, "writebacks", "bursts", "Bursts of dirty data written to DRAM on eviction."};
  sim::Counter stall_miss_table{*this, "stall_miss_table", "L2 cycles",
                                "The first request waited because every miss entry was taken."};
  sim::Counter stall_merge{*this, "stall_merge", "L2 cycles",
                           "The first request waited because its line's miss had its most waiters."};
  sim::Counter stall_reserved{*this, "stall_reserved", "L2 cycles",
                              "The first request waited because every way of its set waits for a fill."};
  sim::Counter stall_dram_queue{*this, "stall_dram_queue", "L2 cycles",
                                "The first request waited because the queue to DRAM was full."};
  sim::Counter bytes_in{*this, "bytes_in", "bytes", "Data bytes received from SMs."};
  sim::Counter bytes_out{*this, "bytes_out", "bytes", "Data bytes sent to SMs."};
};

/// What one of several applications asked of a slice.
struct ApplicationStatistics : sim::StatisticGroup {
  ApplicationStatistics(sim::StatisticGroup& parent, const std::string& name) : StatisticGroup(parent, name) {}
  sim::Counter hits{*this, "hits", "requests", "Reads and atomics of this application that hit."};
  sim::Counter misses{*this, "misses", "requests", "Reads and atomics of this application that missed."};
  sim::Counter writes{*this, "writes", "requests", "Writes of this application."};
  sim::Counter dram_reads{*this, "dram_reads", "bursts", "Bursts read from DRAM for this application."};
};

class Partition final : public sim::Shard {
 public:
  struct Setup {
    const L2Parameters& l2;
    const DramParameters& dram;
    const AddressMap& map;
    Network& network;
    sim::StatisticGroup& statistics;
    double core_mhz = 0;
    std::uint16_t index = 0;
    void (*perform_atomic)(AtomicPacket&, LaneMask) = nullptr;
    unsigned applications = 1;  ///< with more than one, each is counted apart
  };
  explicit Partition(const Setup& setup);

  void run(sim::Cycle begin, sim::Cycle end) override;
  void receive() override;
  /// Between quanta: the atomics of the last one.
  void perform_atomics();
  [[nodiscard]] bool idle() const;
  /// What waits where, for a stall report.
  [[nodiscard]] std::string describe() const;

 private:
  struct Answer {
    sim::Cycle ready = 0;
    Request request;
  };
  enum class Verdict : std::uint8_t { taken, wait };

  /// The next cycle in which something can happen, as far as this partition knows.
  [[nodiscard]] sim::Cycle next_work() const;
  void tick_l2(sim::Cycle now);
  void tick_dram(sim::Cycle now);
  [[nodiscard]] Verdict take(const Request& request, sim::Cycle now);
  [[nodiscard]] Verdict take_write(const Request& request, sim::Cycle now);
  [[nodiscard]] Verdict take_read(const Request& request, sim::Cycle now);
  void count_read(const Request& request, bool hit);
  void finish(const Request& request, sim::Cycle ready);
  void fill(std::uint32_t token);
  void write_back(const CacheLine& evicted);
  void send_answers(sim::Cycle now);
  void feed_dram(std::uint64_t dram_tick, sim::Cycle now);
  void send_to_dram(const DramRequest& request);
  [[nodiscard]] ApplicationStatistics* application(const Request& request) {
    return by_application_.empty() ? nullptr : by_application_[request.application].get();
  }
  [[nodiscard]] bool has_work() const {
    return head_ < input_.size() || !on_way_.empty() || !to_dram_.empty() || !answers_.empty() || dram_in_flight_ != 0;
  }

  Setup setup_;
  PartitionStatistics statistics_;
  std::vector<std::unique_ptr<ApplicationStatistics>> by_application_;  ///< empty with one application
  CacheTags tags_;
  MissTable misses_;
  DramChannel dram_;
  sim::ClockRatio l2_clock_;
  sim::ClockRatio dram_clock_;

  std::vector<Request> input_;  ///< from head_ on: ordered by arrival
  std::size_t head_ = 0;
  std::vector<std::uint64_t> bank_free_at_;  ///< by bank: L2 tick
  std::deque<Answer> answers_;               ///< ordered by ready time
  struct OnWay {
    sim::Cycle ready = 0;
    DramRequest request;
  };
  std::deque<OnWay> on_way_;  ///< between the L2 and the memory controller
  std::deque<DramRequest> to_dram_;
  std::vector<Request> waiting_;  ///< requests that wait for a fill, by waiter number
  std::vector<std::uint32_t> free_waiters_;
  std::vector<std::uint32_t> done_;
  struct Atomic {
    AtomicPacket* packet = nullptr;
    LaneMask lanes = 0;
  };
  std::vector<Atomic> atomics_;  ///< served in this quantum
  std::uint64_t dram_in_flight_ = 0;
  sim::Cycle port_free_at_ = 0;
  sim::Cycle arrival_port_free_at_ = 0;
  std::uint64_t l2_tick_ = 0;
  std::uint64_t dram_tick_ = 0;
  sim::Cycle clock_ = 0;
  sim::Counter* stall_ = nullptr;       ///< why the first request cannot be taken; nothing helps but DRAM
  sim::Cycle dram_next_ = sim::kNever;  ///< dram tick at which the channel next has something to do
};

}  // namespace heddle::memory
