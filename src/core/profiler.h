// Which instructions the issue slots of an SM went to. There is one only in a run that is profiled.
//
// A slot in which an instruction issues is that instruction's. A slot that is lost is shared equally by the warps that
// wait for the reason that the SM gives (core/sm_statistics.h). Of a warp that waits for a result or for data from
// memory it goes to the instruction that is waited for: of several, the one that issued first. Of a warp at a barrier
// or a fence it goes to that; of all others to the instruction that waits to issue.
//
// Where lanes of several warps issue together (thread block compaction), waiting for a result or for data counts for
// the instruction that waits.
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "core/kernel.h"
#include "core/memory_instruction.h"
#include "core/memory_observer.h"
#include "core/profile.h"
#include "core/warp_scheduler.h"

namespace heddle::core {

class Profiler final : public MemoryObserver {
 public:
  explicit Profiler(unsigned schedulers) : schedulers_(schedulers) {}

  /// A context has a warp of this kernel from here on.
  void started(unsigned warp, const KernelInstance& kernel);
  void issued(unsigned warp, std::uint32_t pc, const RegisterSet& writes, unsigned lanes);

  // Once per cycle in which something happens, after issue: who has the slots until the next such cycle.
  /// The scheduler issues, or goes on with a sequence.
  void took_slot(unsigned scheduler);
  /// Nobody yet is to blame for the slot that this scheduler lost.
  void lost_slot(unsigned scheduler) { blamed_[scheduler].clear(); }
  /// An instruction of the warp is; the one that is waited for, of those that write such registers.
  void blame(unsigned scheduler, unsigned warp, std::uint32_t pc) { blamed_[scheduler].push_back(&at(warp, pc)); }
  void blame_writer(unsigned scheduler, unsigned warp, const RegisterSet& waited);
  void blame_last(unsigned scheduler, unsigned warp);
  /// So much time has passed.
  void passed(unsigned scheduler, Slot slot, sim::Cycle cycles);

  // Memory.
  void accessed(unsigned warp, std::uint32_t pc, std::size_t lines, unsigned pages);
  void looked_up_l1(const MemoryInstruction& instruction, bool hit);
  void loaded(unsigned warp, std::uint32_t pc, sim::Cycle latency);
  void conflicts(unsigned warp, std::uint32_t pc, unsigned cycles) { at(warp, pc).shared_conflicts += cycles; }
  /// The instructions that lookups name.
  void watch(const MemoryPool& instructions) { instructions_ = &instructions; }
  void tlb(const TlbLookup& lookup) override;

  /// Adds what it has counted.
  void add_to(Profile& profile) const;

 private:
  static constexpr std::uint32_t kUnseen = ~std::uint32_t{0};
  struct Table {
    Profile::KernelKey kernel;
    std::vector<std::uint32_t> index;        ///< by instruction: its place below
    std::deque<InstructionProfile> counts;   ///< of those that were seen: they stay where they are
    std::vector<std::uint32_t> instruction;  ///< the number of each
  };
  struct Writer {
    InstructionProfile* at = nullptr;
    std::uint64_t order = 0;  ///< grows with every instruction that issues
  };
  static constexpr std::size_t kRegisters = 5 * 64;  ///< of a RegisterSet
  struct Context {
    Table* table = nullptr;
    InstructionProfile* last = nullptr;  ///< issued last
    std::array<Writer, kRegisters> writers{};
  };

  [[nodiscard]] InstructionProfile& at(unsigned warp, std::uint32_t pc);

  unsigned schedulers_;
  std::deque<Table> tables_;
  std::vector<Context> contexts_ = std::vector<Context>(64);
  std::array<std::vector<InstructionProfile*>, kMostSchedulers> blamed_;
  std::array<InstructionProfile*, kMostSchedulers> issued_{};  ///< in this cycle, the first
  std::array<InstructionProfile*, kMostSchedulers> latest_{};  ///< issued last
  std::array<std::uint64_t, kMostSchedulers> turn_{};          ///< who of several gets what does not divide
  SlotCounts unplaced_{};
  std::uint64_t order_ = 0;
  const MemoryPool* instructions_ = nullptr;
};

}  // namespace heddle::core
