// List scheduling of each block: loads and other long latencies start early, as real assemblers arrange it.
//
// Greedy, top down: of the instructions whose operands are ready, the one with the longest latency to the block's end.
// When the registers alive would exceed what the original order needed anywhere in the function and what costs no
// occupancy, the instruction that frees most goes first instead. Memory operations keep their order where they may
// touch the same bytes.
#include <algorithm>
#include <array>
#include <unordered_map>

#include "compile/liveness.h"
#include "compile/passes.h"

namespace heddle::compile {
namespace {

using isa::Opcode;
using isa::Space;

/// Typical latencies, only to order instructions; the timing model has its own.
unsigned latency(const isa::Instruction& i) {
  switch (i.op) {
    case Opcode::ld:
    case Opcode::atom:
    case Opcode::tex:
      return i.space == Space::shared || i.space == Space::param || i.space == Space::constant ? 24 : 120;
    case Opcode::shfl:
      return 20;
    case Opcode::s2r:
      return 12;
    default:
      break;
  }
  return isa::unit(i.op) == isa::Unit::special ? 16 : 5;
}

bool is_memory(Opcode op) {
  return op == Opcode::ld || op == Opcode::st || op == Opcode::atom || op == Opcode::red || op == Opcode::prefetch ||
         op == Opcode::tex;
}

/// Instructions that nothing may cross.
bool is_fixed(const isa::Instruction& i) {
  switch (i.op) {
    case Opcode::bar:
    case Opcode::barwarp:
    case Opcode::call:
    case Opcode::callx:
    case Opcode::syscall:
    case Opcode::fence:
    case Opcode::nanosleep:
    case Opcode::trap:
    case Opcode::nop:
      return true;
    case Opcode::s2r:
      return i.special == isa::SpecialRegister::clock || i.special == isa::SpecialRegister::clock64 ||
             i.special == isa::SpecialRegister::clock_hi || i.special == isa::SpecialRegister::globaltimer ||
             i.special == isa::SpecialRegister::globaltimer_lo || i.special == isa::SpecialRegister::globaltimer_hi;
    default:
      return ends_block(i.op) || counts_from_frame_end(i);
  }
}

/// Spaces as a set of bits, so that "may touch the same bytes" is an intersection.
unsigned spaces(const isa::Instruction& i) {
  if (i.non_coherent) return 0;
  switch (i.space) {
    case Space::generic:
      return 7;
    case Space::global:
      return 1;
    case Space::shared:
      return 2;
    case Space::local:
      return 4;
    default:
      return 0;
  }
}

unsigned width(RegisterClass c) { return c == RegisterClass::pair ? 2 : c == RegisterClass::gpr ? 1 : 0; }

struct Node {
  std::vector<std::pair<std::uint32_t, unsigned>> successors;  ///< and the latency of the edge
  unsigned predecessors = 0;
  unsigned height = 0;  ///< longest latency to the end of the block
  unsigned ready_at = 0;
};

class BlockScheduler {
 public:
  BlockScheduler(const MachineFunction& f, Block& block, const BitSet& live_out, unsigned pressure_limit)
      : f_(f), code_(block.code), live_out_(live_out), limit_(pressure_limit), nodes_(block.code.size()) {}

  void run(Block& block) {
    build();
    for (std::size_t i = nodes_.size(); i-- > 0;) {
      for (const auto& [s, cost] : nodes_[i].successors)
        nodes_[i].height = std::max(nodes_[i].height, nodes_[s].height + cost);
    }
    block.code = order();
  }

 private:
  void edge(std::uint32_t from, std::uint32_t to, unsigned cost) {
    if (from == to) return;
    nodes_[from].successors.emplace_back(to, cost);
    ++nodes_[to].predecessors;
  }

