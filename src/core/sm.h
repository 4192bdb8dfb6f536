// One streaming multiprocessor: contexts, fetch, issue, operand collection, pipelines, load/store unit. One shard.
//
// An instruction executes (its values are computed) when it issues; its results become visible to dependents when the
// timing says so, through the scoreboard. Resources that serve in order (pipes, register banks, ports) are modelled by
// the time they are next free, so nothing is ticked that has nothing to do; the load/store unit and the network port,
// where back-pressure matters, advance cycle by cycle while they hold work.
//
// The order inside a cycle: answers from memory, results, load/store unit, network port, issue.
#pragma once

#include <array>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/block_trace.h"
#include "core/event_wheel.h"
#include "core/kernel.h"
#include "core/l1_cache.h"
#include "core/memory_instruction.h"
#include "core/parameters.h"
#include "core/read_only_cache.h"
#include "core/sm_statistics.h"
#include "core/translation_unit.h"
#include "exec/interpreter.h"
#include "memory/address_map.h"
#include "memory/network.h"
#include "memory/network_port.h"
#include "sim/engine.h"

namespace heddle::core {

class Sm final : public sim::Shard {
 public:
  struct Setup {
    const SmParameters& parameters;
    const memory::AddressMap& map;
    memory::Network& network;
    sim::StatisticGroup& statistics;
    const vm::VirtualMemory* memory = nullptr;       ///< with address translation
    vm::TranslationNetwork* translations = nullptr;  ///< with a shared translation unit
    sim::Cycle to_shared = 0;                        ///< cycles one way to it
    std::uint16_t index = 0;
  };
  explicit Sm(const Setup& setup);

  /// Whether a block of this kernel fits beside what is resident.
  [[nodiscard]] bool can_take(const KernelInstance& kernel) const;
  /// Starts a block; it issues from `now` on.
  void start_block(KernelInstance& kernel, std::uint64_t block, sim::Cycle now);
  /// What must happen on one thread, in the order of SMs: stores become visible, calls to the outside are made, blocks
  /// that ended are counted, a program fault is thrown.
  void serial_step(sim::Cycle now);
  /// A kernel begins: the L1, which is not coherent, starts empty, as on hardware.
  void start_kernel() { l1_.start_empty(); }
  /// A launch has ended: nothing of it is kept. What it did here is added to `share`.
  void forget(const exec::Launch& launch, KernelShare& share);

  void run(sim::Cycle begin, sim::Cycle end) override;
  [[nodiscard]] sim::Cycle wakes_at() const override;
  [[nodiscard]] bool idle() const {
    return resident_ == 0 && memory_pool_.in_use() == 0 && port_.empty() && port_.unanswered() == 0;
  }
  /// nullptr without address translation.
  [[nodiscard]] TranslationUnit* translation() { return translation_ ? &*translation_ : nullptr; }
  /// The host has served the fault that ended this walk.
  void retry_walk(const vm::WalkJob& job, sim::Cycle now);
  [[nodiscard]] unsigned resident_warps() const;
  [[nodiscard]] const SmStatistics& statistics() const { return statistics_; }
  [[nodiscard]] std::string describe() const;
  /// Throws a ProgramFault if a block here waits at barriers that nobody will open.
  void check_deadlock() const;
  /// Warp instructions of the launch so far; 0 if it has no block here.
  [[nodiscard]] std::uint64_t instructions_of(const exec::Launch& launch) const;
  /// A block of the launch that runs here; nullptr if there is none.
  [[nodiscard]] const exec::ThreadBlock* block_of(const exec::Launch& launch) const;

  /// What a timeline wants to know of this SM.
  [[nodiscard]] BlockTrace& block_trace() { return block_trace_; }

 private:
  struct ResidentBlock {
    std::unique_ptr<exec::ThreadBlock> block;
    KernelInstance* kernel = nullptr;
    WarpSet warps = 0;
    unsigned registers = 0;
    std::uint32_t shared = 0;
    bool finished = false;    ///< all warps have exited; slots stay until their stores are done
    std::uint64_t flush = 0;  ///< the L1 flush that must end first; 0: none
    sim::Cycle started = 0;
    std::uint64_t index = 0;  ///< in its grid
  };
  struct Context {
    exec::Warp* warp = nullptr;
    KernelInstance* kernel = nullptr;
    KernelShare* share = nullptr;  ///< of the kernel, on this SM
    std::uint32_t block_slot = 0;
    RegisterSet pending;         ///< results on their way
    RegisterSet pending_memory;  ///< of those, from memory
    std::uint32_t stores = 0;    ///< not yet acknowledged
    std::uint32_t atomics = 0;
    std::uint64_t atomic_filter = 0;  ///< hashes of the lines of atomics on their way
    std::uint32_t long_loads = 0;
    std::uint64_t fetch_line = ~std::uint64_t{0};
    sim::Cycle next_line_ready = 0;     ///< the line after fetch_line, prefetched; kNever: on its way
    sim::Cycle ready_at = 0;            ///< instructions are there from this cycle on; kNever: on their way
    sim::Cycle not_before = 0;          ///< when instructions come, they issue no earlier
    UnitKind unit = UnitKind::control;  ///< of the next instruction: where next_unit_ has this context
    std::uint64_t flush = 0;            ///< of a fence: the L1 flush it waits for; 0: none yet
    bool fenced = false;
    bool fence_flushes = false;  ///< the fence is for other SMs as well
    bool in_system_call = false;
  };

  // sm.cpp
  void step(sim::Cycle now);
  void take_answers(sim::Cycle now);
  void take_results(sim::Cycle now);
  void account(sim::Cycle cycles);
  /// The next cycle after `now` in which something can happen, as far as this SM knows.
  [[nodiscard]] sim::Cycle next_work(sim::Cycle now) const;

