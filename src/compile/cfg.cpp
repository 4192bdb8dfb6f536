#include "compile/cfg.h"

#include <algorithm>

namespace heddle::compile {
namespace {

using isa::Opcode;

std::vector<std::uint32_t> reverse_post_order(const std::vector<std::vector<std::uint32_t>>& successors,
                                              std::uint32_t root) {
  std::vector<std::uint32_t> order;
  std::vector<std::uint8_t> seen(successors.size(), 0);
  std::vector<std::pair<std::uint32_t, std::size_t>> stack{{root, 0}};
  seen[root] = 1;
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    if (next < successors[node].size()) {
      const std::uint32_t s = successors[node][next++];
      if (seen[s] == 0) {
        seen[s] = 1;
        stack.emplace_back(s, 0);
      }
    } else {
      order.push_back(node);
      stack.pop_back();
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

std::vector<std::vector<std::uint32_t>> successor_lists(const MachineFunction& function) {
  std::vector<std::vector<std::uint32_t>> lists;
  lists.reserve(function.blocks.size());
  for (const Block& block : function.blocks) lists.push_back(block.successors);
  return lists;
}

/// A jump to a bare `ret` or `exit` becomes that instruction, so that lanes which leave do not keep the point where the
/// others meet again behind them.
void replace_jumps_to_end(LinearCode& linear) {
  for (isa::Instruction& i : linear.code) {
    if (i.op != Opcode::bra || linear.label_position[i.target] >= linear.code.size()) continue;
    const isa::Instruction& to = linear.code[linear.label_position[i.target]];
    if ((to.op != Opcode::ret && to.op != Opcode::exit) || to.guard.exists()) continue;
    i.op = to.op;
    i.target = isa::kNoPc;
  }
}

bool leaves(const Block& block) {
  if (block.code.empty()) return false;
  const Opcode op = block.code.back().op;
  return op == Opcode::ret || op == Opcode::exit || op == Opcode::trap;
}

/// Removes blocks that the entry does not reach and renumbers the rest in order.
void drop_unreachable(MachineFunction& f) {
  std::vector<std::uint8_t> reachable(f.blocks.size(), 0);
  for (const std::uint32_t b : reverse_post_order(successor_lists(f), 0)) reachable[b] = 1;
  std::vector<std::uint32_t> renumber(f.blocks.size(), kNoBlock);
  std::vector<Block> kept;
  for (std::uint32_t b = 0; b < f.blocks.size(); ++b) {
    if (reachable[b] == 0) continue;
    renumber[b] = static_cast<std::uint32_t>(kept.size());
    kept.push_back(std::move(f.blocks[b]));
  }
  for (Block& block : kept) {
    if (!block.code.empty() && block.code.back().op == Opcode::bra)
      block.code.back().target = renumber[block.code.back().target];
  }
  for (auto& table : f.branch_tables) {
    for (std::uint32_t& target : table) target = renumber[target] == kNoBlock ? 0 : renumber[target];
  }
  f.blocks = std::move(kept);
  link_blocks(f);
}

}  // namespace

void link_blocks(MachineFunction& f) {
  for (Block& block : f.blocks) {
    block.successors.clear();
    block.predecessors.clear();
  }
  std::vector<std::uint32_t> added_by(f.blocks.size(), kNoBlock);
  for (std::uint32_t b = 0; b < f.blocks.size(); ++b) {
    Block& block = f.blocks[b];
    const auto add = [&](std::uint32_t successor) {
      if (added_by[successor] != b) block.successors.push_back(successor);
      added_by[successor] = b;
    };
    const isa::Instruction* last = block.code.empty() ? nullptr : &block.code.back();
    bool falls_through = true;
    if (last != nullptr && ends_block(last->op)) {
      if (last->op == Opcode::bra) add(last->target);
      if (last->op == Opcode::brx) {
        for (const std::uint32_t target : f.branch_tables[last->target]) add(target);
      }
      falls_through = last->guard.exists();
    }
    if (falls_through && b + 1 < f.blocks.size()) add(b + 1);
    for (const std::uint32_t s : block.successors) f.blocks[s].predecessors.push_back(b);
  }
}

MachineFunction build_blocks(LinearCode&& linear) {
  replace_jumps_to_end(linear);
  MachineFunction f = std::move(linear.function);
  const auto size = static_cast<std::uint32_t>(linear.code.size());
  std::vector<std::uint8_t> leader(size + 1, 0);
  leader[0] = 1;
  const auto lead_label = [&](std::uint32_t label) { leader[std::min(linear.label_position[label], size)] = 1; };
  for (std::uint32_t i = 0; i < size; ++i) {
    const isa::Instruction& instruction = linear.code[i];
    if (!ends_block(instruction.op)) continue;
    leader[i + 1] = 1;
    if (instruction.op == Opcode::bra) lead_label(instruction.target);
    if (instruction.op == Opcode::brx) {
      for (const std::uint32_t label : linear.branch_tables[instruction.target]) lead_label(label);
    }
  }
  std::vector<std::uint32_t> block_at(size + 1, 0);
  for (std::uint32_t i = 0; i < size; ++i) {
    if (leader[i] != 0) f.blocks.emplace_back();
    block_at[i] = static_cast<std::uint32_t>(f.blocks.size() - 1);
    f.blocks.back().code.push_back(linear.code[i]);
  }
  // The lowering ends every body with ret or exit, so a label at the very end stands before that instruction.
  block_at[size] = static_cast<std::uint32_t>(f.blocks.size() - 1);
  const auto block_of_label = [&](std::uint32_t label) {
    return block_at[std::min(linear.label_position[label], size)];
  };
  for (Block& block : f.blocks) {
    isa::Instruction& last = block.code.back();
    if (last.op == Opcode::bra) last.target = block_of_label(last.target);
  }
  for (const auto& labels : linear.branch_tables) {
    auto& table = f.branch_tables.emplace_back();
    for (const std::uint32_t label : labels) table.push_back(block_of_label(label));
  }
  link_blocks(f);
  drop_unreachable(f);
  return f;
}

DominatorTree::DominatorTree(const std::vector<std::vector<std::uint32_t>>& successors, std::uint32_t root)
    : parent_(successors.size(), kNoBlock), enter_(successors.size(), 0), leave_(successors.size(), 0) {
  // Cooper, Harvey, Kennedy: "A Simple, Fast Dominance Algorithm".
  const std::vector<std::uint32_t> order = reverse_post_order(successors, root);
  std::vector<std::uint32_t> number(successors.size(), kNoBlock);
  for (std::uint32_t i = 0; i < order.size(); ++i) number[order[i]] = i;
  std::vector<std::vector<std::uint32_t>> predecessors(successors.size());
  for (const std::uint32_t node : order) {
    for (const std::uint32_t s : successors[node]) predecessors[s].push_back(node);
  }
  std::vector<std::uint32_t> idom(successors.size(), kNoBlock);
  idom[root] = root;
  const auto intersect = [&](std::uint32_t a, std::uint32_t b) {
    while (a != b) {
      while (number[a] > number[b]) a = idom[a];
      while (number[b] > number[a]) b = idom[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::uint32_t node : order) {
      if (node == root) continue;
      std::uint32_t best = kNoBlock;
      for (const std::uint32_t p : predecessors[node]) {
        if (idom[p] == kNoBlock) continue;
        best = best == kNoBlock ? p : intersect(p, best);
      }
      if (idom[node] != best) {
        idom[node] = best;
        changed = true;
      }
    }
  }
  std::vector<std::vector<std::uint32_t>> children(successors.size());
  for (const std::uint32_t node : order) {
    if (node == root) continue;
    parent_[node] = idom[node];
    children[idom[node]].push_back(node);
  }
  std::uint32_t clock = 0;
  std::vector<std::pair<std::uint32_t, std::size_t>> stack{{root, 0}};
  enter_[root] = ++clock;
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    if (next < children[node].size()) {
      const std::uint32_t child = children[node][next++];
      enter_[child] = ++clock;
      stack.emplace_back(child, 0);
    } else {
      leave_[node] = ++clock;
      stack.pop_back();
    }
  }
}

DominatorTree dominators(const MachineFunction& function) { return {successor_lists(function), 0}; }

DominatorTree post_dominators(const MachineFunction& function) {
  const auto count = static_cast<std::uint32_t>(function.blocks.size());
  std::vector<std::vector<std::uint32_t>> reversed(count + 1);
  for (std::uint32_t b = 0; b < count; ++b) {
    for (const std::uint32_t s : function.blocks[b].successors) reversed[s].push_back(b);
    const Block& block = function.blocks[b];
    if (block.successors.empty() || (leaves(block) && !block.code.back().guard.exists())) reversed[count].push_back(b);
  }
  for (;;) {
    std::vector<std::uint8_t> reached(count + 1, 0);
    for (const std::uint32_t node : reverse_post_order(reversed, count)) reached[node] = 1;
    // Blocks that end in a loop without an unconditional way out. The loop ends where it leaves under a condition, so
    // that counts as its end; only one without any is cut at an arbitrary block.
    std::uint32_t stuck = kNoBlock;
    bool found_end = false;
    for (std::uint32_t b = 0; b < count; ++b) {
      if (reached[b] != 0) continue;
      stuck = b;
      if (!leaves(function.blocks[b])) continue;
      found_end = true;
      reversed[count].push_back(b);
    }
    if (stuck == kNoBlock) break;
    if (!found_end) reversed[count].push_back(stuck);
  }
  return {reversed, count};
}

std::vector<unsigned> loop_depths(const MachineFunction& function, const DominatorTree& dominators) {
  std::vector<unsigned> depth(function.blocks.size(), 0);
  for (std::uint32_t tail = 0; tail < function.blocks.size(); ++tail) {
    for (const std::uint32_t head : function.blocks[tail].successors) {
      if (!dominators.dominates(head, tail)) continue;
      std::vector<std::uint8_t> in_loop(function.blocks.size(), 0);
      std::vector<std::uint32_t> pending{tail};
      in_loop[head] = 1;
      while (!pending.empty()) {
        const std::uint32_t b = pending.back();
        pending.pop_back();
        if (in_loop[b] != 0) continue;
        in_loop[b] = 1;
        for (const std::uint32_t p : function.blocks[b].predecessors) pending.push_back(p);
      }
      for (std::size_t b = 0; b < depth.size(); ++b) depth[b] += in_loop[b];
    }
  }
  return depth;
}

}  // namespace heddle::compile
