// The load/store unit of an SM. The way of a load, top to bottom:
//
//   take()      the instruction issues; its lanes become a group of lines, which waits in the queue
//   tick()      the first of the queue goes to shared memory, to the constant cache or to the coalescer
//   coalescer   says whose lines go next (core/coalescer.h)
//   translate   pages are looked up, while the group before goes to the L1; a group whose page misses leaves and comes
//               back (core/translation_unit.h)
//   access      lines go to the L1, so many per cycle; a hit is done after the L1's latency, a miss leaves the SM
//   answer()    what came back from the memory system fills the L1 and wakes those who wait
//   line_done() the instruction has one line more; with the last one, its warp is told
//
// A line that cannot go stalls the unit, with the counter of what it waits for, until something comes or goes.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "base/ring.h"
#include "core/atomic_packet.h"
#include "core/away_lines.h"
#include "core/coalescer.h"
#include "core/event_wheel.h"
#include "core/kernel.h"
#include "core/l1_cache.h"
#include "core/merge_study.h"
#include "core/operand_storage.h"
#include "core/order_checker.h"
#include "core/page_waits.h"
#include "core/profiler.h"
#include "core/read_only_cache.h"
#include "core/shared_memory.h"
#include "core/synonym_table.h"
#include "core/translation_unit.h"
#include "exec/interpreter.h"

namespace heddle::core {

/// What the load/store unit tells its SM.
class MemoryClient {
 public:
  virtual ~MemoryClient() = default;
  /// The instruction has all its data, or all it wrote is acknowledged.
  virtual void memory_done(const MemoryInstruction& instruction, sim::Cycle now) = 0;
  /// A write-back has been acknowledged or a flush has walked all lines.
  virtual void flush_advanced(sim::Cycle now) = 0;
};

/// An instruction that issues.
struct MemoryOperation {
  const exec::Op& op;
  const exec::MemoryAccess& access;
  const KernelInstance& kernel;
  KernelShare& share;
  std::uint32_t pc = 0;
  unsigned warp = 0;
  unsigned block = 0;                                  ///< place of the warp's block in the SM
  sim::Cycle operands_at = 0;                          ///< when addresses and data are there
  const std::vector<exec::SlotPart>* parts = nullptr;  ///< where lanes are from, if from several warps
};

class LoadStoreUnit final : public RegisterPort {
 public:
  struct Setup {
    const SmParameters& parameters;
    SmStatistics& statistics;
    memory::NetworkPort& port;
    EventWheel& events;
    MemoryClient& client;
    OperandStorage& operands;
    const vm::VirtualMemory* memory = nullptr;       ///< with address translation
    vm::TranslationNetwork* translations = nullptr;  ///< with a shared translation unit
    sim::Cycle to_shared = 0;                        ///< cycles one way to it
    std::uint16_t sm = 0;
    MemoryObserver* observer = nullptr;      ///< if somebody listens
    memory::LineChecker* checker = nullptr;  ///< of a checked run
    unsigned applications = 1;
    unsigned per_sm = 65536;  ///< requests that may be at the shared unit at once
    memory::SharingBoard* board = nullptr;
    Profiler* profile = nullptr;           ///< of a run that is profiled
    vm::ManagedMemory* managed = nullptr;  ///< where managed memory migrates
  };
  explicit LoadStoreUnit(const Setup& setup);

  [[nodiscard]] bool full() const { return queue_.size() + places_ >= p_.memory_queue || too_many_wait_; }
  [[nodiscard]] std::size_t queued() const { return queue_.size() + places_; }
  /// By application, lines of global and local memory instructions on their way.
  [[nodiscard]] const std::vector<std::uint32_t>& outstanding() const { return outstanding_; }
  /// Takes an instruction that moves data; there is room. Of an atomic, the caller fills in the operands.
  MemoryInstruction& take(const MemoryOperation& operation, sim::Cycle now);
  /// Takes a shuffle, which goes through the exchange network of shared memory.
  void take_shuffle(const MemoryOperation& operation, sim::Cycle now);

  [[nodiscard]] bool has_work() const {
    return !queue_.empty() || coalescer_busy_ || (translation_ && translation_->has_work());
  }
  /// One cycle; call it when there is work.
  void tick(sim::Cycle now);
  /// The next cycle after `now` in which tick() can do something, if there is work.
  [[nodiscard]] sim::Cycle next_work(sim::Cycle now) const {
    if (queued_ != nullptr && coalescer_busy_)
      return stall_ == nullptr ? now + 1 : std::max(now + 1, queued_->wakes_at(now));
    if (stall_ != nullptr) return sim::kNever;
    const bool only_queue = !coalescer_busy_ && !(translation_ && translation_->has_work());
    return std::max({now + 1, free_at_, only_queue ? takes_at_ : 0});
  }

