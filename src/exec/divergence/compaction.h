// Thread block compaction (Fung and Aamodt, HPCA 2011; Pichai, section 5.1).
//
// There is one reconvergence stack for a whole thread block. The warps of a block wait for each other at each branch
// that may split them (uniform_branches.h), at calls, and where paths meet. If their threads go different ways there,
// each way becomes an entry of the stack, and the one on top runs: its threads are put together into dynamic warps
// (compactor.h), which take the block's slots. So the ways of a block run one after the other; other blocks hide the
// wait.
//
// Details are the paper's as far as known (catalogue of the thesis, ambiguity `tbc_details`). A thread that exits
// leaves all entries. A barrier waits for the threads of the running entry. Kernels with instructions for which lanes
// of a warp meet (shuffles, votes, warp barriers) or with barriers for a number of threads are left alone: their warps
// have a stack each, and the count of blocks says so. Lanes wait for each other in the same places as with a stack, and
// for the whole block: a program whose threads wait for others of their block in a loop may wait for ever.
#pragma once

#include "exec/divergence/compactor.h"
#include "exec/divergence_registry.h"

namespace heddle::exec {

struct CompactionParameters : sim::ParameterGroup {
  using ParameterGroup::ParameterGroup;
  sim::Choice first{
      *this, "first", "fall-through", {"fall-through", "taken"}, "Which side of a branch of two ways runs first."};
  sim::Flag uniform{*this, "uniform", true,
                    "Warps do not wait for each other at branches that, as the code says, never split a block."};
  sim::Parameter<unsigned> formation{
      *this, "formation", 1, {0, 1000}, "core cycles", "Time to form a dynamic warp; they are formed one by one."};
};

struct CompactionStatistics : sim::StatisticGroup {
  using StatisticGroup::StatisticGroup;
  sim::Counter blocks{*this, "blocks", "blocks", "Blocks that were compacted where they diverged."};
  sim::Counter left_alone{*this, "left_alone", "blocks",
                          "Blocks with a stack for each warp, because lanes of a warp meet in their kernel."};
  sim::Counter meetings{*this, "meetings", "times", "Branches and calls at which a block waited for all its warps."};
  sim::Counter divergent{*this, "divergent", "times", "Of those, with threads that went different ways."};
  sim::Counter compactions{*this, "compactions", "times", "Times that threads were put into dynamic warps."};
  sim::Counter apart{*this, "apart", "times", "Of those, without a dynamic warp of threads from several warps."};
  sim::Counter warps{*this, "warps", "dynamic warps", "Dynamic warps formed."};
  sim::Counter threads{*this, "threads", "threads", "Threads in those."};
  sim::Counter static_warps{*this, "static_warps", "warps",
                            "Warps that those threads are from: what a stack would run."};
  sim::Counter too_many{*this, "too_many", "times",
                        "Times that the gate would have formed more warps than the block has slots: none was mixed."};
};

/// What an SM has for it. A derived one may gate who joins whom.
class CompactionUnit : public DivergenceUnit {
 public:
  CompactionUnit(const sim::Context& context, const CompactionParameters& own) : parameters(own), statistics(context) {}
  [[nodiscard]] std::unique_ptr<Divergence> make() final;

  /// A block's warp has this context of the SM from now on.
  virtual void started(unsigned context) { (void)context; }
  /// Whether there is a gate.
  [[nodiscard]] virtual bool gates() const { return false; }
  /// Whether a thread of one warp may join threads of another; both by their contexts on the SM.
  [[nodiscard]] virtual bool may_join(unsigned context, unsigned present, std::uint64_t now) {
    (void)context;
    (void)present;
    (void)now;
    return true;
  }

  /// A gate that looks at these threads of a block, which go on at `pc`, one by one; nullptr if it does not.
  [[nodiscard]] virtual std::unique_ptr<CompactionGate> gate_for(ThreadBlock& block, const BlockMask& threads,
                                                                 std::uint32_t pc) {
    (void)block;
    (void)threads;
    (void)pc;
    return nullptr;
  }

  const CompactionParameters& parameters;
  CompactionStatistics statistics;
};

}  // namespace heddle::exec
