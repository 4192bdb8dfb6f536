// One streaming multiprocessor: contexts, scoreboard, issue and pipelines. One shard. Its other parts are classes of
// their own: fetch (core/fetch.h), operand storage (core/operand_storage.h) and the load/store unit
// (core/load_store_unit.h).
//
// An instruction executes (its values are computed) when it issues; its results become visible to dependents when the
// timing says so, through the scoreboard. Resources that serve in order (pipes, register banks, ports) are modelled by
// the time they are next free, so nothing is ticked that has nothing to do; the load/store unit and the network port,
// where back-pressure matters, advance cycle by cycle while they hold work.
//
// The order inside a cycle: answers from memory, results, load/store unit, network port, issue.
#pragma once

#include <array>
#include <exception>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/block_trace.h"
#include "core/context_mover.h"
#include "core/event_wheel.h"
#include "core/fetch.h"
#include "core/kernel.h"
#include "core/load_store_unit.h"
#include "core/parameters.h"
#include "core/probe_unit.h"
#include "core/profiler.h"
#include "core/saved_block.h"
#include "core/sm_control.h"
#include "core/sm_statistics.h"
#include "core/waiting_study.h"
#include "exec/fault.h"
#include "exec/grid.h"
#include "memory/address_map.h"
#include "memory/network.h"
#include "memory/network_port.h"
#include "sim/engine.h"

namespace heddle::core {

class Sm final : public sim::Shard, private MemoryClient {
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
    memory::LineChecker* checker = nullptr;  ///< of a checked run
    unsigned applications = 1;               ///< with more than one, translation counts each apart
    unsigned per_sm = 65536;                 ///< requests that may be at the shared unit at once
    std::string divergence = "independent";  ///< which kind, where the parameters leave it open
    memory::SharingBoard* board = nullptr;
    bool profiles = false;                 ///< counts what every instruction costs
    vm::ManagedMemory* managed = nullptr;  ///< where managed memory migrates
  };
  explicit Sm(const Setup& setup);

  /// Whether a block of this kernel fits beside what is resident.
  [[nodiscard]] bool can_take(const KernelInstance& kernel) const;
  /// Starts a block; it issues from `from` on.
  void start_block(KernelInstance& kernel, std::uint64_t block, sim::Cycle now, sim::Cycle from);
  /// Goes on with a block that was taken out of an SM. If its context is in memory, its warps wait until it has come.
  void start_block(SavedBlock block, sim::Cycle now) { start_block(std::move(block), now, now); }
  void start_block(SavedBlock block, sim::Cycle now, sim::Cycle from);

  // Taking blocks out, between quanta: stop one, wait until it can be taken out, take it out. Its context goes to
  // memory if save_block() is called before, and has gone when block_saved() says so.
  /// Slots of the blocks that have not ended.
  [[nodiscard]] std::vector<std::uint32_t> running_blocks() const;
  struct BlockView {
    std::uint32_t slot = 0;
    const KernelInstance* kernel = nullptr;
    std::uint64_t order = 0;  ///< grows with every block started on this SM
    bool stopped = false;     ///< it is to be taken out
  };
  /// The same with what they are.
  [[nodiscard]] std::vector<BlockView> view_blocks() const;
  /// From now on the block's warps issue nothing.
  void stop_block(std::uint32_t slot, sim::Cycle now);
  /// Whether everything that a stopped block has under way has come to its end. False for ever if the block has ended.
  [[nodiscard]] bool can_take_out(std::uint32_t slot, sim::Cycle now);
  /// Starts to write the context of a block that can be taken out.
  void save_block(std::uint32_t slot, sim::Cycle now);
  [[nodiscard]] bool block_saved(std::uint32_t slot) const { return blocks_[slot].place != 0 && !moves(slot); }
  [[nodiscard]] SavedBlock take_out(std::uint32_t slot);

  /// What applications may use of an SM.
  struct Use {
    unsigned blocks = 0;
    unsigned warps = 0;
    unsigned registers = 0;
    std::uint32_t shared = 0;

    void add(const Use& other);
    [[nodiscard]] bool within(const Use& most) const {
      return blocks <= most.blocks && warps <= most.warps && registers <= most.registers && shared <= most.shared;
    }
  };
  /// All that there is; what a block of the kernel takes; what blocks of the application have now.
  [[nodiscard]] Use capacity() const;
  [[nodiscard]] Use need(const KernelInstance& kernel) const;
  [[nodiscard]] Use use_of(std::uint16_t application) const;