  // sm_issue.cpp
  void issue(sim::Cycle now);
  [[nodiscard]] bool unit_free(UnitKind unit, sim::Cycle now) const;
  [[nodiscard]] Slot why_idle(unsigned scheduler, WarpSet ready) const;
  void issue_from(unsigned warp, sim::Cycle now);
  void issue_arithmetic(Context& context, unsigned warp, const TimedOp& op, std::uint32_t pc, sim::Cycle now);
  void issue_memory(Context& context, unsigned warp, const exec::Op& op, std::uint32_t pc, sim::Cycle now);
  void refresh(unsigned warp, sim::Cycle now);

  // sm_fetch.cpp
  void fetch(unsigned warp, sim::Cycle now);
  [[nodiscard]] sim::Cycle fetch_line(std::uint64_t line, unsigned warp, sim::Cycle now);
  void take_instructions(unsigned warp, std::uint64_t line, sim::Cycle now);
  void retry_fetches(sim::Cycle now);
  /// Sends misses of the instruction and constant caches that found no room in the network port.
  void send_waiting_misses();

  // sm_issue.cpp
  void warp_ended(unsigned warp, sim::Cycle now);
  void release_finished_blocks(sim::Cycle now);
  [[nodiscard]] bool must_flush_first(ResidentBlock& block, sim::Cycle now);
  [[nodiscard]] bool fence_done(Context& context, unsigned warp);
  [[nodiscard]] bool must_wait_for_atomic(const Context& context, const exec::Op& op);

  // sm_memory.cpp
  void tick_memory(sim::Cycle now);
  [[nodiscard]] bool access_constants(std::uint32_t index, sim::Cycle now);
  void access_lines(std::deque<std::uint32_t>& queue, std::uint32_t index, sim::Cycle now);
  void access_translated(std::deque<std::uint32_t>& queue, std::uint32_t index, sim::Cycle now);
  void lines_accessed(std::deque<std::uint32_t>& queue, std::uint32_t index, sim::Cycle now);
  /// `address` is what caches see of the line.
  [[nodiscard]] bool access_line(std::uint32_t index, const LineAccess& line, std::uint64_t address, sim::Cycle now);
  [[nodiscard]] L1Result send_atomic(std::uint32_t index, const LineAccess& line, std::uint64_t address,
                                     std::uint16_t application);
  void line_done(std::uint32_t index, sim::Cycle now);
  void complete(std::uint32_t index, sim::Cycle now);
  void store_done(unsigned warp, sim::Cycle now);
  void flush_done(sim::Cycle now);
  void take_response(const memory::Response& response, sim::Cycle now);

  Setup setup_;
  const SmParameters& p_;
  SmStatistics statistics_;
  std::optional<exec::Interpreter> interpreter_;
  exec::StoreBuffer stores_;
  std::vector<std::unique_ptr<WarpScheduler>> schedulers_;
  std::vector<WarpSet> belongs_;  ///< contexts of each scheduler
  std::array<Context, 64> contexts_;
  std::vector<ResidentBlock> blocks_;
  BlockTrace block_trace_;
  struct Guest {
    std::vector<std::unique_ptr<exec::ThreadBlock>> spare_blocks;
    KernelShare share;
  };
  std::unordered_map<const exec::Launch*, Guest> guests_;  ///< launches that had a block here

  // Which contexts are in which state; every live one is in exactly one of the waiting sets or in ready_.
  WarpSet resident_ = 0;
  WarpSet ready_ = 0;
  WarpSet at_barrier_ = 0;
  WarpSet fetching_ = 0;
  WarpSet waits_memory_ = 0;
  WarpSet waits_result_ = 0;
  WarpSet waits_order_ = 0;
  std::array<WarpSet, kUnits> next_unit_{};  ///< contexts whose next instruction uses the unit

  std::array<std::array<sim::Cycle, 16>, kUnits> pipe_free_at_{};
  std::array<unsigned, kUnits> pipes_{};
  std::vector<sim::Cycle> collector_free_at_;
  std::size_t next_collector_ = 0;
  std::vector<sim::Cycle> bank_free_at_;
  unsigned instruction_line_bytes_;
  unsigned constant_line_bytes_;
  sim::Cycle fetch_port_free_at_ = 0;

  EventWheel events_;
  MemoryPool memory_pool_;
  std::deque<std::uint32_t> memory_queue_;
  sim::Cycle memory_unit_free_at_ = 0;
  sim::Counter* memory_stall_ =
      nullptr;  ///< why the first line of the queue cannot go; nothing helps but an answer or a sent packet
  memory::NetworkPort port_;
  L1Cache l1_;
  std::optional<TranslationUnit> translation_;
  ReadOnlyCache instructions_;
  ReadOnlyCache constants_;
  WarpSet fetch_again_ = 0;    ///< found every miss entry of the instruction cache taken
  WarpSet flush_waiters_ = 0;  ///< at a fence that waits for a flush
  sim::Cycle answer_port_free_at_ = 0;
  std::vector<memory::Response> responses_;
  std::size_t response_head_ = 0;

  std::uint64_t age_ = 0;
  unsigned registers_used_ = 0;
  std::uint32_t shared_used_ = 0;
  sim::Cycle clock_ = 0;
  sim::Cycle wake_ = sim::kNever;
  std::array<Slot, 4> last_slot_{};
  std::array<sim::Counter*, static_cast<std::size_t>(Slot::count_)> slot_counters_{};  ///< in the order of Slot
  bool issued_ = false;
  bool has_finished_blocks_ = false;
  std::vector<unsigned> system_calls_;
  std::exception_ptr fault_;
};

}  // namespace heddle::core
