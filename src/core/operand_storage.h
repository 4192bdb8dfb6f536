// Plug point: where the operands of instructions come from, and where results go.
//
// One object per SM. It says whether a block's registers fit, which warps may not issue, and, when an instruction
// issues, in which cycle its operands are there and it goes to its pipe. Memory instructions and shuffles are told of
// like all others. What keeps a warp from issuing is data of this class, so that asking costs nothing.
#pragma once

#include <cstdint>
#include <memory>

#include "core/warp_scheduler.h"
#include "memory/line.h"
#include "sim/registry.h"

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

/// A way into the SM's L1 for registers that are kept in memory.
class RegisterPort {
 public:
  virtual ~RegisterPort() = default;
  /// False: not in this cycle. OperandStorage::loaded() will name the tag, which has at most 26 bits.
  [[nodiscard]] virtual bool load(const RegisterLine& line, std::uint32_t tag, sim::Cycle now) = 0;
  [[nodiscard]] virtual bool store(const RegisterLine& line, sim::Cycle now) = 0;
};

class OperandStorage {
 public:
  struct Setup {
    const SmParameters& parameters;
    SmStatistics& statistics;
  };
  virtual ~OperandStorage() = default;

  /// Whether the registers of another block fit; registers are counted per thread.
  [[nodiscard]] virtual bool fits(unsigned registers, unsigned warps) const = 0;
  virtual void block_started(unsigned registers, unsigned warps) = 0;
  virtual void block_ended(unsigned registers, unsigned warps) = 0;
  virtual void warp_started(unsigned warp, const KernelInstance& kernel) {
    (void)warp;
    (void)kernel;
  }
  virtual void warp_ended(unsigned warp) { (void)warp; }

  /// Warps that may not issue now, whatever they want to.
  [[nodiscard]] WarpSet barred() const { return barred_; }
  /// From which cycle on it can collect the operands of another instruction.
  [[nodiscard]] sim::Cycle collects_from() const { return collects_from_; }

  /// An instruction issues, and its pipe can take it from `pipe` on: the cycle in which it goes there with its
  /// operands.
  [[nodiscard]] virtual sim::Cycle dispatch(unsigned warp, const TimedOp& op, sim::Cycle pipe, sim::Cycle now) = 0;
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
  /// Whether it wants to be told of wrote().
  [[nodiscard]] bool wants_writes() const { return wants_writes_; }

 protected:
  WarpSet barred_ = 0;
  sim::Cycle collects_from_ = 0;
  sim::Cycle wakes_at_ = sim::kNever;
  bool wants_writes_ = false;
};

using OperandStorageRegistry = sim::Registry<OperandStorage, const OperandStorage::Setup&>;

}  // namespace heddle::core