  /// From here on this governs the SM; it stays the caller's.
  void set_control(SmControl* control) {
    control_ = control;
    plain_ = unwatched();
  }
  [[nodiscard]] unsigned index() const { return setup_.index; }

  /// The application whose page table the SM used before it changed to another's, since the last call.
  [[nodiscard]] std::optional<std::uint16_t> take_old_root() { return std::exchange(old_root_, std::nullopt); }

  // What a program does wrong ends only its own launches where several applications share the GPU.
  /// Faults since the last call. With one application a fault is thrown by serial_step() instead.
  [[nodiscard]] std::vector<exec::ProgramFault> take_faults() { return std::exchange(faults_, {}); }
  /// The blocks of the launch issue nothing any more.
  void stop_launch(std::uint64_t grid_id, sim::Cycle now);
  /// Between quanta: takes out those of its stopped blocks that have nothing under way.
  void drop_launch(KernelInstance& kernel, sim::Cycle now);

  /// What must happen on one thread, in the order of SMs: calls to the outside are made, blocks that ended are counted,
  /// a program fault is thrown.
  void serial_step(sim::Cycle now);
  /// A kernel begins.
  void start_kernel(std::uint16_t application, sim::Cycle now) { memory_.start_kernel(application, now); }
  [[nodiscard]] L1Cache& l1() { return memory_.l1(); }
  /// Of a virtual L1, appended: the lines that are there.
  void add_virtual_lines(std::vector<memory::LineTag>& to) { l1().add_virtual_lines(to); }
  /// A launch has ended: nothing of it is kept. What it did here is added to `share`.
  void forget(const exec::Launch& launch, KernelShare& share);

  void run(sim::Cycle begin, sim::Cycle end) override;
  void receive() override;
  void publish(unsigned part) const override { stores_.apply(part); }
  [[nodiscard]] bool idle() const {
    return resident_ == 0 && memory_.idle() && port_.empty() && port_.unanswered() == 0;
  }
  /// nullptr without address translation.
  [[nodiscard]] TranslationUnit* translation() { return memory_.translation(); }
  /// All translations go, and all that a virtual L1 has.
  void flush_translations(std::uint32_t epoch);
  /// Those of an address space, and that of a page of it; behind a virtual L1 all go.
  void flush_translations(vm::SpaceId space, std::uint32_t epoch);
  void flush_translations(vm::SpaceId space, vm::VirtPage page, std::uint32_t epoch);
  /// Accessed and dirty bits to be set in page tables.
  [[nodiscard]] std::vector<Touch>* touches();
  /// The host has served the fault that ended this walk.
  void retry_walk(const vm::WalkJob& job, sim::Cycle now);
  /// nullptr where no managed memory migrates.
  [[nodiscard]] PageWaits* page_waits() { return memory_.page_waits(); }
  /// Between quanta: accesses that waited for managed pages go on as far as they may.
  void let_pages_go(sim::Cycle now);
  [[nodiscard]] unsigned resident_warps() const;
  [[nodiscard]] const SmStatistics& statistics() const { return statistics_; }
  [[nodiscard]] std::string describe() const;
  /// Throws a ProgramFault if a block here waits at barriers that nobody will open.
  void check_deadlock() const;
  /// From here on, looks which warps go round in loops in which nothing changes; or no more.
  void watch(bool on) {
    if (interpreter_) interpreter_->watch(on);
  }
  /// Watched: adds the warps that wait so. Returns false if one here does something else.
  [[nodiscard]] bool add_waiting(exec::EndlessWait& waits) const;
  /// Warp instructions of the launch so far; 0 if it has no block here.
  [[nodiscard]] std::uint64_t instructions_of(const exec::Launch& launch) const;
  /// A block of the launch that runs here; nullptr if there is none.
  [[nodiscard]] const exec::ThreadBlock* block_of(const exec::Launch& launch) const;

  /// Adds what it has counted of instructions, if it profiles.
  void add_profile(Profile& profile) const {
    if (profile_) profile_->add_to(profile);
  }

  /// What a timeline wants to know of this SM.
  [[nodiscard]] BlockTrace& block_trace() { return block_trace_; }

