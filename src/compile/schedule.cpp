// List scheduling of each block: loads and other long latencies start early, as real assemblers arrange it.
//
// Greedy, top down: of the instructions whose operands are ready, the one with the longest latency to the block's end.
// When the registers alive would exceed a limit, the instruction that frees most goes first instead. Memory operations
// keep their order where they may touch the same bytes.
//
// The limit is what the original order needed anywhere in the function, or what costs no occupancy. Where it makes
// loops long, larger ones can be tried: the best is that with the least time per round, if so many warps as have room
// hide each other's latencies.
#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "compile/cfg.h"
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
  BlockScheduler(const MachineFunction& f, const Block& block, const BitSet& live_out, unsigned pressure_limit)
      : f_(f), code_(block.code), live_out_(live_out), limit_(pressure_limit), nodes_(block.code.size()) {}

  struct Result {
    std::vector<isa::Instruction> code;
    unsigned length = 0;   ///< issue slots, as one warp sees it
    bool limited = false;  ///< by registers
  };
  [[nodiscard]] Result run() {
    build();
    for (std::size_t i = nodes_.size(); i-- > 0;) {
      for (const auto& [s, cost] : nodes_[i].successors)
        nodes_[i].height = std::max(nodes_[i].height, nodes_[s].height + cost);
    }
    Result result;
    result.code = order(result);
    return result;
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
      if (is_fixed(i) || (f_.branching_divisions && may_branch(i))) {
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
      if (f_.apart_by_offset && are_apart(s, n)) continue;
      if ((spaces(code_[s]) & touched) != 0 || code_[s].is_volatile) edge(s, n, 1);
    }
    if (reads_only) {
      loads.push_back(n);
      return;
    }
    for (const std::uint32_t l : loads) {
      if (f_.apart_by_offset && are_apart(l, n)) continue;
      if ((spaces(code_[l]) & touched) != 0) edge(l, n, 0);
    }
    stores.push_back(n);
  }

  /// Whether two accesses have the same address but for offsets so different that their bytes do not overlap. Where
  /// something writes the register of the address between them, that keeps them in order.
  [[nodiscard]] bool are_apart(std::uint32_t a, std::uint32_t b) const {
    const isa::Instruction& one = code_[a];
    const isa::Instruction& other = code_[b];
    const auto is_plain = [](const isa::Instruction& i) {
      return (i.op == Opcode::ld || i.op == Opcode::st) && !i.is_volatile && i.scope == isa::Scope::none;
    };
    if (!is_plain(one) || !is_plain(other) || one.space != other.space || !one.src[0].is_register()) return false;
    if (one.src[0].kind != other.src[0].kind || one.src[0].index != other.src[0].index) return false;
    const auto bytes = [](const isa::Instruction& i) { return std::int64_t{isa::size_of(i.type)} * i.vector; };
    return one.offset + bytes(one) <= other.offset || other.offset + bytes(other) <= one.offset;
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

  std::vector<isa::Instruction> order(Result& summary) {
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
      summary.limited = summary.limited || (tight && ready.size() > 1);
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
    summary.length = now;
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

/// A function's blocks in the order for some limit of registers.
class Schedule {
 public:
  Schedule(const MachineFunction& function, const Liveness& live, const std::vector<unsigned>& depths)
      : function_(&function), live_(&live), depths_(&depths), blocks_(function.blocks.size()) {}

  /// Blocks that the last limit did not concern stay as they are.
  void make(unsigned limit) {
    limit_ = limit;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      const Block& block = function_->blocks[b];
      if (block.code.size() < 3 || block.code.size() > kLongestBlock) continue;
      if (!blocks_[b].code.empty() && !blocks_[b].limited) continue;
      blocks_[b] = BlockScheduler(*function_, block, live_->out[b], limit).run();
    }
  }
  [[nodiscard]] bool limited() const {
    return std::any_of(blocks_.begin(), blocks_.end(), [](const auto& block) { return block.limited; });
  }
  /// Cycles of an SM for each warp, over all blocks; inner loops count most.
  [[nodiscard]] double cost() const {
    constexpr double kRounds = 10;  // of a loop
    constexpr double kIssues = 4;   // of an SM per cycle
    const double room = static_cast<double>(function_->lane_registers) / limit_;
    const double warps = std::max(1.0, std::min<double>(function_->latency_warps, room));
    double sum = 0;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      const double once = std::max(static_cast<double>(function_->blocks[b].code.size()) / kIssues,
                                   static_cast<double>(blocks_[b].length) / warps);
      sum += once * std::pow(kRounds, std::min((*depths_)[b], 4u));
    }
    return sum;
  }
  void put_into(MachineFunction& function) && {
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      if (!blocks_[b].code.empty()) function.blocks[b].code = std::move(blocks_[b].code);
    }
  }

 private:
  const MachineFunction* function_;
  const Liveness* live_;
  const std::vector<unsigned>* depths_;
  unsigned limit_ = 0;
  std::vector<BlockScheduler::Result> blocks_;
};

constexpr unsigned kLimitStep = 8;
constexpr unsigned kMostRegisters = 128;  ///< with more, an SM has few warps
/// What a larger limit must at least save to be taken. The driver's compiler leaves lud_perimeter, of the half that
/// constants may be fitted to, at few registers; 6 percent are to be had there.
constexpr double kWorthwhile = 0.9;

}  // namespace

void schedule(MachineFunction& function) {
  const Liveness live = live_virtual(function);
  const unsigned original = max_pressure(function, live);
  const unsigned most = function.register_limit > 8 ? function.register_limit - 8 : 1;
  const unsigned limit = std::min(std::max(original, function.free_registers), most);
  const std::vector<unsigned> depths = loop_depths(function, dominators(function));
  Schedule base(function, live, depths);
  base.make(limit);
  if (function.latency_warps != 0 && base.limited()) {
    Schedule best = base;
    Schedule other = base;
    for (unsigned more = limit + kLimitStep; more <= std::min(most, kMostRegisters) && other.limited();
         more += kLimitStep) {
      other.make(more);
      if (other.cost() < best.cost()) best = other;
    }
    if (best.cost() < kWorthwhile * base.cost()) base = std::move(best);
  }
  std::move(base).put_into(function);
}

}  // namespace heddle::compile