  /// Nothing helps the first line but an answer or a packet that leaves.
  [[nodiscard]] bool stalled() const { return stall_ != nullptr; }
  void account_stall(sim::Cycle cycles) {
    if (stall_ != nullptr) (*stall_)[stalled_] += cycles;
  }
  /// What the unit waits for may have come.
  void try_again() { stall_ = nullptr; }

  /// Whether the coalescer holds warps back, and of these, which (core/coalescer.h).
  [[nodiscard]] bool refuses_some() const { return queued_ != nullptr; }
  [[nodiscard]] WarpSet refuses(WarpSet loads, WarpSet others) const { return queued_->refuses(loads, others); }
  /// Lanes of these warps run in the slot from now on.
  void slot_has(unsigned slot, WarpSet warps) { queued_->slot_has(slot, warps); }

  /// Whether an answer can be taken in this cycle.
  [[nodiscard]] bool can_take(const memory::Response& response, sim::Cycle now);
  /// An answer to anything but an instruction fetch.
  void answer(const memory::Response& response, sim::Cycle now);
  /// An event of the SM's wheel: a line has its data.
  void line_done(std::uint32_t waiter, sim::Cycle now);

  /// A kernel begins: of its application, the L1, which is not coherent, starts empty, as on hardware.
  void start_kernel(std::uint16_t application, sim::Cycle now);
  [[nodiscard]] L1Cache& l1() { return l1_; }
  [[nodiscard]] SynonymTable& synonyms() { return synonyms_; }
  [[nodiscard]] const L1Cache& l1() const { return l1_; }
  /// One cycle of a flush of the L1.
  void flush_step(sim::Cycle now);
  /// nullptr without address translation.
  [[nodiscard]] TranslationUnit* translation() { return translation_ ? &*translation_ : nullptr; }
  [[nodiscard]] const TranslationUnit* translation() const { return translation_ ? &*translation_ : nullptr; }
  /// nullptr but between a virtual L1 and a physical L2.
  [[nodiscard]] LateTranslation* late_translation() { return late_ ? &*late_ : nullptr; }
  [[nodiscard]] const LateTranslation* late_translation() const { return late_ ? &*late_ : nullptr; }
  /// nullptr where no managed memory migrates.
  [[nodiscard]] PageWaits* page_waits() { return page_waits_ ? &*page_waits_ : nullptr; }
  [[nodiscard]] const PageWaits* page_waits() const { return page_waits_ ? &*page_waits_ : nullptr; }
  /// Between quanta: what waited for managed pages goes on as far as it may.
  void let_go(sim::Cycle now);
  [[nodiscard]] bool idle() const { return instructions_.in_use() == 0; }
  [[nodiscard]] bool has_unsent() const { return constants_.has_unsent(); }
  void send_waiting() { constants_.send_waiting(); }

  // RegisterPort: load_store_registers.cpp
  [[nodiscard]] RegisterLoad load(const RegisterLine& line, std::uint32_t tag, sim::Cycle now) override;
  [[nodiscard]] bool store(const RegisterLine& line, sim::Cycle now) override;
  [[nodiscard]] bool drop(const RegisterLine& line, sim::Cycle now) override;

 private:
  /// Lines that may still go to the L1 in this cycle.
  [[nodiscard]] unsigned ports_left(sim::Cycle now) const {
    return accessed_at_ == now ? p_.l1.ports - accessed_ : p_.l1.ports.get();
  }
  void take_port(std::uint16_t application, sim::Cycle now) {
    if (accessed_at_ != now) {
      accessed_ = 0;
      ++statistics_.l1_cycles;
    }
    ++accessed_;
    accessed_at_ = now;
    ++statistics_.l1_lines[application];
  }
  void stall(sim::ApplicationCounter& reason, std::uint16_t application) {
    stall_ = &reason;
    stalled_ = application;
  }
  /// Who waits for a line: an instruction, several, or operand storage. Fits into the name of a request.
  enum class Waiter : std::uint32_t { instruction, several, registers };
  static constexpr unsigned kWaiterShift = 26;
  [[nodiscard]] static std::uint32_t waiter(Waiter kind, std::uint32_t index) {
    return static_cast<std::uint32_t>(kind) << kWaiterShift | index;
  }
  [[nodiscard]] static std::uint32_t waiter_of(const LineRequest& line) {
    return line.others == kNone ? waiter(Waiter::instruction, line.first.instruction)
                                : waiter(Waiter::several, line.others);
  }

  // load_store_lines.cpp
  void enqueue(std::uint32_t group);
  void make_lines(const MemoryOperation& operation, LaneMask global, LaneMask local, LineGroup& group);