 private:
  static constexpr std::uint32_t kNoMove = ~std::uint32_t{0};
  struct ResidentBlock {
    std::unique_ptr<exec::ThreadBlock> block;
    KernelInstance* kernel = nullptr;
    WarpSet warps = 0;
    std::uint32_t shared = 0;
    sim::Cycle exited_at = 0;  ///< when its last warp ended
    bool finished = false;     ///< all warps have exited; slots stay until their stores are done
    std::uint64_t flush = 0;   ///< the L1 flush that must end first; 0: none
    sim::Cycle started = 0;
    std::uint64_t index = 0;             ///< in its grid
    sim::Cycle barrier_free_at = 0;      ///< takes the next arrival
    std::vector<std::uint32_t> records;  ///< of instructions in flight whose lanes are from several warps
    std::uint64_t order = 0;             ///< grows with every block started on this SM
    std::uint64_t place = 0;             ///< of its context in memory, where it goes or comes from; 0: none
    std::uint32_t move = kNoMove;        ///< of its context, under way
  };
  // What every instruction looks at comes first, so that it is in one line of the host's cache.
  struct alignas(sim::kCacheLine) Context {
    exec::Warp* warp = nullptr;
    const std::uint32_t* registers = nullptr;  ///< the warp's
    const exec::Op* op = nullptr;              ///< the next instruction, of one that waits for registers or nothing
    const TimedOp* timed = nullptr;            ///< likewise
    KernelShare* share = nullptr;              ///< of the kernel, on this SM
    sim::Cycle ready_at = 0;                   ///< instructions are there from this cycle on; kNever: on their way
    sim::Cycle wakes_at = 0;                   ///< of one that waits for results: when the last of them comes
    std::uint32_t pc = 0;                      ///< of `op`
    UnitKind unit = UnitKind::control;         ///< of the next instruction: where next_unit_ has this context
    bool has_parameters = false;               ///< the kernel's parameters have come

    KernelInstance* kernel = nullptr;
    sim::Cycle* parameters_at = nullptr;  ///< of the kernel, on this SM
    sim::Cycle* memory_at = nullptr;      ///< likewise
    std::uint32_t block_slot = 0;
    std::uint32_t stores = 0;  ///< instructions, not yet acknowledged
    std::uint32_t atomics = 0;
    std::uint32_t long_loads = 0;
    std::uint64_t atomic_filter = 0;  ///< hashes of the lines of atomics on their way
    std::uint64_t flush = 0;          ///< of a fence: the L1 flush it waits for; 0: none yet
    std::uint32_t in_flight = 0;      ///< memory instructions of any kind that have not ended
    sim::Cycle fence_until = 0;       ///< when it ends; 0: not known yet
    sim::Cycle fence_at = 0;          ///< sm.fence.ends = round: not before
    bool fenced = false;
    bool fence_flushes = false;  ///< the fence is for other SMs as well
    bool fence_system = false;   ///< and for the host
    bool in_system_call = false;
  };

  // sm.cpp
  [[nodiscard]] bool run_until(sim::Cycle end);
  void step(sim::Cycle now);
  void take_answers(sim::Cycle now);
  void take_results(sim::Cycle now);
  void account(sim::Cycle cycles);
  [[nodiscard]] bool has_serial_work() const;
  /// The next cycle after `now` in which something can happen, as far as this SM knows.
  [[nodiscard]] sim::Cycle next_work(sim::Cycle now) const;

  // sm_issue.cpp
  void issue(sim::Cycle now);
  [[nodiscard]] bool unit_free(UnitKind unit, sim::Cycle now) const {
    return unit == UnitKind::memory ? !memory_.full() : pipe_free_from_[static_cast<std::size_t>(unit)] <= now;
  }
  /// Contexts whose next instruction finds its unit taken.
  [[nodiscard]] WarpSet units_taken(sim::Cycle now) const;
  [[nodiscard]] Slot why_idle(unsigned scheduler, WarpSet ready) const;
  /// Warps that may not issue their next instruction, as the SM's control says.
  [[nodiscard]] WarpSet ask_control();
  /// Whether the warp that has just issued may do so once more in this cycle.
  [[nodiscard]] bool may_issue_again(unsigned w, sim::Cycle now);
  /// False: it must wait for atomics of its own.
  bool issue_from(unsigned warp, sim::Cycle now);
  void issue_arithmetic(Context& context, unsigned warp, const TimedOp& op, std::uint32_t pc, sim::Cycle now);
  /// Whether the SM has the kernel's parameters; if not, the warp may go on when it has.
  [[nodiscard]] bool parameters_came(Context& context, sim::Cycle now) const;
  /// A warp has come to a barrier; those that it lets go on, itself perhaps among them, may from a cycle on.
  void arrive_at_barrier(Context& context, sim::Cycle now);
  void fetch(unsigned warp, sim::Cycle now);
  void refresh(unsigned warp, sim::Cycle now);
  /// Like refresh(), when all that has happened is that a result has come.
  void result_came(unsigned warp, sim::Cycle now);