  void build() {
    struct Access {
      std::uint32_t definition = isa::kNoRegister;
      std::vector<std::uint32_t> uses;
    };
    std::unordered_map<std::uint32_t, Access> registers;
    std::vector<std::uint32_t> loads;
    std::vector<std::uint32_t> stores;
    std::uint32_t last_fixed = isa::kNoRegister;
    for (std::uint32_t n = 0; n < code_.size(); ++n) {
      const isa::Instruction& i = code_[n];
      const auto use = [&](std::uint32_t r) {
        Access& access = registers[r];
        if (access.definition != isa::kNoRegister) edge(access.definition, n, latency(code_[access.definition]));
        access.uses.push_back(n);
      };
      for_each_use(i, use);
      if (is_partial(i)) for_each_definition(i, use);
      for_each_definition(i, [&](std::uint32_t r) {
        Access& access = registers[r];
        if (access.definition != isa::kNoRegister) edge(access.definition, n, 1);
        for (const std::uint32_t u : access.uses) edge(u, n, 0);
        access.uses.clear();
        access.definition = n;
      });
      if (is_memory(i.op)) order_memory(n, loads, stores);
      if (is_fixed(i)) {
        for (std::uint32_t before = last_fixed == isa::kNoRegister ? 0 : last_fixed; before < n; ++before)
          edge(before, n, 0);
        last_fixed = n;
        loads.clear();
        stores.clear();
      } else if (last_fixed != isa::kNoRegister) {
        edge(last_fixed, n, 0);
      }
    }
  }

  void order_memory(std::uint32_t n, std::vector<std::uint32_t>& loads, std::vector<std::uint32_t>& stores) {
    const isa::Instruction& i = code_[n];
    const bool reads_only = (i.op == Opcode::ld || i.op == Opcode::prefetch || i.op == Opcode::tex) && !i.is_volatile;
    const unsigned touched = i.is_volatile ? 7 : spaces(i);
    for (const std::uint32_t s : stores) {
      if ((spaces(code_[s]) & touched) != 0 || code_[s].is_volatile) edge(s, n, 1);
    }
    if (reads_only) {
      loads.push_back(n);
      return;
    }
    for (const std::uint32_t l : loads) {
      if ((spaces(code_[l]) & touched) != 0) edge(l, n, 0);
    }
    stores.push_back(n);
  }

  /// Change in live 32-bit registers if instruction n went next.
  [[nodiscard]] int pressure_change(std::uint32_t n) const {
    int change = 0;
    std::array<std::uint32_t, 12> seen{};
    std::size_t count = 0;
    for_each_use(code_[n], [&](std::uint32_t r) {
      if (std::find(seen.begin(), seen.begin() + count, r) != seen.begin() + count) return;
      seen[count++] = r;
      if (remaining_.at(r) == 1 && !live_out_.contains(r)) change -= static_cast<int>(width(f_.registers[r]));
    });
    for_each_definition(code_[n], [&](std::uint32_t r) {
      if (!alive_.contains(r)) change += static_cast<int>(width(f_.registers[r]));
    });
    return change;
  }

