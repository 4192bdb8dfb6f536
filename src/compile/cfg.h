// The control-flow graph: basic blocks, dominators, post-dominators.
#pragma once

#include <vector>

#include "compile/lower.h"
#include "compile/machine_function.h"

namespace heddle::compile {

/// Cuts lowered code into basic blocks, drops unreachable ones and links the rest.
[[nodiscard]] MachineFunction build_blocks(LinearCode&& linear);

/// Fills in successors and predecessors from the last instructions of blocks, whose targets are block numbers.
void link_blocks(MachineFunction& function);

/// Immediate dominators of a graph whose nodes are numbered from 0.
class DominatorTree {
 public:
  DominatorTree(const std::vector<std::vector<std::uint32_t>>& successors, std::uint32_t root);

  /// kNoBlock for the root and for nodes that the root does not reach.
  [[nodiscard]] std::uint32_t parent(std::uint32_t node) const { return parent_[node]; }
  /// Whether every path from the root to b passes a (a node dominates itself).
  [[nodiscard]] bool dominates(std::uint32_t a, std::uint32_t b) const {
    return enter_[a] <= enter_[b] && leave_[b] <= leave_[a];
  }

 private:
  std::vector<std::uint32_t> parent_;
  std::vector<std::uint32_t> enter_;  ///< a walk of the tree enters and leaves a node inside its ancestors' visits
  std::vector<std::uint32_t> leave_;
};

[[nodiscard]] DominatorTree dominators(const MachineFunction& function);
/// Over the reversed graph; node blocks.size() is the exit. Blocks of endless loops count as able to exit.
[[nodiscard]] DominatorTree post_dominators(const MachineFunction& function);

/// How many loops enclose each block (natural loops of back edges).
[[nodiscard]] std::vector<unsigned> loop_depths(const MachineFunction& function, const DominatorTree& dominators);

}  // namespace heddle::compile