  /// A result of an instruction that issues will come.
  void expect_result(Context& context, unsigned warp, const TimedOp& op, std::uint32_t pc, sim::Cycle now,
                     sim::Cycle at);
  /// What the instruction writes comes at `at`, or at one of the two times below.
  void write_at(unsigned warp, const TimedOp& op, sim::Cycle at) {
    sim::Cycle* written = written_at(warp);
    for (const std::uint16_t reg : op.registers.written()) written[reg] = at;
  }
  static constexpr sim::Cycle kWhenMemoryAnswers = sim::kNever;
  static constexpr sim::Cycle kWhenShuffled = sim::kNever - 1;
  /// When each register of the context has been or will be written.
  [[nodiscard]] sim::Cycle* written_at(unsigned warp) { return &written_at_[warp * kRegisters]; }
  /// The warp, whose next instruction is `op`, is ready or waits for registers.
  void wait_for_registers(Context& context, unsigned warp, const TimedOp& op, sim::Cycle now);
  void wake(WarpSet warps, sim::Cycle now);
  /// The host will soon want what the context's next instruction works on.
  static void expect_issue(const Context& context) {
    __builtin_prefetch(context.warp);
    const exec::Op& op = *context.op;
    constexpr unsigned kHalf = kWarpSize / 2;  // a row is two lines of the host's cache
    for (unsigned s = 0; s < op.sources; ++s) {
      if (op.in_pool(s)) continue;
      __builtin_prefetch(context.registers + op.src[s]);
      __builtin_prefetch(context.registers + op.src[s] + kHalf);
    }
  }
  /// The warp waits for nobody and has its next instruction: from here on it waits for registers, or is ready.
  void decode(Context& context, unsigned warp, sim::Cycle now);
  /// Instructions of the context's kernel are to be executed.
  void select(const Context& context) {
    if (selected_ == context.share) return;
    selected_ = context.share;
    interpreter_->select(*context.kernel->launch);
  }
  /// Counts an instruction that issues; when it has executed, the lanes that did.
  void count_issue(const Context& context, const TimedOp& op) {
    ++statistics_.instructions.all();
    ++context.share->instructions;
    statistics_.issue_slots.all() += op.instructions;
    sequence_ = op.instructions;
  }
  void count_lanes(const Context& context, const TimedOp& op, std::uint64_t lanes) {
    statistics_.thread_instructions.all() += lanes;
    context.share->thread_instructions += lanes;
    statistics_.register_reads.all() += op.reads;
    statistics_.register_writes.all() += op.written;
    const auto unit = static_cast<std::size_t>(op.unit);
    if (unit < statistics_.pipe_lanes.size()) statistics_.pipe_lanes[unit].all() += lanes;
  }
  /// Both, for the application whose it is; where there are several.
  void count_application(std::uint16_t application, const TimedOp& op, std::uint64_t lanes);
  /// issue_from() for what most instructions are.
  void issue_plain(Context& context, unsigned warp, const TimedOp& op, sim::Cycle now);
  /// Whether nobody wants to know more of an instruction than what every SM counts.
  [[nodiscard]] bool unwatched() const {
    return control_ == nullptr && profile_ == nullptr && !statistics_.divided() && !operands_->follows();
  }
  /// The warp has executed its instruction: what comes next, of it and of those that it changed.
  void moved_on(unsigned warp, sim::Cycle now);