  std::vector<isa::Instruction> order() {
    for (const isa::Instruction& i : code_) {
      std::array<std::uint32_t, 12> seen{};
      std::size_t count = 0;
      for_each_use(i, [&](std::uint32_t r) {
        if (std::find(seen.begin(), seen.begin() + count, r) != seen.begin() + count) return;
        seen[count++] = r;
        ++remaining_[r];
      });
    }
    alive_ = BitSet(f_.registers.size());
    BitSet defined(f_.registers.size());
    int pressure = 0;
    const auto revive = [&](std::size_t r) {
      if (!alive_.contains(r)) {
        alive_.insert(r);
        pressure += static_cast<int>(width(f_.registers[r]));
      }
    };
    // What is alive at the start: read before written, or only passing through.
    for (const isa::Instruction& i : code_) {
      for_each_use(i, [&](std::uint32_t r) {
        if (!defined.contains(r)) revive(r);
      });
      for_each_definition(i, [&](std::uint32_t r) { defined.insert(r); });
    }
    live_out_.for_each([&](std::size_t r) {
      if (!defined.contains(r)) revive(r);
    });

    std::vector<std::uint32_t> ready;
    for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
      if (nodes_[n].predecessors == 0) ready.push_back(n);
    }
    std::vector<isa::Instruction> result;
    result.reserve(code_.size());
    unsigned now = 0;
    while (!ready.empty()) {
      const bool tight = pressure >= static_cast<int>(limit_);
      auto best = ready.begin();
      if (tight) {
        int best_change = pressure_change(*best);
        for (auto it = ready.begin() + 1; it != ready.end(); ++it) {
          const int change = pressure_change(*it);
          if (change < best_change || (change == best_change && *it < *best)) {
            best = it;
            best_change = change;
          }
        }
      } else {
        const auto better = [&](std::uint32_t a, std::uint32_t b) {
          const bool a_ready = nodes_[a].ready_at <= now;
          const bool b_ready = nodes_[b].ready_at <= now;
          if (a_ready != b_ready) return a_ready;
          if (!a_ready && nodes_[a].ready_at != nodes_[b].ready_at) return nodes_[a].ready_at < nodes_[b].ready_at;
          if (nodes_[a].height != nodes_[b].height) return nodes_[a].height > nodes_[b].height;
          return a < b;
        };
        for (auto it = ready.begin() + 1; it != ready.end(); ++it) {
          if (better(*it, *best)) best = it;
        }
      }
      const std::uint32_t n = *best;
      ready.erase(best);
      now = std::max(now, nodes_[n].ready_at) + 1;
      pressure += pressure_change(n);
      retire(n);
      result.push_back(code_[n]);
      for (const auto& [s, cost] : nodes_[n].successors) {
        nodes_[s].ready_at = std::max(nodes_[s].ready_at, now - 1 + cost);
        if (--nodes_[s].predecessors == 0) ready.push_back(s);
      }
    }
    return result;
  }

  void retire(std::uint32_t n) {
    std::array<std::uint32_t, 12> seen{};
    std::size_t count = 0;
    for_each_use(code_[n], [&](std::uint32_t r) {
      if (std::find(seen.begin(), seen.begin() + count, r) != seen.begin() + count) return;
      seen[count++] = r;
      if (--remaining_[r] == 0 && !live_out_.contains(r)) alive_.erase(r);
    });
    for_each_definition(code_[n], [&](std::uint32_t r) { alive_.insert(r); });
  }

  const MachineFunction& f_;
  std::vector<isa::Instruction> code_;
  const BitSet& live_out_;
  unsigned limit_;
  std::vector<Node> nodes_;
  std::unordered_map<std::uint32_t, unsigned> remaining_;
  BitSet alive_;
};

/// Most 32-bit registers alive at once in the order given.
unsigned max_pressure(const MachineFunction& f, const Liveness& live) {
  unsigned most = 0;
  for (std::size_t b = 0; b < f.blocks.size(); ++b) {
    BitSet alive = live.out[b];
    unsigned now = 0;
    alive.for_each([&](std::size_t r) { now += width(f.registers[r]); });
    most = std::max(most, now);
    for (std::size_t i = f.blocks[b].code.size(); i-- > 0;) {
      const isa::Instruction& instruction = f.blocks[b].code[i];
      if (!is_partial(instruction)) {
        for_each_definition(instruction, [&](std::uint32_t r) {
          if (alive.contains(r)) now -= width(f.registers[r]);
          alive.erase(r);
        });
      }
      for_each_use(instruction, [&](std::uint32_t r) {
        if (!alive.contains(r)) now += width(f.registers[r]);
        alive.insert(r);
      });
      most = std::max(most, now);
    }
  }
  return most;
}

/// Blocks longer than this keep their order: the quadratic parts of list scheduling would dominate compile time.
constexpr std::size_t kLongestBlock = 4000;

}  // namespace

void schedule(MachineFunction& function) {
  const Liveness live = live_virtual(function);
  const unsigned original = max_pressure(function, live);
  const unsigned limit = std::min(std::max(original, function.free_registers),
                                  function.register_limit > 8 ? function.register_limit - 8 : 1);
  for (std::size_t b = 0; b < function.blocks.size(); ++b) {
    Block& block = function.blocks[b];
    if (block.code.size() < 3 || block.code.size() > kLongestBlock) continue;
    BlockScheduler(function, block, live.out[b], limit).run(block);
  }
}

}  // namespace heddle::compile
