// Plug point: what lies between the load/store unit's queue and the L1, and which lines go next.
//
// The load/store unit hands over the groups that instructions of warps made (each line serves one instruction) in the
// order of issue, and every cycle asks for the group whose lines go to translation and the L1. A coalescer may hand on
// what it got, or put groups of its own in their place, whose lines serve several instructions: then it takes over the
// groups it got and gives them back to the pool, and says in each line whom it serves. Stores and atomics come here
// too.
//
// Shared memory and constants go past the coalescer, but wait in one queue with the others: while can_take() is false,
// what is behind the first global access waits.
#pragma once

#include <memory>
#include <vector>

#include "core/line_group.h"
#include "core/memory_observer.h"
#include "core/warp_scheduler.h"
#include "sim/registry.h"

namespace heddle::core {

struct SmParameters;

/// Lists of instructions that one line serves beside its first.
class ServedLists {
 public:
  [[nodiscard]] std::uint32_t take() {
    const std::uint32_t list = lists_.take();
    lists_.at(list).clear();
    return list;
  }
  void add(std::uint32_t list, const Served& served) { lists_.at(list).push_back(served); }
  [[nodiscard]] const std::vector<Served>& at(std::uint32_t list) const { return lists_.at(list); }
  void release(std::uint32_t list) { lists_.release(list); }

 private:
  Pool<std::vector<Served>> lists_;
};

class Coalescer {
 public:
  struct Setup {
    const SmParameters& parameters;
    MemoryPool& instructions;
    GroupPool& groups;
    ServedLists& served;
    bool checked = false;  ///< the order of accesses is looked at (core/order_checker.h)
  };
  virtual ~Coalescer() = default;
  /// Whether it can take a group now.
  [[nodiscard]] virtual bool can_take() const = 0;
  /// A group of one instruction.
  virtual void add(std::uint32_t group) = 0;
  /// The group whose lines go to the L1 in this cycle; kNone if there is none. It is asked for again in the next cycle
  /// until left() says that it has gone.
  [[nodiscard]] virtual std::uint32_t next(sim::Cycle now) = 0;
  /// The group of the last next() has gone: all its lines have been to the L1, or it waits for walks elsewhere.
  virtual void left() = 0;
  /// Places of the load/store unit's queue that are taken by what it holds.
  [[nodiscard]] virtual unsigned places() const = 0;
  [[nodiscard]] virtual bool empty() const = 0;
  /// While it is not empty: the next cycle after `now` in which next() may give something.
  [[nodiscard]] virtual sim::Cycle wakes_at(sim::Cycle now) const { return now + 1; }
};

/// A coalescer with queues of its own, which goes on while the L1 stalls. Accesses to global and local memory come to
/// it as they issue, and shared memory and constants do not wait behind them.
class QueuedCoalescer : public Coalescer {
 public:
  [[nodiscard]] bool can_take() const final { return true; }
  [[nodiscard]] unsigned places() const final { return 0; }
  /// Of the warps about to load from global or local memory, and of those about to write there or to do what orders
  /// memory (barriers, fences, volatile loads), those that may not issue now.
  [[nodiscard]] virtual WarpSet refuses(WarpSet loads, WarpSet others) const = 0;
  /// Thread block compaction: lanes of these warps run in the slot from now on. At first a slot has its own.
  virtual void slot_has(unsigned slot, WarpSet warps) {
    (void)slot;
    (void)warps;
  }
  /// One cycle, before next() is asked; also while the L1 stalls, if wakes_at() says so.
  virtual void tick(sim::Cycle now) = 0;
  /// The L1 has taken a line of a group that next() gave.
  virtual void taken(const LineGroup& group, const LineRequest& line) {
    (void)group;
    (void)line;
  }
  /// A kernel begins.
  virtual void start_kernel(sim::Cycle now) { (void)now; }
  /// Whether it wants to know how lanes use the words of lines; `whole` as in find_patterns().
  struct Patterns {
    bool wanted = false;
    bool whole = false;
  };
  [[nodiscard]] virtual Patterns patterns() const { return {}; }
  /// Whether the L1 may give back a line in this cycle.
  [[nodiscard]] virtual bool can_return(sim::Cycle now) {
    (void)now;
    return true;
  }
  /// The data of a line that serves several has come: when the first has it. The others follow, so many per cycle.
  [[nodiscard]] virtual sim::Cycle returned(const std::vector<Served>& served, sim::Cycle now) {
    (void)served;
    return now;
  }
  [[nodiscard]] virtual unsigned served_per_cycle() const { return 1; }
  /// Who wants to be told what happens in the L1, if this does.
  [[nodiscard]] virtual MemoryObserver* observer() { return nullptr; }
};

using CoalescerRegistry = sim::Registry<Coalescer, const Coalescer::Setup&>;

}  // namespace heddle::core