  // sm_memory.cpp
  [[nodiscard]] bool must_wait_for_atomic(const Context& context, const exec::Op& op);
  void issue_memory(Context& context, unsigned warp, const exec::Op& op, std::uint32_t pc, sim::Cycle now);
  void fill_packet(const Context& context, const exec::Op& op, memory::AtomicPacket& packet);
  void divide_array(const KernelInstance& kernel);
  // sm_fence.cpp
  void begin_fence(Context& context, isa::Scope scope, sim::Cycle now);
  /// What has been accessed since the last fence, for the next.
  void touch_memory(const Context& context, const exec::MemoryAccess& access);
  [[nodiscard]] bool fence_done(Context& context, unsigned warp, sim::Cycle now);
  /// What the warp wrote is where the fence wants it.
  [[nodiscard]] bool stores_answered(Context& context, unsigned warp);

  // sm_profile.cpp
  [[nodiscard]] WarpSet waiting_for(Slot reason) const;
  void blame(unsigned scheduler, unsigned warp, Slot reason);
  void place_slots();

  // sm_compaction.cpp
  /// An instruction in flight whose lanes are from several warps.
  struct CompactedIssue {
    std::vector<exec::SlotPart> parts;  ///< as they were when it issued
    const TimedOp* timed = nullptr;
    std::uint64_t filter = 0;  ///< of an atomic: hashes of its lines
    std::uint32_t block_slot = 0;
    bool from_memory = false;
    bool stores = false;
  };
  /// Calls f(record) for each instruction in flight that has a thread of the slot.
  template <typename Function>
  void for_each_record(const Context& context, Function&& f) const;
  [[nodiscard]] bool waits_for_records(unsigned warp, const TimedOp& op);
  [[nodiscard]] std::uint32_t take_record(const Context& context, const TimedOp& timed);
  void release_record(std::uint32_t index, sim::Cycle now);
  void expect_compacted(const Context& context, unsigned warp, const TimedOp& timed, sim::Cycle now, sim::Cycle at);
  void compacted_result(unsigned warp, std::uint32_t record, sim::Cycle now);
  void took_compacted(MemoryInstruction& m, const Context& context, const TimedOp& timed,
                      const exec::MemoryAccess& access);
  void compacted_done(const MemoryInstruction& m, sim::Cycle now);
  /// Lines of atomics on their way, of the slot's threads.
  [[nodiscard]] std::uint64_t atomics_of_records(const Context& context) const;
  /// Whether stores or atomics of the slot's threads are on their way.
  [[nodiscard]] bool records_write(const Context& context) const;
  /// The divergence of a block has given its slots something else to run.
  void slots_changed(std::uint32_t slot, sim::Cycle now);
  /// Tells a coalescer that keeps the order of warps whose lanes the slots of a block have.
  void tell_coalescer(const ResidentBlock& block);

  // sm_blocks.cpp
  void warp_ended(unsigned warp, sim::Cycle now);
  void perform_system_calls(sim::Cycle now);
  void release_finished_blocks(sim::Cycle now);
  /// The warps of a block that was given to this SM, and has its place, get their contexts.
  void begin_block(std::uint32_t slot, sim::Cycle now);
  /// Likewise of all blocks that have none yet.
  void begin_blocks();
  [[nodiscard]] bool drained(const ResidentBlock& block, sim::Cycle now);
  /// Whether operand storage has nothing under way for a block that was stopped.
  [[nodiscard]] bool registers_leave(const ResidentBlock& block);
  void vacate(const ResidentBlock& block);
  [[nodiscard]] bool must_flush_first(ResidentBlock& block, sim::Cycle now);
  [[nodiscard]] bool moves(std::uint32_t slot) const { return blocks_[slot].move != kNoMove; }
  /// A context has moved: one that has come goes on.
  void context_moved(const ContextMover::Ended& ended, sim::Cycle now);

  // MemoryClient
  void memory_done(const MemoryInstruction& m, sim::Cycle now) override;
  void flush_advanced(sim::Cycle now) override;