  // load_store_unit.cpp
  /// What the L1 calls a line that is not translated before it.
  [[nodiscard]] memory::LineTag untranslated_tag(const LineRequest& line, std::uint16_t application) const;
  [[nodiscard]] std::uint32_t next_group(sim::Cycle now);
  [[nodiscard]] std::uint32_t take_first(sim::Cycle now);
  [[nodiscard]] unsigned lines_per_cycle(const MemoryOperation& o, LaneMask global, LaneMask local, MemoryKind kind,
                                         unsigned lines) const;
  [[nodiscard]] std::uint32_t constant_conflicts(const exec::MemoryAccess& access, unsigned lines) const;
  [[nodiscard]] bool access_constants(LineGroup& group, sim::Cycle now);
  void access_lines(std::uint32_t index, sim::Cycle now);
  void tick_translated(sim::Cycle now);
  [[nodiscard]] bool look_up(std::uint32_t index, sim::Cycle now);
  void access_translated(std::uint32_t index, sim::Cycle now);
  /// The group leaves the order of issue until something has ended.
  void send_away(std::uint32_t index, Stage stage);
  /// Whether a line of the group must wait for an earlier one to the same place.
  [[nodiscard]] bool must_wait(const LineGroup& group, const LineRequest& line) const {
    return !away_.empty() && away_.blocks(group, line, groups_);
  }
  void wait_for_registers(const LineGroup& group);
  /// A line that others may have waited for has been to the L1.
  void let_pass(const LineGroup& group, const LineRequest& line);
  /// A group behind the TLB has done what it can for now.
  void leave_translated(std::uint32_t index);
  void leave_coalescer();
  /// Nothing: the line cannot go. Else whether it had to leave the SM.
  [[nodiscard]] std::optional<bool> access_line(const LineGroup& group, const LineRequest& line, memory::LineTag tag,
                                                bool walked, sim::Cycle now);
  /// The name under which the caches have the line of a load, if it is known to be another than its own.
  [[nodiscard]] memory::LineTag leading_name(const LineGroup& group, memory::LineTag tag);
  [[nodiscard]] L1Result send_atomic(const L1Access& access, const LineRequest& line);
  /// In a checked run: the L1 has taken the line.
  void check_order(const LineRequest& line);
  [[nodiscard]] static std::optional<LateTranslation> make_late(const Setup& setup);
  /// In a checked run: one name for all names of the line, unless a virtual L2 says what it means.
  [[nodiscard]] memory::VirtLine checked_name(const LineGroup& group, const LineRequest& line) const;
  /// A line that serves several has come.
  void write_back(const std::vector<Served>& served, sim::Cycle now);
  void instruction_line_done(std::uint32_t index, sim::Cycle now);

  Setup setup_;
  const SmParameters& p_;
  SmStatistics& statistics_;
  EventWheel& events_;
  std::vector<std::uint32_t> outstanding_;
  SharedMemory shared_;
  unsigned constant_line_bytes_;
  MemoryPool instructions_;
  GroupPool groups_;
  PacketPool packets_;
  ServedLists served_;
  std::uint64_t sequence_ = 0;  ///< groups so far
  AwayLines away_;
  std::vector<std::uint32_t> ordered_;  ///< groups that wait for earlier ones
  Ring<std::uint32_t> queue_;           ///< groups in the order of issue
  std::unique_ptr<Coalescer> coalescer_;
  QueuedCoalescer* queued_;               ///< it, if it has queues of its own
  unsigned places_ = 0;                   ///< of the queue, taken by what the coalescer holds
  bool coalescer_busy_ = false;           ///< it holds something
  sim::Cycle free_at_ = 0;                ///< shared memory and constants keep it busy until then
  sim::Cycle takes_at_ = 0;               ///< address generation takes the next instruction no earlier
  sim::Cycle accessed_at_ = sim::kNever;  ///< when a line last went to the L1, and how many did then
  unsigned accessed_ = 0;
  sim::ApplicationCounter* stall_ = nullptr;  ///< why the first line cannot go
  std::uint16_t stalled_ = 0;                 ///< whose it is
  Observers observers_;
  std::optional<LateTranslation> late_;  ///< between a virtual L1 and a physical L2
  L1Cache l1_;
  SynonymTable synonyms_;      ///< of virtual caches
  std::uint64_t changes_ = 0;  ///< stores and atomics under way
  std::optional<TranslationUnit> translation_;
  bool virtual_;  ///< the L1's tags are virtual
  ReadOnlyCache constants_;
  std::map<std::uint16_t, const exec::GlobalMemory*> data_;  ///< of a checked run, by application
  bool checks_order_;                                        ///< see OrderChecker
  OrderChecker order_;                                       ///< of a checked run
  std::optional<MergeStudy> study_;
  std::optional<PageWaits> page_waits_;
  bool too_many_wait_ = false;  ///< for managed pages
};

}  // namespace heddle::core
