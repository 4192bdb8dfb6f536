// Plug point: where the operands of instructions come from, and where results go.
//
// One object per SM. It says whether a block's registers fit, which warps may not issue, and, when an instruction
// issues, in which cycle its operands are there and it goes to its pipe. Memory instructions and shuffles are told of
// like all others. What keeps a warp from issuing is data of this class, so that asking costs nothing.
#pragma once

#include <cstdint>
#include <memory>

#include "base/types.h"
#include "core/warp_scheduler.h"
#include "memory/line.h"
#include "sim/registry.h"

namespace heddle::exec {
class Warp;
}

namespace heddle::core {

struct KernelInstance;
struct SmParameters;
struct SmStatistics;
struct TimedOp;

struct RegisterLine {
  memory::PhysLine line;      ///< where registers lie in memory is up to the storage
  std::uint32_t sectors = 0;  ///< units of memory::kSectorUnit
  std::uint16_t application = 0;
};

/// What became of a load of registers.
enum class RegisterLoad : std::uint8_t {
  refused,  ///< not in this cycle
  here,     ///< the L1 has it
  asked,    ///< the L1 has asked the L2
};

/// A way into the SM's L1 for registers that are kept in memory. Data go first, and registers get what cycles they
/// leave, unless the storage goes_first().
/// Lines of registers are written back, whatever the L1 does with stores.
class RegisterPort {
 public:
  virtual ~RegisterPort() = default;
  /// OperandStorage::loaded() will name the tag, which has at most 26 bits.
  [[nodiscard]] virtual RegisterLoad load(const RegisterLine& line, std::uint32_t tag, sim::Cycle now) = 0;
  /// False: not in this cycle.
  [[nodiscard]] virtual bool store(const RegisterLine& line, sim::Cycle now) = 0;
  /// The L1 forgets the line, written or not. False: not in this cycle.
  [[nodiscard]] virtual bool drop(const RegisterLine& line, sim::Cycle now) = 0;
};

/// An instruction that issues, for storage that follows what warps execute.
struct FollowedIssue {
  unsigned warp = 0;
  std::uint32_t pc = 0;
  const TimedOp& op;
  exec::Warp& state;    ///< of the warp: before it executes, or after
  LaneMask lanes = 0;   ///< that execute it
  bool writes = false;  ///< wrote() will tell of its results
  sim::Cycle now = 0;
};

class OperandStorage {
 public:
  struct Setup {
    const SmParameters& parameters;
    SmStatistics& statistics;
    unsigned sm = 0;
    bool checked = false;  ///< compare what it has with what it should have
  };
  virtual ~OperandStorage() = default;

  /// Whether the registers of another block fit; registers are counted per thread.
  [[nodiscard]] virtual bool fits(unsigned registers, unsigned warps) const = 0;
  virtual void block_started(unsigned registers, unsigned warps) = 0;
  virtual void block_ended(unsigned registers, unsigned warps) = 0;
  /// `state` stays until the warp ends.
  virtual void warp_started(unsigned warp, const KernelInstance& kernel, exec::Warp& state) {
    (void)warp;
    (void)kernel;
    (void)state;
  }
  virtual void warp_ended(unsigned warp) { (void)warp; }
  /// The warp has been stopped, because its block is to be taken out, and has no instruction under way: nothing more is
  /// begun for it. Whether nothing is under way for it. Asked again until it says so.
  [[nodiscard]] virtual bool leaves(unsigned warp) {
    (void)warp;
    return true;
  }

  /// Warps that may not issue now, whatever they want to.
  [[nodiscard]] WarpSet barred() const { return barred_; }
  /// From which cycle on it can collect the operands of another instruction.
  [[nodiscard]] sim::Cycle collects_from() const { return collects_from_; }

  /// An instruction issues, and its pipe can take it from `pipe` on: the cycle in which it goes there with its
  /// operands.
  [[nodiscard]] virtual sim::Cycle dispatch(unsigned warp, const TimedOp& op, sim::Cycle pipe, sim::Cycle now) = 0;
  /// Only if it follows(): an instruction is about to execute, and has executed.
  virtual void issuing(const FollowedIssue& issue) { (void)issue; }
  virtual void issued(const FollowedIssue& issue) { (void)issue; }
  /// Only if it follows(): an instruction was about to execute and does not, because its lanes wait for others of their
  /// warp. The warp goes on elsewhere, or here with more lanes.
  virtual void gave_way(unsigned warp, sim::Cycle now) {
    (void)warp;
    (void)now;
  }
  /// Only if it follows(): the warp waits for nobody, and its next instruction has been fetched. May be said again.
  virtual void fetched(unsigned warp, sim::Cycle now) {
    (void)warp;
    (void)now;
  }
  /// Its results are written.
  virtual void wrote(unsigned warp, const TimedOp& op, sim::Cycle now) {
    (void)warp;
    (void)op;
    (void)now;
  }
  /// What it asked for through the register port has come.
  virtual void loaded(std::uint32_t tag, sim::Cycle now) {
    (void)tag;
    (void)now;
  }
  /// When tick() has something to do; kNever if nothing.
  [[nodiscard]] sim::Cycle wakes_at() const { return wakes_at_; }
  virtual void tick(sim::Cycle now, RegisterPort& port) {
    (void)now;
    (void)port;
  }
  /// Whether tick() comes before the load/store unit's, so that registers have the L1 first.
  [[nodiscard]] bool goes_first() const { return goes_first_; }
  /// Whether it wants to be told of wrote().
  [[nodiscard]] bool wants_writes() const { return wants_writes_; }
  /// Whether it wants to be told what warps execute.
  [[nodiscard]] bool follows() const { return follows_; }

 protected:
  WarpSet barred_ = 0;
  sim::Cycle collects_from_ = 0;
  sim::Cycle wakes_at_ = sim::kNever;
  bool wants_writes_ = false;
  bool follows_ = false;
  bool goes_first_ = false;
};

using OperandStorageRegistry = sim::Registry<OperandStorage, const OperandStorage::Setup&>;

}  // namespace heddle::core