  Setup setup_;
  const SmParameters& p_;
  SmStatistics statistics_;
  std::optional<exec::Interpreter> interpreter_;
  exec::StoreBuffer stores_;
  std::vector<WarpSet> belongs_;  ///< contexts of each scheduler
  std::array<Context, 64> contexts_;
  std::vector<sim::Cycle> written_at_;  ///< by context, then register
  std::vector<ResidentBlock> blocks_;
  BlockTrace block_trace_;
  struct Guest {
    std::vector<std::unique_ptr<exec::ThreadBlock>> spare_blocks;
    KernelShare share;
    sim::Cycle parameters_at = sim::kNever;  ///< when they have come; kNever: nobody has asked
    sim::Cycle memory_at = sim::kNever;      ///< when the first access is through; kNever: there was none
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
  WarpSet about_to_load_ = 0;   ///< of those in ready_: the next instruction loads from global or local memory
  WarpSet about_to_order_ = 0;  ///< likewise: it writes there, or must come after what the warp accessed before
  WarpSet stopped_ = 0;         ///< of blocks that are to be taken out; among those at barriers
  WarpSet restoring_ = 0;       ///< of blocks whose context has not come yet; among those at barriers
  WarpSet held_ = 0;            ///< of those in ready_: may not issue, as control_ says
  std::array<WarpSet, kUnits> next_unit_{};  ///< contexts whose next instruction uses the unit

  std::array<std::array<sim::Cycle, 16>, kUnits> pipe_free_at_{};
  std::array<unsigned, kUnits> pipes_{};
  std::array<sim::Cycle, kUnits> pipe_free_from_{};  ///< when the first pipe of the kind is free
  EventWheel events_;
  std::unique_ptr<WarpScheduler> scheduler_;
  std::unique_ptr<exec::DivergenceUnit> divergence_;
  std::unique_ptr<Profiler> profile_;  ///< of a run that is profiled
  std::unique_ptr<WaitingStudy> waiting_study_;
  Observers observers_;
  memory::NetworkPort port_;
  ContextMover mover_;
  SmControl* control_ = nullptr;
  std::vector<unsigned> warps_of_;  ///< by application: resident ones; empty with one
  Fetch fetch_;
  std::unique_ptr<OperandStorage> operands_;
  LoadStoreUnit memory_;
  std::vector<unsigned> carveouts_;  ///< sm.carveout.steps
  unsigned carveout_ = 0;            ///< KiB of the L1's array that are shared memory
  bool fences_by_round_ = false;     ///< sm.fence.ends = round
  bool touched_ = false;             ///< if so: global memory since the last fence for the GPU
  bool touched_far_ = false;         ///< of the half of the L2 that is not near
  sim::Cycle fences_from_ = 0;       ///< when the next may start
  WarpSet flush_waiters_ = 0;        ///< at a fence that waits for a flush
  memory::Port answer_port_;
  ProbeUnit probes_;
  std::vector<memory::Response> responses_;
  std::size_t response_head_ = 0;

  const KernelShare* selected_ = nullptr;     ///< whose instructions the interpreter executes
  bool plain_ = false;                        ///< see unwatched()
  bool expects_ = false;                      ///< the instruction that issues will write registers
  bool compacted_issue_ = false;              ///< the instruction that issues has lanes of several warps
  std::vector<exec::SlotPart> issued_parts_;  ///< if so, which
  Pool<CompactedIssue> compacted_;
  std::uint64_t age_ = 0;
  std::uint64_t blocks_started_ = 0;
  std::uint64_t blocks_saved_ = 0;
  std::uint32_t shared_used_ = 0;
  sim::Cycle clock_ = 0;
  std::array<Slot, 4> last_slot_{};
  unsigned sequence_ = 1;                       ///< issue slots of the instruction issued last
  std::array<sim::Cycle, 4> sequence_until_{};  ///< by scheduler: it issues the rest of a sequence
  std::array<sim::Counter*, static_cast<std::size_t>(Slot::count_)> slot_counters_{};  ///< in the order of Slot
  bool changes_ = false;  ///< something issued, or was to issue and could not: the next cycle is another
  bool has_finished_blocks_ = false;
  struct Retired {
    KernelInstance* kernel = nullptr;
    sim::Cycle exited_at = 0;
  };
  std::vector<Retired> retired_;  ///< blocks that have ended since the last serial step
  struct Beginning {
    std::uint32_t slot = 0;
    sim::Cycle at = 0;
  };
  std::vector<Beginning> beginning_;  ///< blocks that have a place, but no contexts yet
  std::vector<unsigned> system_calls_;
  std::optional<std::uint16_t> root_;  ///< the application whose blocks started last
  std::optional<std::uint16_t> old_root_;
  std::exception_ptr fault_;
  std::vector<exec::ProgramFault> faults_;  ///< with several applications
};

}  // namespace heddle::core
