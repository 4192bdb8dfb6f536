// Levels of a register file hierarchy that the compiler fills (Gebhart et al., MICRO 2011).
//
// Inside a strand, here a region, a value may live in the file of the last result or in a small file of operands while
// it is used. A value that is dead at its last use there never sees the main file; one that goes on is written to both.
// Values that save the most accesses for the time they take a place get one first. Memory and special instructions do
// not reach the last result.
#include <algorithm>

#include "compile/regions/regions.h"

namespace heddle::compile {
namespace {

enum class Level : std::uint8_t { main, operand, last };

/// A value born in a strand.
struct StrandValue {
  std::uint8_t reg = 0;
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::vector<std::uint32_t> reads;
  bool lives = false;
  bool arithmetic = true;  ///< made and used by arithmetic alone
  bool partial = false;    ///< more than one instruction writes it
  Level level = Level::main;

  [[nodiscard]] double gain() const {
    return static_cast<double>(reads.size() + (lives ? 0 : 1)) / static_cast<double>(last - first + 1);
  }
};

/// The different general registers that an instruction reads.
std::vector<std::size_t> registers_read(const isa::Instruction& i) {
  std::vector<std::size_t> read;
  for (const isa::Operand& s : i.src) for_each_general(s, [&](std::size_t r) { read.push_back(r); });
  std::sort(read.begin(), read.end());
  read.erase(std::unique(read.begin(), read.end()), read.end());
  return read;
}

bool reaches_last_result(const isa::Instruction& i) {
  return isa::unit(i.op) == isa::Unit::integer || isa::unit(i.op) == isa::Unit::floating;
}

class LevelMaker {
 public:
  LevelMaker(isa::RegionCode& code, const std::vector<isa::Instruction>& instructions, unsigned entries)
      : code_(code), instructions_(instructions), entries_(entries) {}

  void run() {
    code_.levels.assign(instructions_.size(), {});
    for (const isa::Region& region : code_.regions) {
      std::vector<StrandValue> values = find_values(region);
      give_places(values);
      count(region, values);
    }
  }

 private:
  [[nodiscard]] std::vector<StrandValue> find_values(const isa::Region& region) const {
    std::vector<StrandValue> values;
    std::array<int, kGeneralRegisters> open;
    open.fill(-1);
    for (std::uint32_t pc = region.begin; pc < region.end; ++pc) {
      const isa::Instruction& i = instructions_[pc];
      for (const std::size_t r : registers_read(i)) {
        if (open[r] < 0) continue;
        StrandValue& value = values[static_cast<std::size_t>(open[r])];
        value.reads.push_back(pc);
        value.last = pc;
        value.arithmetic = value.arithmetic && reaches_last_result(i);
      }
      for (const isa::Operand& d : i.dst) {
        for_each_general(d, [&](std::size_t r) {
          if (is_partial(i) && open[r] >= 0) {
            values[static_cast<std::size_t>(open[r])].partial = true;
            return;
          }
          open[r] = static_cast<int>(values.size());
          StrandValue& value = values.emplace_back();
          value.reg = static_cast<std::uint8_t>(r);
          value.first = value.last = pc;
          value.arithmetic = reaches_last_result(i);
          value.partial = is_partial(i) || i.soft_definition;
        });
      }
      for (const isa::LastUse& use : code_.last_uses_at(pc)) {
        if (open[use.reg] < 0) continue;
        StrandValue& value = values[static_cast<std::size_t>(open[use.reg])];
        if (!use.erase && (use.at_write || value.first != pc)) value.lives = true;
      }
    }
    return values;
  }

  /// Whether no value with a place of the level is in the way.
  [[nodiscard]] bool has_place(const std::vector<StrandValue>& values, const StrandValue& value, Level level,
                               unsigned places) const {
    for (std::uint32_t pc = value.first; pc < std::max(value.last, value.first + 1); ++pc) {
      const auto taken = std::count_if(values.begin(), values.end(), [&](const StrandValue& other) {
        return other.level == level && other.first <= pc && pc < other.last;
      });
      if (static_cast<unsigned>(taken) >= places) return false;
    }
    return true;
  }

  void give_places(std::vector<StrandValue>& values) const {
    std::vector<StrandValue*> order;
    for (StrandValue& value : values) {
      if (!value.reads.empty() && !value.partial) order.push_back(&value);
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const StrandValue* a, const StrandValue* b) { return a->gain() > b->gain(); });
    for (StrandValue* value : order) {
      if (value->arithmetic && has_place(values, *value, Level::last, 1)) {
        value->level = Level::last;
      } else if (has_place(values, *value, Level::operand, entries_)) {
        value->level = Level::operand;
      }
    }
  }

  void count(const isa::Region& region, const std::vector<StrandValue>& values) {
    for (std::uint32_t pc = region.begin; pc < region.end; ++pc) {
      isa::OperandLevels& levels = code_.levels[pc];
      for (const std::size_t r : registers_read(instructions_[pc])) {
        const auto value = std::find_if(values.begin(), values.end(), [&](const StrandValue& v) {
          return v.reg == r && std::find(v.reads.begin(), v.reads.end(), pc) != v.reads.end();
        });
        const Level level = value == values.end() ? Level::main : value->level;
        if (level == Level::last) ++levels.last_reads;
        if (level == Level::operand) ++levels.operand_reads;
        if (level == Level::main) levels.main_registers[levels.main_reads++] = static_cast<std::uint8_t>(r);
      }
      for (const isa::Operand& d : instructions_[pc].dst) {
        for_each_general(d, [&](std::size_t r) {
          const auto value = std::find_if(values.begin(), values.end(),
                                          [&](const StrandValue& v) { return v.reg == r && v.first == pc; });
          const Level level = value == values.end() ? Level::main : value->level;
          if (level == Level::last) ++levels.last_writes;
          if (level == Level::operand) ++levels.operand_writes;
          if (level == Level::main || value->lives) ++levels.main_writes;
        });
      }
    }
  }

  isa::RegionCode& code_;
  const std::vector<isa::Instruction>& instructions_;
  unsigned entries_;
};

}  // namespace

void assign_levels(isa::RegionCode& code, const std::vector<isa::Instruction>& instructions, unsigned entries) {
  LevelMaker(code, instructions, entries).run();
}

}  // namespace heddle::compile
